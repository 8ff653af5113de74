import KafkaTransport
import Wire
import Worker

/// All records of a topic, read from its beginning on and kept.
actor TopicTail {
    private let reader: TopicReader
    private var records: [Record] = []
    private var next: [TopicPartition: Int64] = [:]

    /// Finds the topic.
    ///
    /// - Parameters:
    ///   - topic: must exist.
    ///   - group: whose committed offsets ``positions()`` tells; it is not joined.
    ///   - bootstrapServers: where.
    /// - Throws: a fault when the topic can't be found.
    init(topic: String, group: String, bootstrapServers: String) throws {
        let settings = KafkaSettings(
            bootstrapServers: bootstrapServers, groupID: group, requestTopics: [topic])
        reader = try TopicReader(topic: topic, settings: settings, log: { _ in })
    }

    /// Reads up to the end that each partition has at this moment.
    ///
    /// - Returns: all records so far, in order within each partition.
    /// - Throws: ``HarnessFailure`` when the broker has dropped a record: a partition of the mock
    ///   keeps 5 MiB.
    func readOn() throws -> [Record] {
        let ends = try reader.positions().mapValues(\.high)
        let deadline = ContinuousClock.now + .seconds(10)
        while ends.contains(where: { next[$0.key, default: 0] < $0.value }) {
            for record in try reader.read(recordsMax: 10_000, wait: .milliseconds(100)) {
                guard record.place.offset == next[record.partition, default: 0] else {
                    throw HarnessFailure("a record before \(record.place) is gone")
                }
                next[record.partition] = record.place.offset + 1
                records.append(record)
            }
            guard ContinuousClock.now < deadline else {
                throw HarnessFailure("the ends \(ends) can't be reached, only \(next)")
            }
        }
        return records
    }

    /// What the group has committed, and where each log ends.
    func positions() throws -> [TopicPartition: LogPosition] {
        try reader.positions()
    }
}
