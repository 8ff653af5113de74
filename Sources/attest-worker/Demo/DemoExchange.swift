import AppAttest
import KafkaTransport
import Worker

/// Sends planned requests as a gateway does, and holds what comes back against the plan.
struct DemoExchange {
    /// Never more records than this are unanswered: with more, a figure for latency would only
    /// tell how long the queue is.
    static let unansweredMax = 256
    /// Never more bytes than this are unanswered: the embedded broker keeps about 5 MiB a
    /// partition, and forgets what is older, answered or not.
    static let unansweredBytesMax = 1_048_576
    /// How long one look for answers lasts.
    private static let look: Duration = .milliseconds(5)
    /// After so long without any answer something hangs.
    static let silenceMax: Duration = .seconds(30)
    /// The lanes join the group first; that takes the embedded broker 3 s.
    static let firstAnswerMax: Duration = .seconds(60)

    private(set) var tally = DemoTally()
    private let topic: String
    private let writer: TopicWriter
    private let verdicts: TopicReader
    private let deadLetters: TopicReader
    private let start: ContinuousClock.Instant
    private let wall: () -> Instant

    /// Connects.
    ///
    /// - Parameters:
    ///   - settings: where the topics are.
    ///   - log: takes the lines of the Kafka client.
    ///   - wall: the wall clock, for the records' timestamps.
    /// - Throws: when a topic can't be reached.
    init(settings: Settings.Kafka, log: Log, wall: @escaping () -> Instant) throws(Fault) {
        let kafka = KafkaSettings(settings)
        let client: KafkaLog = { log.write($0) }
        topic = settings.topics.requests.first ?? ""
        writer = try TopicWriter(settings: kafka, log: client)
        verdicts = try TopicReader(topic: settings.topics.verdicts, settings: kafka, log: client)
        deadLetters = try TopicReader(
            topic: settings.topics.deadLetters, settings: kafka, log: client)
        start = .now
        self.wall = wall
    }

    /// Sends requests and waits for all their answers.
    ///
    /// - Parameters:
    ///   - requests: in this order.
    ///   - silenceMax: how long to wait for an answer when none comes.
    ///   - meanwhile: called at every round; what it throws ends the exchange.
    /// - Throws: `.overdue` when no answer comes for too long.
    mutating func run(
        _ requests: ArraySlice<DemoRequest>, silenceMax: Duration = Self.silenceMax,
        meanwhile: (DemoTally) throws(DemoEnd) -> Void
    ) throws(DemoEnd) {
        var rest = requests
        var lastAnswer = ContinuousClock.now
        while !rest.isEmpty || tally.unansweredCount > 0 {
            try meanwhile(tally)
            let answered = tally.answeredCount
            do throws(Fault) {
                while let request = rest.first, mayBeSent(request) {
                    try send(request)
                    rest.removeFirst()
                }
                try receive()
            } catch {
                throw .fault(error)
            }
            if tally.answeredCount > answered { lastAnswer = .now }
            guard lastAnswer.duration(to: .now) < silenceMax else {
                throw .overdue(
                    "no answer came for \(silenceMax.readable); "
                        + "\(tally.unansweredCount) records wait for one" + undelivered)
            }
        }
    }

    /// The better explanation, if records did not even reach the request topic.
    private var undelivered: String {
        do throws(Fault) {
            try writer.flush(wait: .seconds(1))
            return ""
        } catch {
            return "; \(error)"
        }
    }

    private func mayBeSent(_ request: DemoRequest) -> Bool {
        guard tally.unansweredCount > 0 else { return true }
        return tally.unansweredCount < Self.unansweredMax
            && tally.unansweredBytes + request.byteCount <= Self.unansweredBytesMax
    }

    private mutating func send(_ request: DemoRequest) throws(Fault) {
        let ageMilliseconds = request.age.microseconds / 1000
        tally.sent(request, at: elapsed)
        try writer.write(
            OutgoingRecord(
                topic: topic, key: request.key, value: request.value, headers: request.headers),
            timestampMilliseconds: wall().milliseconds - ageMilliseconds)
    }

    private mutating func receive() throws(Fault) {
        for record in try verdicts.read(recordsMax: Self.unansweredMax, wait: Self.look) {
            tally.receivedVerdict(record, at: elapsed)
        }
        for record in try deadLetters.read(recordsMax: Self.unansweredMax, wait: .zero) {
            tally.receivedDeadLetter(record, at: elapsed)
        }
    }

    private var elapsed: Duration {
        start.duration(to: .now)
    }
}
