internal import KafkaTransport
internal import Wire
package import Worker

/// The records of a topic as they come, from its beginning on, each told once.
///
/// Used by one thread.
package final class TopicFollower {
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
    package init(topic: String, group: String, bootstrapServers: String) throws(Fault) {
        let settings = KafkaSettings(
            bootstrapServers: bootstrapServers, groupID: group, requestTopics: [topic])
        reader = try TopicReader(topic: topic, settings: settings, log: { _ in })
    }

    /// Reads up to the end that each partition has at this moment.
    ///
    /// - Parameter limit: how long at the most.
    /// - Returns: whether the ends were reached in time; what was read waits to be taken. False
    ///   while a partition has no leader, as nobody can tell its end then.
    /// - Throws: a fault when the broker can't tell the ends, or ``HarnessFailure`` when it has
    ///   dropped a record: a partition of the mock keeps 5 MiB.
    package func readOn(within limit: Duration) throws -> Bool {
        let ends = try reader.positions().mapValues(\.high)
        let isWhole = ends.count == reader.partitionCount
        let deadline = ContinuousClock.now + limit
        while ends.contains(where: { next[$0.key, default: 0] < $0.value }) {
            for record in try reader.read(recordsMax: 10_000, wait: .milliseconds(100)) {
                guard record.place.offset == next[record.partition, default: 0] else {
                    throw HarnessFailure("a record before \(record.place) is gone")
                }
                next[record.partition] = record.place.offset + 1
                records.append(record)
            }
            guard ContinuousClock.now < deadline else { return false }
        }
        return isWhole
    }

    /// The records that were read since the last call, in order within each partition.
    package func take() -> [Record] {
        defer { records.removeAll() }
        return records
    }

    /// How many partitions the topic has.
    package var partitionCount: Int { reader.partitionCount }

    /// What the group has committed, and where each log ends, of the partitions with a leader.
    package func positions() throws(Fault) -> [TopicPartition: LogPosition] {
        try reader.positions()
    }
}
