internal import CRdkafka
internal import Wire
internal import Worker

/// Owner of one event taken from a client's queue.
///
/// What it holds is freed with it, so it is copied.
struct KafkaEvent: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes the next event, waiting at most so long.
    init?(from queue: OpaquePointer, wait: Duration) {
        guard let pointer = rd_kafka_queue_poll(queue, wait.millisecondsForC) else { return nil }
        self.pointer = pointer
    }

    deinit {
        rd_kafka_event_destroy(pointer)
    }

    /// The kind of event: `RD_KAFKA_EVENT_…`.
    var type: rd_kafka_event_type_t {
        rd_kafka_event_type(pointer)
    }

    /// The event's error; of a rebalance it is the direction.
    var code: rd_kafka_resp_err_t {
        rd_kafka_event_error(pointer)
    }

    /// The error's text, where there is an error.
    var text: String? {
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR,
            let text = rd_kafka_event_error_string(pointer)
        else { return nil }
        return String(cString: text)
    }

    /// The partitions of a rebalance.
    var partitions: [TopicPartition] {
        entries.map(\.partition)
    }

    /// The partitions of a rebalance or of an answer to a commit, with an error each.
    var entries: [PartitionEntry] {
        guard let list = rd_kafka_event_topic_partition_list(pointer) else { return [] }
        return PartitionEntry.all(in: list)
    }

    /// The one partition that an error is about, if it is about one.
    var partitionOfError: TopicPartition? {
        guard let partition = rd_kafka_event_topic_partition(pointer) else { return nil }
        defer { rd_kafka_topic_partition_destroy(partition) }
        return TopicPartition(
            topic: String(cString: partition.pointee.topic), partition: partition.pointee.partition)
    }

    /// Copies the next fetched record.
    ///
    /// Each message must be taken by this call: it is what moves the position from which
    /// librdkafka goes on after a pause.
    ///
    /// - Parameter topic: the topic of the record before: most likely it is this one's too, and
    ///   then the name is shared. It is set to the record's.
    /// - Returns: the record; nil behind the last.
    func nextRecord(topic: inout String) -> Record? {
        guard let message = rd_kafka_event_message_next(pointer) else { return nil }
        let name = rd_kafka_topic_name(message.pointee.rkt)
        if let name, !isText(name, topic) { topic = String(cString: name) }
        return Record(copying: message, topic: topic)
    }

    /// The fetched records, copied.
    func records() -> [Record] {
        var records: [Record] = []
        var topic = ""
        while let record = nextRecord(topic: &topic) { records.append(record) }
        return records
    }

    /// What became of produced messages: the number each was sent under, and its error.
    func deliveries() -> [(number: UInt64, code: rd_kafka_resp_err_t)] {
        var deliveries: [(number: UInt64, code: rd_kafka_resp_err_t)] = []
        while let message = rd_kafka_event_message_next(pointer) {
            let number = UInt64(UInt(bitPattern: message.pointee._private))
            deliveries.append((number, message.pointee.err))
        }
        return deliveries
    }

    /// The line of a log event.
    var logLine: KafkaLogLine? {
        var facility: UnsafePointer<CChar>?
        var text: UnsafePointer<CChar>?
        var level: Int32 = 0
        guard rd_kafka_event_log(pointer, &facility, &text, &level) == 0, let facility, let text
        else { return nil }
        return KafkaLogLine(
            level: Int(level), facility: String(cString: facility), text: String(cString: text))
    }

    /// The JSON text of a statistics event.
    var statistics: String? {
        rd_kafka_event_stats(pointer).map { String(cString: $0) }
    }

    /// The first resource of an answer to a request for configurations.
    func describedConfiguration() -> Configuration {
        var count = 0
        guard let result = rd_kafka_event_DescribeConfigs_result(pointer),
            let resources = rd_kafka_DescribeConfigs_result_resources(result, &count),
            let resource = UnsafeBufferPointer(start: resources, count: count).first ?? nil
        else { return .notAnswered(code: "incomplete_answer") }
        let code = rd_kafka_ConfigResource_error(resource)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .notAnswered(code: String(cString: rd_kafka_err2name(code)))
        }
        var entryCount = 0
        let entries = rd_kafka_ConfigResource_configs(resource, &entryCount)
        var values: [String: String] = [:]
        for case let entry? in UnsafeBufferPointer(start: entries, count: entryCount) {
            guard let name = rd_kafka_ConfigEntry_name(entry),
                let value = rd_kafka_ConfigEntry_value(entry)
            else { continue }
            values[String(cString: name)] = String(cString: value)
        }
        return .known(values)
    }
}

extension Record {
    /// Copies a message out of librdkafka, whole: key, value and headers, byte for byte.
    fileprivate init(copying message: UnsafePointer<rd_kafka_message_t>, topic: String) {
        let fields = message.pointee
        var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = rd_kafka_message_timestamp(message, &kind)
        self.init(
            place: RecordPlace(
                topic: topic, partition: fields.partition, offset: fields.offset),
            timestampMilliseconds:
                kind == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp < 0 ? nil : timestamp,
            key: bytes(at: fields.key, count: fields.key_len),
            value: bytes(at: fields.payload, count: fields.len),
            headers: copiedHeaders(of: message))
    }
}

/// Whether a C string has exactly these bytes.
private func isText(_ name: UnsafePointer<CChar>, _ text: String) -> Bool {
    var place = 0
    // No text has a zero byte, so this never goes past the end.
    for byte in text.utf8 {
        guard UInt8(bitPattern: name[place]) == byte else { return false }
        place += 1
    }
    return name[place] == 0
}

/// Kafka's null is a null pointer; an empty value is not.
private func bytes(at start: UnsafeRawPointer?, count: Int) -> [UInt8]? {
    start.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }
}

private func copiedHeaders(of message: UnsafePointer<rd_kafka_message_t>) -> [Header] {
    var list: OpaquePointer?
    // The list belongs to the message.
    guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list
    else { return [] }
    var headers: [Header] = []
    var name: UnsafePointer<CChar>?
    var value: UnsafeRawPointer?
    var count = 0
    while rd_kafka_header_get_all(list, headers.count, &name, &value, &count)
        == RD_KAFKA_RESP_ERR_NO_ERROR, let name
    {
        headers.append(Header(name: String(cString: name), value: bytes(at: value, count: count)))
    }
    return headers
}
