import AttestTestKit
import Synchronization
import Testing
import Wire
import Worker

/// What a lane does when verdicts don't get out, and when partitions can't be had.
@Suite struct LaneDeliveryTests {
    /// The events that a lane has logged.
    private final class Events: Sendable {
        private let lines = Mutex<[String]>([])

        var log: Log {
            Log(level: .debug, format: .json, clock: { 0 }) { line in
                self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }

        func count(of event: String) -> Int {
            lines.withLock { $0.count { $0.contains("\"\(event)\"") } }
        }
    }

    @Test(
        arguments: [
            (.refused(code: "MSG_SIZE_TOO_LARGE"), .incompatible),
            (.forbidden(code: "TOPIC_AUTHORIZATION_FAILED"), .noPermission),
        ] as [(DeliveryReport.Result, ExitCode)])
    func `a verdict that is never taken ends the process, uncommitted`(
        result: DeliveryReport.Result, code: ExitCode
    ) throws {
        let world = LaneWorld(Scenario.mixed())
        let policy = try Scenario.policy()
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let end = world.runLane(
            batch: 3, member: member, policy: policy, delivery: { _ in result })
        #expect(end?.disposition == .stop(code))
        #expect(world.kafka.committed.isEmpty)
        #expect(world.finish(batch: 3, policy: policy) == nil)
        try world.checkOracle("after \(result)")
    }

    @Test func `a verdict that fails is sent again, and its code is told`() throws {
        let world = LaneWorld(Scenario.mixed())
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let events = Events()
        var failures = 0
        let end = world.runLane(
            batch: 3, member: member, policy: try Scenario.policy(),
            delivery: { _ in
                failures += 1
                return failures <= 3 ? .failed(code: "_UNKNOWN_TOPIC") : .delivered
            }, log: events.log)
        #expect(end == nil)
        #expect(events.count(of: "_UNKNOWN_TOPIC") > 0)
        try world.checkOracle("after failures")
    }

    @Test func `reports that don't come are told, and a revocation frees the lane`() throws {
        let world = LaneWorld(Scenario.mixed())
        let policy = try Scenario.policy()
        let first = world.kafka.join()
        let second = world.kafka.join()
        world.kafka.assign(world.partitions, to: first)
        let events = Events()
        let stop = StopSignal()
        let end = world.runLane(
            batch: 100, member: first, policy: policy, stop: stop,
            idle: {
                if events.count(of: "reports_missing") == 2 {
                    world.kafka.assign(world.partitions, to: second)
                }
                if events.count(of: "partitions_revoked") > 0 { stop.request() }
            }, delivery: { _ in nil }, log: events.log)
        #expect(end == nil, "the lane ends in peace although nothing was reported")
        #expect(world.kafka.committed.isEmpty)
        #expect(world.runLane(batch: 100, member: second, policy: policy) == nil)
        try world.checkOracle("after the hand-over")
    }

    @Test func `a partition without a leader keeps no other waiting`() throws {
        let world = LaneWorld(Scenario.mixed())
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        world.kafka.leaderless = [world.partitions[1]]
        let end = world.runLane(
            batch: 4, member: member, policy: try Scenario.policy(),
            idle: {
                if world.kafka.committed[world.partitions[0]] ?? 0 > 0 {
                    world.kafka.leaderless = []
                }
            })
        #expect(end == nil)
        let first = try world.verdicts().map(\.source.partition)
        #expect(first == first.sorted(), "the partition with a leader was served first")
        try world.checkOracle("after the leader's return")
    }
}
