import AttestTestKit
import Harness
import Testing

extension EndToEndTests {
    /// The request topic is another one than before, under its old name.
    ///
    /// The mock broker can neither delete a topic nor add partitions: a second cluster with the
    /// same names and more partitions stands for both. Committed offsets are gone with the first.
    @Suite struct NewTopicTests {
        @Test func `a topic made anew with more partitions is decided, not taken for repeats`()
            async throws
        {
            let authority = TestAuthority(seed: 78)
            let former = try await World(
                "anew", partitions: 2, apps: [Load.app(authority)])
            let first = Load(
                "former", seed: 78, deviceCount: 5, assertionCount: 200, authority: authority,
                allHaveIDs: true)
            let second = Load(
                "latter", seed: 79, deviceCount: 5, assertionCount: 60, authority: authority,
                allHaveIDs: true)
            let oracle = Oracle(former, first)
            let worker = try await former.startWorker()
            try await former.send(first, oracle, [worker], within: .seconds(60))
            try await stop([worker])
            try await oracle.expectEverythingRight()

            let broker = try await Broker.start(
                folder: Servers.shared().folder, name: "broker-made-anew")
            let latter = try await World(
                "anew", partitions: 4, apps: [Load.app(authority)], broker: broker,
                database: former.database)
            oracle.move(to: latter, second)
            let next = try await latter.startWorker()
            try await next.waitFor("partitions_claimed", within: .seconds(30))
            try await latter.send(second, oracle, [next], within: .seconds(60))
            try await next.waitFor("topic_recreated", within: .seconds(5))
            // The former topic's requests, sent again to the new one, keep their answers.
            try latter.send(first.requests.map(\.record))
            try await oracle.waitUntilAnswered(within: .seconds(60), [next])
            try await stop([next])
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }
    }
}
