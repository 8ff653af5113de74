import KafkaTransport
import PostgresStore
import Worker

/// How a partition of the request topics stands: where a worker would go on that claimed it now.
struct Standing {
    var partition: TopicPartition
    var position: StartPosition
    /// The timestamp of the last record whose decision the database knows, in milliseconds since
    /// 1970.
    var lastTimestampMilliseconds: Int64

    /// Those of all partitions.
    ///
    /// - Throws: when broker or database can't tell now.
    static func all(
        _ inspector: TopicInspector, _ store: PostgresKeyStore, _ tool: Tool
    ) throws(Fault) -> [Standing] {
        let partitions = try inspector.partitions(
            of: tool.settings.kafka.topics.requests, only: nil)
        let logs = try inspector.positions(of: partitions)
        let rows = try store.readProgress(of: partitions)
        return partitions.sorted().compactMap { partition in
            guard let log = logs[partition] else { return nil }
            // As a worker would find it: it makes the row that is missing.
            let next = StartPosition.initial(log)
            let row =
                rows[partition]
                ?? Progress(
                    epoch: 1, nextOffset: next, publishedOffset: next, lastTimestampMilliseconds: 0)
            return Standing(
                partition: partition, position: StartPosition(row: row, log: log),
                lastTimestampMilliseconds: row.lastTimestampMilliseconds)
        }
    }

    /// Its gap, if workers halt there.
    ///
    /// - Parameter coveredSince: since when no verdict is missing among those that were read, in
    ///   milliseconds since 1970.
    /// - Returns: the gap; nil where they don't halt.
    func gap(coveredSince: Int64) -> Gap? {
        guard case .unrecoverable(let nextOffset, let low) = position else { return nil }
        return Gap(
            topic: partition.topic, partition: partition.partition, nextOffset: nextOffset,
            low: low, isCovered: coveredSince <= lastTimestampMilliseconds)
    }
}

/// A partition at which workers halt: decisions were lost whose records are gone.
struct Gap: Encodable, Equatable {
    var topic: String
    var partition: Int32
    /// The first offset of which the database knows no decision.
    var nextOffset: Int64
    /// Where the topic begins.
    var low: Int64
    /// Whether all verdicts were read since the last decision that the database knows: else some of
    /// the gap may have been deleted, and sign counts may still be too low.
    var isCovered: Bool

    var topicPartition: TopicPartition { TopicPartition(topic: topic, partition: partition) }
}
