internal import CRdkafka
internal import Worker

/// Owner of a librdkafka client and of the one queue that all its events come through.
///
/// Used by one thread at a time. librdkafka's own threads never call into Swift: logs, errors,
/// rebalances, fetched records and delivery reports all arrive as events.
final class KafkaClient {
    /// `rd_kafka_t`, valid until ``destroy()``.
    let handle: OpaquePointer
    /// `rd_kafka_queue_t`, valid until ``destroy()``.
    let queue: OpaquePointer
    private let log: KafkaLog
    private let statistics: KafkaStatisticsTaker
    private var isDestroyed = false
    /// `rd_kafka_queue_t` for the answers to commits, valid until ``destroy()``.
    let commitAnswers: OpaquePointer
    /// Whether a commit is on its way whose answer was not taken.
    var isCommitUnanswered = false
    private var refresher: TokenRefresher?

    /// Creates a client.
    ///
    /// It connects in the background.
    ///
    /// - Parameters:
    ///   - type: consumer or producer.
    ///   - configuration: how it is configured.
    ///   - tokens: where tokens for SASL OAUTHBEARER come from, if that is how it logs in.
    ///   - log: takes librdkafka's lines.
    ///   - statistics: takes what librdkafka tells of itself.
    /// - Throws: `.stop(.config)` when librdkafka refuses the configuration as a whole.
    init(
        _ type: rd_kafka_type_t, configuration: consuming ClientConfiguration,
        tokens: OAuthTokenSource?, log: @escaping KafkaLog,
        statistics: @escaping KafkaStatisticsTaker = { _ in }
    ) throws(Fault) {
        let raw = configuration.release()
        var text = [CChar](repeating: 0, count: KafkaError.textBytesMax)
        guard let handle = rd_kafka_new(type, raw, &text, text.count) else {
            // Only a client that was created has taken the configuration over.
            rd_kafka_conf_destroy(raw)
            throw Fault(
                operation: "create the Kafka client", code: "invalid_configuration",
                disposition: .stop(.config), message: string(fromC: text))
        }
        if type == RD_KAFKA_CONSUMER {
            // From here on the main queue leads into the consumer's.
            rd_kafka_poll_set_consumer(handle)
        }
        let isConsumer = type == RD_KAFKA_CONSUMER
        let queue =
            isConsumer ? rd_kafka_queue_get_consumer(handle) : rd_kafka_queue_get_main(handle)
        guard let queue, let commitAnswers = rd_kafka_queue_new(handle) else {
            rd_kafka_destroy(handle)
            throw Fault(
                operation: "create the Kafka client", code: "no_queue",
                disposition: .stop(.config), message: "a consumer needs a group id")
        }
        rd_kafka_set_log_queue(handle, queue)
        self.handle = handle
        self.commitAnswers = commitAnswers
        self.queue = queue
        self.log = log
        self.statistics = statistics
        guard let tokens else { return }
        guard let refresher = TokenRefresher.start(of: handle, source: tokens) else {
            throw Fault(
                operation: "create the Kafka client", code: "no_token_thread",
                disposition: .stop(.software), message: "no thread that renews tokens can be had")
        }
        self.refresher = refresher
    }

    deinit {
        destroy()
    }

    /// Frees the client before the last reference is gone.
    ///
    /// Idempotent.
    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        refresher?.stop()
        // The queues' references must go before the client, or destroying it waits for ever.
        rd_kafka_queue_destroy(queue)
        rd_kafka_queue_destroy(commitAnswers)
        rd_kafka_destroy(handle)
    }

    /// The next event that is no log line and no statistics, waiting at most so long.
    func nextEvent(wait: Duration) -> KafkaEvent? {
        // Most events are taken without waiting, one a record: no clock is read for those.
        let deadline = wait > .zero ? Deadline(after: wait) : nil
        while let event = KafkaEvent(from: queue, wait: deadline?.remaining ?? .zero) {
            let type = event.type
            if type == RD_KAFKA_EVENT_LOG {
                if let line = event.logLine { log(line) }
            } else if type == RD_KAFKA_EVENT_STATS {
                take(event)
            } else {
                return event
            }
        }
        return nil
    }

    /// Hands on what the client tells of itself.
    private func take(_ event: borrowing KafkaEvent) {
        guard let json = event.statistics else { return }
        guard let read = ClientStatistics(json: json) else {
            say(level: KafkaLogLine.warning, "STATS", "the client's statistics can't be read")
            return
        }
        statistics(read)
    }

    /// Passes on a line of our own.
    func say(level: Int, _ facility: String, _ text: String) {
        log(KafkaLogLine(level: level, facility: facility, text: text))
    }

    /// The error of a call on this client; a fatal state of the client goes first.
    func error(
        _ operation: String, _ code: rd_kafka_resp_err_t, detail: String? = nil
    ) -> KafkaError {
        KafkaError(operation: operation, code: code, client: handle, detail: detail)
    }

    /// Throws if a call's answer was an error.
    func check(_ code: rd_kafka_resp_err_t, _ operation: String) throws(Fault) {
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        throw error(operation, code).fault()
    }

    /// Throws if a call left an error on one of the partitions.
    func check(_ list: borrowing TopicPartitionList, _ operation: String) throws(Fault) {
        try check(list.entries, operation)
    }

    /// Throws if one of the partitions carries an error.
    func check(_ entries: [PartitionEntry], _ operation: String) throws(Fault) {
        guard let entry = entries.first(where: { $0.code != RD_KAFKA_RESP_ERR_NO_ERROR }) else {
            return
        }
        let sentence = String(cString: rd_kafka_err2str(entry.code))
        let place = "\(entry.partition.topic) [\(entry.partition.partition)]"
        throw error(operation, entry.code, detail: "\(sentence) (\(place))").fault()
    }
}
