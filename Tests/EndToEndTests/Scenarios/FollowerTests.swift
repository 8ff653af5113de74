import Harness
import Testing

extension EndToEndTests {
    /// The oracle's own eyes: what they can't see, they must not take for missing.
    @Suite struct FollowerTests {
        @Test func `a topic with a partition without a leader is not read to its end`()
            async throws
        {
            let broker = try Servers.shared().broker
            try await broker.command("topic followed:2")
            let follower = try TopicFollower(
                topic: "followed", group: "follower", bootstrapServers: broker.bootstrapServers)
            #expect(try follower.readOn(within: .seconds(10)))
            try await broker.command("leader followed 1 none")
            #expect(try !follower.readOn(within: .seconds(10)))
            try await broker.command("leader followed 1 1")
            try await eventually("the partition is back", within: .seconds(20)) {
                try follower.readOn(within: .seconds(10))
            }
            #expect(follower.partitionCount == 2)
        }
    }
}
