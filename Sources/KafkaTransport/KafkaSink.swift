internal import CRdkafka
package import Worker

/// The verdict and dead-letter topics, written by an idempotent producer.
///
/// `acks=all`, no time limit on a record, and `murmur2_random`, so that a key's verdicts lie in the
/// partition where clients of other languages look for them. An idempotent producer can get into a
/// state in which it never sends again (librdkafka issue 4438); it is then made anew, and the
/// caller is told to enqueue everything again that was not reported.
///
/// Used by one thread.
package final class KafkaSink: VerdictSink {
    private var settings: KafkaSettings
    private var credentials: ReplaceableCredentials
    private let topics: [String]
    private let log: KafkaLog
    private let observer: KafkaSinkObserver
    /// Nil once closed.
    private var client: KafkaClient?
    /// The ticket of each record on its way, by the number it was sent under.
    ///
    /// Numbers are never used again, so that a late report of an abandoned record can't be taken
    /// for another's.
    private var tickets: [UInt64: Ticket] = [:]
    private var lastNumber: UInt64 = 0
    /// Reports not handed out yet.
    private var ready: [DeliveryReport] = []
    /// Set when the client was made anew; the next call tells.
    private var renewal: Fault?
    private let missingTopicPatience: Duration
    /// Set by the first record whose topic is missing, until one is delivered.
    private var missingTopicDeadline: Deadline?

    /// What the caller knows a record by.
    private struct Ticket {
        let number: UInt64
        /// Whether it goes to a partition that the caller named.
        let isPinned: Bool
    }

    /// How long ``enqueue(_:)`` waits for room in the local queue.
    package static let roomPatience: Duration = .seconds(2)
    /// How long the first look at all topics together may take.
    package static let warmUpPatience: Duration = .seconds(3)

    /// Connects in the background, and asks for the topics' partitions once, so that the first
    /// verdict does not wait for that (librdkafka issue 5032).
    ///
    /// - Parameters:
    ///   - settings: valid ones, or the fault names what is wrong.
    ///   - topics: those that will be written to.
    ///   - credentials: what replaces those in the settings for connections made from then on.
    ///   - missingTopicPatience: for how long records of a topic that is said to be missing may be
    ///     sent again, before they are refused.
    ///   - log: takes librdkafka's lines, on the thread that uses the sink.
    ///   - observer: is told of the client, on that thread too.
    /// - Throws: `.stop(.config)`. That no broker answers is not an error.
    package init(
        settings: KafkaSettings, topics: [String], credentials: Live<SASLCredentials?>? = nil,
        missingTopicPatience: Duration = .seconds(300), log: @escaping KafkaLog,
        observer: KafkaSinkObserver = KafkaSinkObserver()
    ) throws(Fault) {
        try settings.check()
        self.missingTopicPatience = missingTopicPatience
        self.settings = settings
        self.credentials = ReplaceableCredentials(credentials)
        self.topics = topics
        self.log = log
        self.observer = observer
        client = try KafkaSink.connect(settings, topics, log, observer)
    }

    deinit {
        close(wait: .zero)
    }

    private static func connect(
        _ settings: KafkaSettings, _ topics: [String], _ log: @escaping KafkaLog,
        _ observer: KafkaSinkObserver
    ) throws(Fault) -> KafkaClient {
        let configuration = try settings.configuration(for: .sink)
        configuration.enableEvents(
            RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG | RD_KAFKA_EVENT_STATS)
        let client = try KafkaClient(
            RD_KAFKA_PRODUCER, configuration: configuration, tokens: settings.tokenSource,
            log: log, statistics: observer.statistics)
        let deadline = Deadline(after: warmUpPatience)
        for topic in topics where !deadline.isOver {
            do {
                let state = try client.topicState(topic, wait: deadline.remaining)
                guard case .found = state else {
                    client.say(level: KafkaLogLine.warning, "TOPIC", "\(topic): \(state)")
                    continue
                }
            } catch {
                client.say(level: KafkaLogLine.warning, error.code, error.description)
            }
        }
        return client
    }

    private func openClient(_ operation: String) throws(Fault) -> KafkaClient {
        guard let client else {
            throw Fault(
                operation: operation, code: "closed", disposition: .stop(.software),
                message: "the sink was closed before")
        }
        return client
    }

    /// Takes over replaced credentials, also for a client that will be made anew.
    private func adoptCredentials(_ client: KafkaClient) {
        guard let newer = credentials.handOver(to: client) else { return }
        settings.properties["sasl.username"] = newer.username
        settings.properties["sasl.password"] = newer.password
    }

    // MARK: Records

    /// Hands over records in order; all of them or, as far as reports tell, none.
    package func enqueue(_ records: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault) {
        let client = try openClient("enqueue verdicts")
        adoptCredentials(client)
        if let fault = renewal {
            renewal = nil
            // What was delivered before will be enqueued again, and reported then.
            ready = []
            throw fault
        }
        let deadline = Deadline(after: KafkaSink.roomPatience)
        let firstNumber = lastNumber + 1
        var refusals: [DeliveryReport] = []
        for (ticket, record) in records {
            let isPinned = record.partition != nil
            let code = send(record, by: deadline, client: client)
            switch code {
            case RD_KAFKA_RESP_ERR_NO_ERROR:
                tickets[lastNumber] = Ticket(number: ticket, isPinned: isPinned)
            case _ where !KafkaSink.isPassing(code):
                refusals.append(
                    DeliveryReport(ticket: ticket, result: result(of: code, isPinned: isPinned)))
            default:
                // Those before it are on their way all the same; only nobody asks for them now.
                for number in firstNumber...max(firstNumber, lastNumber) {
                    tickets[number] = nil
                }
                throw try faultOfSending(code, client)
            }
        }
        ready += refusals
    }

    /// Sends one record, making room by taking reports.
    private func send(
        _ record: OutgoingRecord, by deadline: Deadline, client: KafkaClient
    ) -> rd_kafka_resp_err_t {
        let record = ProducedRecord(
            topic: record.topic, partition: record.partition, timestampMilliseconds: nil,
            key: record.key, value: record.value, headers: record.headers)
        while true {
            lastNumber += 1
            let code = client.produce(record, number: lastNumber)
            guard code == RD_KAFKA_RESP_ERR__QUEUE_FULL, !deadline.isOver else { return code }
            collect(from: client, wait: min(deadline.remaining, .milliseconds(100)))
        }
    }

    private func faultOfSending(
        _ code: rd_kafka_resp_err_t, _ client: KafkaClient
    ) throws(Fault) -> Fault {
        let error = client.error("enqueue verdicts", code)
        guard error.isFatal else { return error.fault() }
        let fault = try renew(after: error)
        ready = []
        return fault
    }

    // MARK: Reports

    /// Waits for delivery reports, for at most `wait`.
    package func reports(wait: Duration) throws(Fault) -> [DeliveryReport] {
        let client = try openClient("await delivery reports")
        adoptCredentials(client)
        if ready.isEmpty, renewal == nil {
            let deadline = Deadline(after: wait)
            repeat {
                collect(from: client, wait: deadline.remaining)
                if let error = KafkaError(
                    fatalStateOf: client.handle, operation: "await delivery reports")
                {
                    renewal = try renew(after: error)
                }
            } while ready.isEmpty && renewal == nil && !deadline.isOver
        }
        guard ready.isEmpty else {
            defer { ready = [] }
            return ready
        }
        guard let fault = renewal else { return [] }
        renewal = nil
        throw fault
    }

    /// Takes the events that are there, waiting at most so long for the first.
    private func collect(from client: KafkaClient, wait: Duration) {
        var patience = wait
        while let event = client.nextEvent(wait: patience) {
            patience = .zero
            switch event.type {
            case RD_KAFKA_EVENT_DR:
                for (number, code) in event.deliveries() {
                    guard let ticket = tickets.removeValue(forKey: number) else { continue }
                    ready.append(
                        DeliveryReport(
                            ticket: ticket.number,
                            result: result(of: code, isPinned: ticket.isPinned)))
                }
            case RD_KAFKA_EVENT_ERROR:
                let name = String(cString: rd_kafka_err2name(event.code))
                client.say(level: KafkaLogLine.warning, name, event.text ?? name)
                // A fatal state is looked at by the caller.
                return
            default:
                break
            }
        }
    }

    /// What a code means for the record.
    ///
    /// A partition that the caller named and that is not there is no fault of the topic's: such a
    /// record is refused at once, and others keep their patience.
    private func result(
        of code: rd_kafka_resp_err_t, isPinned: Bool
    ) -> DeliveryReport.Result {
        let name = String(cString: rd_kafka_err2name(code))
        switch code {
        case RD_KAFKA_RESP_ERR_NO_ERROR:
            missingTopicDeadline = nil
            return .delivered
        case _ where KafkaSink.isMissingTopic(code) && isPinned:
            return .refused(code: name)
        case _ where KafkaSink.isMissingTopic(code):
            let deadline = missingTopicDeadline ?? Deadline(after: missingTopicPatience)
            missingTopicDeadline = deadline
            return deadline.isOver ? .refused(code: name) : .failed(code: name)
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
            return .forbidden(code: name)
        case _ where KafkaSink.isPassing(code):
            return .failed(code: name)
        default:
            return .refused(code: name)
        }
    }

    /// Whether librdkafka believes that the topic or the partition does not exist.
    ///
    /// A broker that has just come back says so of topics that do exist, and a client that asks it
    /// then believes it until it asks again (librdkafka issues 889 and 3513).
    private static func isMissingTopic(_ code: rd_kafka_resp_err_t) -> Bool {
        switch code {
        case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
            RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
            true
        default:
            false
        }
    }

    /// Whether another try may help, so that the code is no word about the record.
    private static func isPassing(_ code: rd_kafka_resp_err_t) -> Bool {
        switch code {
        case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE,
            RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
            false
        default:
            !isMissingTopic(code)
        }
    }

    // MARK: Renewal and end

    /// Replaces a broken client.
    ///
    /// - Returns: the fault that tells the caller to enqueue again.
    private func renew(after error: KafkaError) throws(Fault) -> Fault {
        client?.abandonProducer()
        client = nil
        tickets = [:]
        client = try KafkaSink.connect(settings, topics, log, observer)
        observer.recreated()
        return Fault(
            operation: error.operation, code: error.name, disposition: .retry,
            message: "the producer broke (\(error.detail ?? "no details")) and was made anew")
    }

    /// Waits for what is on its way, at most so long, and closes.
    ///
    /// Idempotent.
    package func close(wait: Duration) {
        guard let client = client.take() else { return }
        let deadline = Deadline(after: wait)
        while !tickets.isEmpty, !deadline.isOver {
            collect(from: client, wait: deadline.remaining)
        }
        client.abandonProducer()
    }
}

extension KafkaClient {
    /// Drops what is still queued and frees the client.
    ///
    /// What is on the wire may arrive or not.
    func abandonProducer() {
        rd_kafka_purge(handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT)
        // Takes the last lines and reports out of the queue.
        while nextEvent(wait: .zero) != nil {}
        destroy()
    }
}
