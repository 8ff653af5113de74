internal import CRdkafka
package import Worker

/// Reads a topic or one partition of it, from its beginning or from its present end, without a
/// group: for gateways, the demo, the simulation and tests.
///
/// Used by one thread.
package final class TopicReader {
    private let client: KafkaClient
    private let partitions: [TopicPartition]
    private var unfinished: Set<TopicPartition>

    /// Where reading starts.
    package enum Start: Sendable {
        /// With the oldest record there is.
        case beginning
        /// Behind the newest record there is now.
        case end
    }

    /// How long finding the topic's partitions may take, unless somebody waits less long.
    package static let searchPatience: Duration = .seconds(10)

    /// Assigns all partitions of a topic, or one.
    ///
    /// - Parameters:
    ///   - topic: must exist.
    ///   - partition: the only one to read; nil reads all.
    ///   - start: where reading starts.
    ///   - settings: how to reach the cluster; the group is not joined, and nothing is committed.
    ///   - patience: how long finding the topic's partitions may take.
    ///   - log: takes librdkafka's lines, on the thread that reads.
    ///   - statistics: takes what the client tells of itself, on that thread too, where the
    ///     settings have an interval for it.
    /// - Throws: when the topic or the partition can't be found, or `.retry` when the broker can't
    ///   tell its end.
    package init(
        topic: String, partition: Int32? = nil, from start: Start = .beginning,
        settings: KafkaSettings, patience: Duration = TopicReader.searchPatience,
        log: @escaping KafkaLog, statistics: @escaping KafkaStatisticsTaker = { _ in }
    ) throws(Fault) {
        let configuration = try settings.configuration(for: .reader)
        configuration.enableEvents(
            RD_KAFKA_EVENT_FETCH | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG | RD_KAFKA_EVENT_STATS)
        client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration: configuration, tokens: settings.tokenSource, log: log,
            statistics: statistics)
        let state = try client.topicState(topic, wait: patience)
        guard case .found(let count) = state else {
            throw Fault(
                operation: "read \(topic)", code: "no_topic", disposition: .stop(.incompatible),
                message: "the topic can't be read: \(state)")
        }
        let numbers = 0..<Int32(clamping: count)
        if let partition, !numbers.contains(partition) {
            throw Fault(
                operation: "read \(topic)", code: "no_partition",
                disposition: .stop(.incompatible),
                message: "the topic has \(count) partitions, and none with number \(partition)")
        }
        partitions = numbers.filter { partition == nil || $0 == partition }.map {
            TopicPartition(topic: topic, partition: $0)
        }
        unfinished = Set(partitions)
        let ends: [TopicPartition: Int64] =
            switch start {
            case .beginning: [:]
            // Not RD_KAFKA_OFFSET_END: that is where the end will be when it is first asked for.
            case .end: try client.logEnds(of: partitions, which: Int64(RD_KAFKA_OFFSET_END))
            }
        let list = TopicPartitionList(
            Dictionary(
                partitions.map { ($0, ends[$0] ?? Int64(RD_KAFKA_OFFSET_BEGINNING)) }
            ) { first, _ in first })
        try client.check(rd_kafka_assign(client.handle, list.pointer), "read \(topic)")
    }

    deinit {
        client.leaveGroup(isIncremental: false)
    }

    /// How many partitions are read.
    package var partitionCount: Int { partitions.count }

    /// Whether each partition's end was reached since the last record of it.
    package var isAtEnd: Bool {
        unfinished.isEmpty
    }

    /// Waits for a first record, then takes those that are there already.
    ///
    /// - Parameters:
    ///   - recordsMax: how many at the most.
    ///   - wait: how long to wait for the first one.
    /// - Returns: records, in order within each partition; empty when the time ran out, or when the
    ///   end of the last partition was just reached.
    /// - Throws: when a partition can't be read.
    package func read(recordsMax: Int, wait: Duration) throws(Fault) -> [Record] {
        var records: [Record] = []
        let deadline = Deadline(after: wait)
        while records.count < recordsMax {
            let patience = records.isEmpty ? deadline.remaining : .zero
            guard let event = client.nextEvent(wait: patience) else { break }
            if event.type == RD_KAFKA_EVENT_FETCH {
                let fetched = event.records()
                unfinished.formUnion(fetched.map(\.partition))
                records += fetched
            } else if event.type == RD_KAFKA_EVENT_ERROR {
                try note(event)
                if isAtEnd { break }
            }
        }
        return records
    }

    /// Reads on until each partition's end was reached.
    ///
    /// - Throws: `.retry` when the time is over before.
    package func readToEnd(wait: Duration) throws(Fault) -> [Record] {
        let deadline = Deadline(after: wait)
        var records: [Record] = []
        repeat {
            records += try read(recordsMax: .max, wait: min(deadline.remaining, .milliseconds(100)))
            guard !deadline.isOver else {
                throw Fault(
                    operation: "read to the end", code: "not_at_end", disposition: .retry,
                    message: "\(unfinished.count) partitions were not read to their end in time")
            }
        } while !isAtEnd
        return records
    }

    /// Where the topic's partitions stand, and what the group of the settings has committed.
    ///
    /// - Throws: `.retry` when the broker can't tell now.
    package func positions() throws(Fault) -> [TopicPartition: LogPosition] {
        try client.logPositions(of: partitions)
    }

    private func note(_ event: borrowing KafkaEvent) throws(Fault) {
        let code = event.code
        let text = event.text
        if code == RD_KAFKA_RESP_ERR__PARTITION_EOF {
            if let partition = event.partitionOfError { unfinished.remove(partition) }
            return
        }
        let error = client.error("read a topic", code, detail: text)
        guard !error.isFatal, !KafkaError.isRefusalOfRights(code) else { throw error.fault() }
        client.say(level: KafkaLogLine.warning, error.name, text ?? error.name)
    }
}
