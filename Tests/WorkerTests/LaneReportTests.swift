import AppAttest
import Testing

@testable import Worker

/// What is told of partitions whose last records can't be read.
@Suite struct LaneReportTests {
    private let partition = TopicPartition(topic: Scenario.topic, partition: 0)
    private let limits = BatchLimits(recordsMax: 10, bytesMax: 1 << 20)

    private func observer() -> WorkerObserver {
        let facts = WorkerFacts(
            identity: WorkerIdentity(version: "test", id: "worker-1"),
            libraries: LibraryVersions(swift: "", librdkafka: "", libpq: "", openssl: ""),
            groupID: "group", startedAt: Scenario.now, stallTimeout: .seconds(60))
        return WorkerObserver(
            facts: facts, laneCount: 1,
            policy: Live(Policy(apps: [], maxRequestAge: .seconds(1), maxClockSkew: .seconds(1))),
            clock: LaneClock(wall: { Scenario.now }, monotonic: { .zero }), stop: StopSignal())
    }

    /// A transaction of a producer that hangs holds the stable offset; markers of those that ended
    /// take offsets without being records.
    @Test func `lag is what can be read, and what can't be shows as a gap`() throws {
        let worker = observer()
        let kafka = InMemoryKafka()
        let member = kafka.join()
        kafka.assign([partition], to: member)
        let source = ObservedSource(InMemorySource(kafka, member: member), worker.lanes[0])
        _ = try source.poll(limits: limits, wait: .zero)
        try source.start([partition: 4])
        var statistics = ClientStatistics()
        statistics.partitions[partition] = ClientStatistics.Partition(
            highWatermark: 10, stableOffset: 4)
        worker.lanes[0].told(statistics, by: .consumer)

        let labels = [Scenario.topic, "0"]
        #expect(worker.cells[MetricTable.lagMessages] == [["group"] + labels: .number(0)])
        #expect(worker.cells[MetricTable.highWatermark][labels] == .number(10))
        #expect(worker.cells[MetricTable.stableOffset][labels] == .number(4))
    }
}
