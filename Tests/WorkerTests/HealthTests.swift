import AppAttest
import Synchronization
import Testing

@testable import Worker

@Suite struct HealthTests {
    /// Two lanes and the clocks that they are looked at by.
    private final class Observed: Sendable {
        let stop = StopSignal()
        let worker: WorkerObserver

        init() {
            let time = Time()
            let clock = LaneClock(
                wall: { Instant(seconds: time.seconds.withLock { 1_790_000_000 + $0 }) },
                monotonic: { .seconds(time.seconds.withLock { $0 }) })
            self.time = time
            worker = WorkerObserver(
                facts: WorkerFacts(
                    identity: WorkerIdentity(version: "1", id: "w"),
                    libraries: LibraryVersions(swift: "", librdkafka: "", libpq: "", openssl: ""),
                    groupID: "group", startedAt: Instant(seconds: 1_790_000_000),
                    stallTimeout: .seconds(60)),
                laneCount: 2,
                policy: Live(
                    Policy(apps: [], maxRequestAge: .seconds(1), maxClockSkew: .seconds(1))),
                clock: clock, stop: stop)
        }

        final class Time: Sendable {
            let seconds = Mutex(Int64(0))
        }

        let time: Time

        func pass(seconds: Int64) {
            time.seconds.withLock { $0 += seconds }
        }

        /// Makes both lanes well.
        func start() {
            for lane in worker.lanes {
                lane.note {
                    $0.isMember = true
                    $0.storeAnsweredAt = .zero
                }
                lane.begin("poll")
            }
        }

        var report: WorkerReport { worker.report }
    }

    private let fault = Fault(
        operation: "lock rows", code: "connection_lost", disposition: .retry, message: "gone")

    @Test func `a process starts, runs, drains and stops`() {
        let observed = Observed()
        #expect(observed.report.state == .starting)
        #expect(Health.liveness(observed.report).isWell)
        #expect(Health.readiness(observed.report).problems.count == 4)
        #expect(Health.startup(observed.report).problems.count == 4)
        observed.start()
        #expect(observed.report.state == .running)
        #expect(Health.readiness(observed.report).isWell)
        #expect(Health.startup(observed.report).isWell)
        observed.stop.request()
        #expect(observed.report.state == .draining)
        #expect(Health.readiness(observed.report).problems == ["the worker is draining"])
        #expect(Health.startup(observed.report).isWell)
        #expect(Health.liveness(observed.report).isWell)
        observed.worker.lanes.forEach { $0.ended() }
        #expect(observed.report.state == .stopped)
        #expect(!Health.liveness(observed.report).isWell)
    }

    @Test func `a lane that gives signs is alive, however long it is blocked`() {
        let observed = Observed()
        observed.start()
        for _ in 0..<100 {
            observed.pass(seconds: 50)
            for lane in observed.worker.lanes {
                lane.isBlocked(.store, by: fault)
                lane.begin("poll")
            }
        }
        #expect(Health.liveness(observed.report).isWell)
        #expect(!Health.readiness(observed.report).isWell)
    }

    @Test func `one lane without a sign fails liveness, though the other one works`() {
        let observed = Observed()
        observed.start()
        observed.worker.lanes[1].begin("database: transact")
        observed.pass(seconds: 60)
        observed.worker.lanes[0].begin("poll")
        #expect(Health.liveness(observed.report).isWell)
        observed.pass(seconds: 1)
        #expect(
            Health.liveness(observed.report).problems
                == ["lane 1 is stuck: database: transact has lasted 61 s"])
        observed.worker.lanes[1].begin("work")
        #expect(Health.liveness(observed.report).isWell)
    }

    @Test func `readiness goes with the database and with the brokers, and comes back`() {
        let observed = Observed()
        observed.start()
        let lane = observed.worker.lanes[1]
        lane.note { $0.storeFault = fault }
        #expect(
            Health.readiness(observed.report).problems
                == ["lane 1 has no database: lock rows: gone [connection_lost]"])
        lane.note { $0.storeFault = nil }
        #expect(Health.readiness(observed.report).isWell)

        var told = ClientStatistics()
        told.brokers = [.init(name: "a:9092", isUp: false), .init(name: "b:9092", isUp: false)]
        lane.told(told, by: .consumer)
        #expect(
            Health.readiness(observed.report).problems
                == ["lane 1: the consumer is connected to no broker"])
        told.brokers[1].isUp = true
        lane.told(told, by: .consumer)
        #expect(Health.readiness(observed.report).isWell)
        lane.ended()
        #expect(Health.readiness(observed.report).problems == ["lane 1 has ended"])
    }

    @Test func `lag is told in records and in seconds, and vanishes with its partition`() {
        let observed = Observed()
        observed.start()
        let lane = observed.worker.lanes[0]
        let place = TopicPartition(topic: "t", partition: 3)
        let labels = ["group", "t", "3"]
        lane.claimed([place: 10])
        func cells() -> MetricCells { observed.report.cells }
        #expect(cells()[MetricTable.lagMessages].isEmpty, "nobody knows yet")

        func tell(stable: Int64) {
            var told = ClientStatistics()
            told.partitions[place] = .init(highWatermark: 20, stableOffset: stable)
            lane.told(told, by: .consumer)
        }
        tell(stable: 10)
        #expect(cells()[MetricTable.lagMessages] == [labels: .number(0)])
        observed.pass(seconds: 30)
        #expect(cells()[MetricTable.lagSeconds] == [labels: .number(0)])
        tell(stable: 17)
        observed.pass(seconds: 5)
        #expect(cells()[MetricTable.lagMessages] == [labels: .number(7)])
        #expect(cells()[MetricTable.lagSeconds] == [labels: .number(5_000_000)])
        // In hand it has an age of its own.
        let stamp = (1_790_000_000 + 35 - 90) * 1000
        lane.note { $0.partitions[place]?.oldestInHand = Instant(milliseconds: Int64(stamp)) }
        #expect(cells()[MetricTable.lagSeconds] == [labels: .number(90_000_000)])
        lane.note { $0.partitions[place] = nil }
        for family in MetricTable.partitions { #expect(cells()[family].isEmpty) }
    }
}
