import AppAttest
import KafkaTransport
import Worker

/// Sends planned requests as a gateway does, and holds what comes back against the plan.
struct Exchange {
    /// How much may be under way at once.
    struct Limits {
        /// Never more records than this are unanswered.
        let unansweredMax: Int
        /// Never more bytes than this are unanswered: an embedded broker keeps about 5 MiB a
        /// partition, and forgets what is older, answered or not.
        let unansweredBytesMax: Int
        /// After so long without any answer something hangs.
        var silenceMax: Duration = .seconds(30)
    }

    /// How long one look for answers lasts.
    private static let look: Duration = .milliseconds(5)

    private(set) var tally: Tally
    private let limits: Limits
    private let topic: String
    private let writer: TopicWriter
    private let verdicts: TopicReader
    private let deadLetters: TopicReader?
    private let start: ContinuousClock.Instant
    private let wall: () -> Instant
    /// A request that the schedule has handed out and the limits hold back.
    private var next: PlannedRequest?

    /// What an exchange is made of.
    struct Ends {
        /// Where requests go.
        let topic: String
        /// Takes the requests.
        let writer: TopicWriter
        /// The verdict topic.
        let verdicts: TopicReader
        /// The dead letter topic; nil where no garbage is sent.
        let deadLetters: TopicReader?
    }

    /// An exchange in which nothing was sent yet.
    ///
    /// - Parameters:
    ///   - ends: where it writes to and reads from.
    ///   - tally: counts what is sent and what comes.
    ///   - limits: how much may be under way.
    ///   - wall: the wall clock, for the records' timestamps.
    init(_ ends: Ends, tally: Tally, limits: Limits, wall: @escaping () -> Instant) {
        topic = ends.topic
        writer = ends.writer
        verdicts = ends.verdicts
        deadLetters = ends.deadLetters
        self.tally = tally
        self.limits = limits
        start = .now
        self.wall = wall
    }

    /// Sends requests and waits for all their answers.
    ///
    /// - Parameters:
    ///   - schedule: tells what to send and when.
    ///   - silenceMax: how long to wait for an answer when none comes; nil: as the limits say.
    ///   - meanwhile: called at every round; what it throws ends the exchange.
    /// - Throws: `.overdue` when no answer comes for too long.
    mutating func run(
        _ schedule: inout some Schedule, silenceMax: Duration? = nil,
        meanwhile: (Tally) throws(SimulationEnd) -> Void
    ) throws(SimulationEnd) {
        let silenceMax = silenceMax ?? limits.silenceMax
        // Silence counts while somebody waits for an answer only.
        var lastAnswer = ContinuousClock.now
        var isDone = false
        while !isDone || tally.unansweredCount > 0 {
            try meanwhile(tally)
            let answered = tally.answeredCount
            if tally.unansweredCount == 0 { lastAnswer = .now }
            do throws(Fault) {
                isDone = try send(&schedule)
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

    /// Sends what is due, as far as the limits allow.
    ///
    /// - Returns: whether nothing is left to send.
    private mutating func send(_ schedule: inout some Schedule) throws(Fault) -> Bool {
        while true {
            if next == nil {
                switch schedule.next(at: .now) {
                case .done: return true
                case .later: return false
                case .send(let request): next = request
                }
            }
            guard let request = next, mayBeSent(request) else { return false }
            try send(request)
            next = nil
        }
    }

    private func mayBeSent(_ request: PlannedRequest) -> Bool {
        guard tally.unansweredCount > 0 else { return true }
        return tally.unansweredCount < limits.unansweredMax
            && tally.unansweredBytes + request.byteCount <= limits.unansweredBytesMax
    }

    private mutating func send(_ request: PlannedRequest) throws(Fault) {
        let ageMilliseconds = request.age.microseconds / 1000
        tally.sent(request, at: elapsed)
        try writer.write(
            OutgoingRecord(
                topic: topic, key: request.key, value: request.value, headers: request.headers),
            timestampMilliseconds: wall().milliseconds - ageMilliseconds)
    }

    private mutating func receive() throws(Fault) {
        for record in try verdicts.read(recordsMax: Self.recordsMax, wait: Self.look) {
            tally.receivedVerdict(record, at: elapsed)
        }
        guard let deadLetters else { return }
        for record in try deadLetters.read(recordsMax: Self.recordsMax, wait: .zero) {
            tally.receivedDeadLetter(record, at: elapsed)
        }
    }

    /// As many records are read at once, so that sending goes on while very many come.
    private static let recordsMax = 1_000

    private var elapsed: Duration {
        start.duration(to: .now)
    }
}
