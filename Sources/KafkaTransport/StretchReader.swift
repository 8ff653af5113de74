internal import CRdkafka
internal import Wire
package import Worker

/// Reads a stretch of each of some partitions, once and to its end: for operators' commands.
///
/// Joins no group and commits nothing. Used by one thread.
package final class StretchReader {
    private let client: KafkaClient
    /// Where reading goes on, and where it ends.
    private var rest: [TopicPartition: Range<Int64>]

    /// How long the broker may send nothing before that is a fault.
    package static let silenceMax: Duration = .seconds(30)

    /// Starts to fetch.
    ///
    /// - Parameters:
    ///   - stretches: the first offset and the one behind the last, by partition; an empty one is
    ///     not read.
    ///   - settings: how to reach the cluster.
    ///   - log: takes librdkafka's lines, on the thread that reads.
    /// - Throws: when the client can't be made.
    package init(
        _ stretches: [TopicPartition: Range<Int64>], settings: KafkaSettings,
        log: @escaping KafkaLog
    ) throws(Fault) {
        try settings.check()
        let configuration = try settings.configuration(for: .reader)
        configuration.enableEvents(RD_KAFKA_EVENT_FETCH | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG)
        client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration: configuration, tokens: settings.tokenSource, log: log)
        rest = stretches.filter { !$0.value.isEmpty }
        guard !rest.isEmpty else { return }
        let list = TopicPartitionList(rest.mapValues(\.lowerBound))
        try client.check(rd_kafka_assign(client.handle, list.pointer), "read topics")
    }

    deinit {
        client.leaveGroup(isIncremental: false)
    }

    /// The next records of the stretches, in order within each partition.
    ///
    /// - Parameter recordsMax: how many at the most.
    /// - Returns: at least one; none once every stretch was read to its end.
    /// - Throws: `.stop(.incompatible)` where records were deleted before they were read, `.retry`
    ///   when the broker sends nothing for ``silenceMax``.
    package func next(recordsMax: Int) throws(Fault) -> [Record] {
        var records: [Record] = []
        var deadline = Deadline(after: StretchReader.silenceMax)
        while !rest.isEmpty, records.count < recordsMax {
            let patience = records.isEmpty ? deadline.remaining : .zero
            guard let event = client.nextEvent(wait: patience) else { break }
            if event.type == RD_KAFKA_EVENT_FETCH {
                for record in event.records() {
                    if try note(record) { records.append(record) }
                }
                deadline = Deadline(after: StretchReader.silenceMax)
            } else if event.type == RD_KAFKA_EVENT_ERROR {
                try note(event)
            }
        }
        guard !records.isEmpty || rest.isEmpty else {
            throw Fault(
                operation: "read topics", code: "not_at_end", disposition: .retry,
                message: "\(rest.count) partitions were not read to their end: no broker sends more"
            )
        }
        return records
    }

    /// Moves past a record.
    ///
    /// - Returns: whether it is part of the stretch.
    private func note(_ record: Record) throws(Fault) -> Bool {
        let offset = record.place.offset
        guard let stretch = rest[record.partition], offset >= stretch.lowerBound else {
            return false
        }
        guard offset + 1 < stretch.upperBound else {
            try finish(record.partition)
            return offset < stretch.upperBound
        }
        rest[record.partition] = offset + 1..<stretch.upperBound
        return true
    }

    /// A partition was read to its end: what it gets from now on is not fetched.
    private func finish(_ partition: TopicPartition) throws(Fault) {
        rest[partition] = nil
        try client.setPaused(true, [partition])
    }

    private func note(_ event: borrowing KafkaEvent) throws(Fault) {
        let code = event.code
        let text = event.text
        // A log may end with records that are no requests: marks of transactions.
        if code == RD_KAFKA_RESP_ERR__PARTITION_EOF {
            if let partition = event.partitionOfError { try finish(partition) }
            return
        }
        let error = client.error("read topics", code, detail: text)
        let isOver =
            error.isFatal || KafkaError.isRefusalOfRights(code)
            || code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET
        guard !isOver else { throw error.fault() }
        client.say(level: KafkaLogLine.warning, error.name, text ?? error.name)
    }
}
