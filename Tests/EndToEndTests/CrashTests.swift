import AttestTestKit
import Glibc
import Harness
import SeededNumbers
import Testing

@testable import attest_worker

extension EndToEndTests {
    @Suite struct CrashTests {
        /// To repeat a run set ATTEST_TEST_SEED to the seed that it printed.
        ///
        /// Worlds run side by side, as the broker takes up to 17 s to notice that a member is gone.
        @Test func `workers that are killed at random moments lose and invent nothing`()
            async throws
        {
            let seed = SplitMix64.seedOfThisRun
            print("random kills: seed \(seed)")
            try await withThrowingTaskGroup { group in
                for number in 0..<3 {
                    group.addTask { try await killAtRandom(number, seed: seed + UInt64(number)) }
                }
                try await group.waitForAll()
            }
        }

        #if DEBUG
            /// Each step once in the first batch and, by the worker that takes over, once in a
            /// later one.
            @Test func `a worker that dies between any two steps loses and invents nothing`()
                async throws
            {
                try await withThrowingTaskGroup { group in
                    for step in CrashPoint.Step.allCases {
                        // A worker claims its partitions once.
                        let times = step == .claimed ? [1, 1] : [1, 3]
                        group.addTask { try await die(at: step.rawValue, times: times) }
                    }
                    try await group.waitForAll()
                }
            }
        #endif
    }
}

/// Two workers over four partitions, one of which dies three times.
private func killAtRandom(_ number: Int, seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let authority = TestAuthority(seed: 30)
    let world = try await World("kills-\(number)", partitions: 4, apps: [Load.app(authority)])
    let load = Load(
        world.name, seed: seed, deviceCount: 12, assertionCount: 1200, authority: authority)
    let oracle = Oracle(world, load)
    var workers = [try await world.startWorker(), try await world.startWorker()]
    var rest = load.requests[...]
    for _ in 0..<3 {
        let answered = try await world.answers().count
        try world.send(rest.prefix(300).map(\.record))
        rest = rest.dropFirst(300)
        try await eventually("\(world.name) goes on; \(workers)", within: .seconds(60)) {
            try await world.answers().count > answered
        }
        // In the midst of the work, or when it is just done.
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400, using: &random)))
        let victim = Int.random(in: workers.indices, using: &random)
        try await workers[victim].kill()
        try await oracle.expectNothingAhead()
        workers[victim] = try await world.startWorker()
    }
    try world.send(rest.map(\.record))
    try await oracle.waitUntilAnswered(within: .seconds(120), workers)
    try await stop(workers)
    try await oracle.expectEverythingRight()
    try await oracle.expectAllCommitted()
}

/// Workers that kill themselves when they have come to a step so many times, each taking over from
/// the one before; another one finishes their work.
private func die(at step: String, times: [Int]) async throws {
    let authority = TestAuthority(seed: 31)
    let world = try await World("dies-\(step)", apps: [Load.app(authority)]) { settings in
        settings.worker.batchRecordsMax = 20
    }
    let load = Load(world.name, seed: 31, deviceCount: 4, assertionCount: 120, authority: authority)
    let oracle = Oracle(world, load)
    try world.send(load.requests.map(\.record))
    for count in times {
        let point = "\(step):\(count)"
        let worker = try await world.startWorker(["CRASH_AT": point])
        let end = try await worker.waitForEnd(within: .seconds(90))
        #expect(end == .killed(SIGKILL), "\(point): \(worker)")
        try await oracle.expectNothingAhead()
    }
    let last = try await world.startWorker()
    try await oracle.waitUntilAnswered(within: .seconds(90), [last])
    try await stop([last])
    try await oracle.expectEverythingRight()
    try await oracle.expectAllCommitted()
}
