internal import CRdkafka
internal import Worker

extension KafkaClient {
    /// The brokers of the cluster.
    ///
    /// - Throws: `.retry` when none answers in time.
    func brokers(wait: Duration) throws(Fault) -> [BrokerAddress] {
        let metadata = try requestMetadata(topic: nil, wait: wait)
        defer { rd_kafka_metadata_destroy(metadata) }
        let brokers = UnsafeBufferPointer(
            start: metadata.pointee.brokers, count: Int(metadata.pointee.broker_cnt))
        return brokers.map {
            BrokerAddress(id: $0.id, address: "\(String(cString: $0.host)):\($0.port)")
        }
    }

    /// Whether a topic is there, and with how many partitions.
    ///
    /// - Throws: `.retry` when no broker answers in time.
    func topicState(_ topic: String, wait: Duration) throws(Fault) -> TopicState {
        guard let handle = rd_kafka_topic_new(self.handle, topic, nil) else {
            throw error("look at topic \(topic)", rd_kafka_last_error()).fault()
        }
        defer { rd_kafka_topic_destroy(handle) }
        let metadata = try requestMetadata(topic: (topic, handle), wait: wait)
        defer { rd_kafka_metadata_destroy(metadata) }
        let topics = UnsafeBufferPointer(
            start: metadata.pointee.topics, count: Int(metadata.pointee.topic_cnt))
        guard let found = topics.first(where: { String(cString: $0.topic) == topic }) else {
            return .missing
        }
        switch found.err {
        case RD_KAFKA_RESP_ERR_NO_ERROR:
            return .found(partitions: Int(found.partition_cnt))
        case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
            return .missing
        case _ where KafkaError.isRefusalOfRights(found.err):
            return .notPermitted
        default:
            return .failed(code: String(cString: rd_kafka_err2name(found.err)))
        }
    }

    /// The partitions without a leader, of the topics that this client has to do with.
    ///
    /// - Throws: `.retry` when no broker answers in time.
    func leaderlessPartitions(wait: Duration) throws(Fault) -> Set<TopicPartition> {
        let metadata = try requestMetadata(topic: nil, wait: wait)
        defer { rd_kafka_metadata_destroy(metadata) }
        let topics = UnsafeBufferPointer(
            start: metadata.pointee.topics, count: Int(metadata.pointee.topic_cnt))
        var leaderless: Set<TopicPartition> = []
        for topic in topics {
            let name = String(cString: topic.topic)
            let partitions = UnsafeBufferPointer(
                start: topic.partitions, count: Int(topic.partition_cnt))
            for partition in partitions where partition.leader < 0 {
                leaderless.insert(TopicPartition(topic: name, partition: partition.id))
            }
        }
        return leaderless
    }

    /// What the client has told of its connections meanwhile, in place of a fault that says no more
    /// than that nobody answered.
    ///
    /// A login that was refused goes before everything else, then a token that can't be had, then
    /// TLS, then whatever ended a connection.
    func reason(of fault: Fault) -> Fault {
        var told: (error: KafkaError, weight: Int)?
        while let event = nextEvent(wait: .zero) {
            guard event.type == RD_KAFKA_EVENT_ERROR, let text = event.text else { continue }
            let weight = KafkaClient.weight(of: event.code, text)
            guard weight > told?.weight ?? 0 else { continue }
            let detail = KafkaError.explained(event.code, text, isEncrypted: isEncrypted)
            told = (
                KafkaError(operation: fault.operation, code: event.code, detail: detail), weight
            )
        }
        guard let (error, _) = told else { return fault }
        guard KafkaError.isTokenMissing(error.code, error.detail ?? "") else {
            return error.fault()
        }
        return Fault(
            operation: fault.operation, code: error.name, disposition: .retry,
            message: error.detail ?? error.name)
    }

    /// Whether connections to brokers are to be TLS.
    private var isEncrypted: Bool {
        var text = [CChar](repeating: 0, count: KafkaError.textBytesMax)
        var size = text.count
        let found = rd_kafka_conf_get(rd_kafka_conf(handle), "security.protocol", &text, &size)
        return found == RD_KAFKA_CONF_OK && string(fromC: text).lowercased().hasSuffix("ssl")
    }

    /// How much an error tells of why nobody answers; 0 is nothing.
    private static func weight(of code: rd_kafka_resp_err_t, _ text: String) -> Int {
        switch code {
        case _ where KafkaError.isTokenMissing(code, text): 3
        case _ where KafkaError.isRefusalOfRights(code): 4
        case RD_KAFKA_RESP_ERR__SSL: 2
        case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__RESOLVE: 1
        default: 0
        }
    }

    /// The caller frees the answer.
    private func requestMetadata(
        topic: (name: String, handle: OpaquePointer)?, wait: Duration
    ) throws(Fault) -> UnsafePointer<rd_kafka_metadata> {
        let operation = topic.map { "look at topic \($0.name)" } ?? "look at the cluster"
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(
            handle, 0, topic?.handle, &metadata, max(1, wait.millisecondsForC))
        try check(code, operation)
        guard let metadata else {
            throw error(operation, RD_KAFKA_RESP_ERR__TIMED_OUT).fault()
        }
        return metadata
    }
}
