import AppAttest
import Synchronization
import Testing

@testable import Worker

/// What is told of partitions and of lanes that don't move.
@Suite struct LaneReportTests {
    /// A process with lanes, and a clock that the test moves.
    private final class Watched: Sendable {
        let seconds = Mutex(0)

        func observer(lanes: Int) -> WorkerObserver {
            let clock = LaneClock(
                wall: { Scenario.now }, monotonic: { .seconds(self.seconds.withLock { $0 }) })
            let libraries = LibraryVersions(swift: "", librdkafka: "", libpq: "", openssl: "")
            let facts = WorkerFacts(
                identity: WorkerIdentity(version: "test", id: "worker-1"), libraries: libraries,
                groupID: "group", startedAt: Scenario.now, appIDs: [], simulatedAppIDs: [],
                stallTimeout: .seconds(60))
            return WorkerObserver(
                facts: facts, laneCount: lanes, clock: clock, stop: StopSignal())
        }

        func sleep(seconds: Int) { self.seconds.withLock { $0 += seconds } }
    }

    private let partition = TopicPartition(topic: Scenario.topic, partition: 0)
    private let limits = BatchLimits(recordsMax: 10, bytesMax: 1 << 20)

    /// A lane that owns the partition, stands at offset 4, and knows the log's ends.
    private func laneWithPartition(
        _ worker: WorkerObserver, _ kafka: InMemoryKafka, highWatermark: Int64, stable: Int64
    ) throws -> ObservedSource<InMemorySource> {
        let member = kafka.join()
        kafka.assign([partition], to: member)
        let source = ObservedSource(InMemorySource(kafka, member: member), worker.lanes[0])
        _ = try source.poll(limits: limits, wait: .zero)
        try source.start([partition: 4])
        var statistics = ClientStatistics()
        statistics.partitions[partition] = ClientStatistics.Partition(
            highWatermark: highWatermark, stableOffset: stable)
        worker.lanes[0].told(statistics, by: .consumer)
        return source
    }

    @Test func `the series of a revoked partition vanish, whatever the client goes on telling`()
        throws
    {
        let kafka = InMemoryKafka()
        let worker = Watched().observer(lanes: 1)
        let source = try laneWithPartition(worker, kafka, highWatermark: 10, stable: 10)
        let labels = [Scenario.topic, "0"]
        let group = ["group"] + labels
        #expect(worker.cells[MetricTable.lagMessages] == [group: .number(6)])
        #expect(worker.cells[MetricTable.position][labels] == .number(4))

        kafka.assign([partition], to: kafka.join())
        _ = try source.poll(limits: limits, wait: .zero)
        try source.stop([partition])
        for family in MetricTable.partitions {
            let told = worker.cells[family].keys.filter { $0.contains(Scenario.topic) }
            #expect(told.isEmpty, "\(family.name) tells of a partition that is gone")
        }
    }

    /// A transaction of a producer that hangs holds the stable offset; markers of those that ended
    /// take offsets without being records.
    @Test func `lag is what can be read, and what can't be shows as a gap`() throws {
        let worker = Watched().observer(lanes: 1)
        _ = try laneWithPartition(worker, InMemoryKafka(), highWatermark: 10, stable: 4)
        let labels = [Scenario.topic, "0"]
        #expect(worker.cells[MetricTable.lagMessages] == [["group"] + labels: .number(0)])
        #expect(worker.cells[MetricTable.highWatermark][labels] == .number(10))
        #expect(worker.cells[MetricTable.stableOffset][labels] == .number(4))
    }

    @Test func `one lane without a sign of life fails liveness, whatever the others do`() {
        let watched = Watched()
        let worker = watched.observer(lanes: 2)
        for lane in worker.lanes { lane.begin("poll") }
        watched.sleep(seconds: 50)
        worker.lanes[0].begin("poll")
        watched.sleep(seconds: 20)
        let liveness = Health.liveness(worker.report)
        #expect(liveness.problems.count == 1)
        #expect(liveness.problems.first?.contains("lane 1 is stuck: poll") == true)
        worker.lanes[1].begin("work")
        #expect(Health.liveness(worker.report).isWell)
    }

    /// Restarts don't mend a database that is away, and make the group share out again.
    @Test func `a lane that sits out a fault is alive for as long as it polls, and not ready`() {
        let watched = Watched()
        let worker = watched.observer(lanes: 1)
        let fault = Fault(
            operation: "lock rows", code: "57P03", disposition: .retry, message: "it is away")
        for _ in 0..<60 {
            worker.lanes[0].isBlocked("decide", by: fault)
            watched.sleep(seconds: 10)
            worker.lanes[0].begin("poll")
            #expect(Health.liveness(worker.report).isWell)
            #expect(!Health.readiness(worker.report).isWell)
        }
    }
}
