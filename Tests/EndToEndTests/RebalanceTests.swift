import AttestTestKit
import Glibc
import Harness
import Testing

extension EndToEndTests {
    @Suite struct RebalanceTests {
        @Test func `members that come, go and freeze lose and invent nothing`() async throws {
            let authority = TestAuthority(seed: 40)
            let world = try await World("rebalance", partitions: 4, apps: [Load.app(authority)])
            let load = Load(
                world.name, seed: 40, deviceCount: 16, assertionCount: 1600, authority: authority)
            let oracle = Oracle(world, load)
            var rest = load.requests[...]
            /// Sends some more and waits until some of it is answered.
            func goOn(_ workers: [ChildProcess]) async throws {
                let answered = try await world.answers().count
                try world.send(rest.prefix(270).map(\.record))
                rest = rest.dropFirst(270)
                try await eventually("it goes on; \(workers)", within: .seconds(60)) {
                    try await world.answers().count > answered
                }
            }

            let first = try await world.startWorker()
            try await goOn([first])
            let second = try await world.startWorker()
            try await goOn([first, second])
            try await second.waitFor("partitions_claimed", within: .seconds(30))
            try await goOn([first, second])
            try await stop([first])
            try await goOn([second])
            let third = try await world.startWorker()
            try await third.waitFor("partitions_claimed", within: .seconds(30))
            try await goOn([second, third])

            // A zombie: it wakes up when its partitions belong to another worker.
            second.send(SIGSTOP)
            try world.send(rest.prefix(300).map(\.record))
            rest = rest.dropFirst(300)
            try await oracle.waitUntilAnswered(within: .seconds(90), [third])
            second.send(SIGCONT)
            try world.send(rest.map(\.record))
            try await oracle.waitUntilAnswered(within: .seconds(60), [second, third])
            try await second.waitFor("partitions_claimed", count: 2, within: .seconds(60))
            try await stop([second, third])
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }
    }
}
