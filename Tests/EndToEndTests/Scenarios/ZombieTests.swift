import AttestTestKit
import FoundationEssentials
import Glibc
import Harness
import Testing

#if DEBUG
    extension EndToEndTests {
        /// A worker falls asleep at a step with a batch in hand, and wakes as a zombie.
        @Suite struct ZombieTests {
            /// Worlds run side by side, as the broker takes up to 17 s to notice a sleeper.
            @Test func `a zombie that wakes with a batch in hand does no harm at any step`()
                async throws
            {
                let steps = [
                    "keys-read:2", "deciding:2", "decided:2", "enqueued:2", "committing:2",
                ]
                try await withThrowingTaskGroup { group in
                    for step in steps {
                        group.addTask { try await sleep(at: step) }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    /// One worker sleeps at the step, another takes over and finishes; then the first one wakes.
    private func sleep(at step: String) async throws {
        let authority = TestAuthority(seed: 82)
        let name = "sleeps-" + step.replacing(":", with: "-")
        let world = try await World(name, apps: [Load.app(authority)]) { settings in
            settings.worker.batchRecordsMax = 20
        }
        let load = Load(name, seed: 82, deviceCount: 4, assertionCount: 160, authority: authority)
        let oracle = Oracle(world, load)
        try world.send(load.requests.dropLast(60).map(\.record))
        let zombie = try await world.startWorker(["FREEZE_AT": step])
        try await eventually("it sleeps; \(zombie)", within: .seconds(60)) { zombie.isStopped }
        let heir = try await world.startWorker()
        try await oracle.waitUntilAnswered(within: .seconds(120), [zombie, heir])
        zombie.send(SIGCONT)
        try world.send(load.requests.suffix(60).map(\.record))
        // It finds out that the group went on without it, and comes back.
        try await zombie.waitFor("partitions_claimed", count: 2, within: .seconds(90))
        try await oracle.waitUntilAnswered(within: .seconds(90), [zombie, heir])
        try await stop([zombie, heir])
        try await oracle.expectEverythingRight()
        try await oracle.expectAllCommitted()
    }

    extension ChildProcess {
        /// Whether a signal has stopped it.
        fileprivate var isStopped: Bool {
            let status = FileManager.default.contents(atPath: "/proc/\(processID)/status") ?? Data()
            return String(decoding: status, as: UTF8.self).contains("State:\tT")
        }
    }
#endif
