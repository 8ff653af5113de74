import AttestTestKit
import Wire
import Worker

/// Holds answers against the plan: what was sent, what came, and what of it is wrong.
///
/// Each record that is sent must be answered by one record at least. Of the verdicts on one
/// request all must have the same bytes, however many come.
struct Tally {
    /// How many records of a kind were sent, and how many of them got the right answer.
    struct Score: Hashable, Sendable {
        var sent = 0
        var right = 0
    }

    /// Answers that are counted together.
    struct Answers: Hashable, Sendable {
        /// The first one, as text.
        let example: String
        /// How many requests they answer.
        var requests = 0
        /// How many more records they are, each equal to an earlier one.
        var repeats = 0
    }

    /// What verdicts are counted by.
    struct Row: Hashable, Comparable, Sendable {
        let type: String
        let outcome: String
        let reason: String

        static func < (left: Row, right: Row) -> Bool {
            (left.type, left.outcome, left.reason) < (right.type, right.outcome, right.reason)
        }
    }

    /// What each kind came to.
    private(set) var scores: [PlannedKind: Score] = [:]
    /// The verdicts.
    private(set) var verdicts: [Row: Answers] = [:]
    /// The dead letters, by cause.
    private(set) var deadLetters: [String: Answers] = [:]
    /// What was wrong so far, up to ``failuresListedMax``.
    private(set) var failures: [WrongAnswer] = []
    /// How many more things were wrong than are listed.
    private(set) var unlistedFailureCount = 0
    /// Each from handing over a record to reading its answer.
    private(set) var latencies = LatencySample()
    /// Where the last honest request lies that is whole without its headers.
    private(set) var example: ReceivedVerdict.Source?
    /// How many records were sent.
    private(set) var sentCount = 0
    /// How many of them were answered, rightly or not.
    private(set) var answeredCount = 0
    /// How many bytes of keys and values are not answered yet.
    private(set) var unansweredBytes = 0

    /// What the ids of the requests begin with; nil if nobody else's answers are on the topic.
    private let idPrefix: String?
    /// Answered requests that are remembered, so that their repeats can be compared.
    private var remembered: Remembered
    /// Requests by their id; garbage too.
    private var questions: [String: Question] = [:]
    /// Records that misuse the id of a request for other content, each to be refused.
    private var misuses: [String: [Question]] = [:]

    /// More wrong answers are only counted.
    static let failuresListedMax = 1_000

    /// Nothing was sent yet.
    ///
    /// - Parameters:
    ///   - idPrefix: what the ids of all requests begin with, where verdicts of others are on the
    ///     topic as well; those are passed over.
    ///   - rememberedMax: about how many answered requests are remembered.
    init(idPrefix: String? = nil, rememberedMax: Int = .max) {
        self.idPrefix = idPrefix
        remembered = Remembered(max: rememberedMax)
    }

    /// How many records are not answered yet.
    var unansweredCount: Int {
        sentCount - answeredCount
    }

    /// Notes a record before it is sent.
    mutating func sent(_ request: PlannedRequest, at time: Duration) {
        sentCount += 1
        unansweredBytes += request.byteCount
        scores[request.kind, default: Score()].sent += 1
        if request.kind == .reusedRequestID {
            var question = Question(request)
            question.send(request, at: time)
            misuses[request.id, default: []].append(question)
        } else {
            questions[request.id, default: Question(request)].send(request, at: time)
        }
    }

    /// Takes a record of the verdict topic.
    mutating func receivedVerdict(_ record: Record, at time: Duration) {
        guard let verdict = try? ReceivedVerdict(parsing: record.value ?? []) else {
            // On a topic that others use, nobody can tell whose it is.
            guard idPrefix == nil else { return }
            note(WrongAnswer(unexpected: "a verdict record that holds no verdict"))
            return
        }
        if let idPrefix, verdict.requestId?.hasPrefix(idPrefix) != true { return }
        guard let id = verdict.requestId, questions[id] != nil || misuses[id] != nil else {
            // A late repeat of a request that was answered and forgotten.
            guard remembered.forgottenCount == 0 else { return }
            let id = verdict.requestId ?? "no request id"
            note(WrongAnswer(unexpected: "a verdict for \(id): \(verdict.summary)"))
            return
        }
        guard var question = questions[id], verdict.verdictId == question.request.verdictID?.text
        else {
            refusedMisuse(of: id, verdict, record, at: time)
            return
        }
        let fault = question.request.difference(from: verdict, in: record)
        let answered = question.take(record, fault: fault)
        questions[id] = question
        count(verdict, record, isRepeat: answered.isRepeat)
        settle(answered, of: question.request, at: time)
        if question.request.headers.isEmpty, verdict.reason == nil { example = verdict.source }
    }

    /// Takes a record of the dead letter topic.
    mutating func receivedDeadLetter(_ record: Record, at time: Duration) {
        let cause = record.text(ofHeader: "error_code") ?? "without error_code"
        guard let id = record.text(ofHeader: PlannedRequest.correlationHeader),
            var question = questions[id]
        else {
            note(WrongAnswer(unexpected: "a dead letter, \(cause)"))
            return
        }
        let fault = question.request.difference(fromDeadLetter: record)
        let answered = question.take(record, fault: fault)
        questions[id] = question
        let example = record.headers.filter { DeadLetter.headerNames.contains($0.name) }
            .map { "\($0.name)=\(String(decoding: $0.value ?? [], as: UTF8.self))" }
            .joined(separator: " ")
        deadLetters[cause, default: Answers(example: example)].add(isRepeat: answered.isRepeat)
        settle(answered, of: question.request, at: time)
    }

    /// All that was wrong, now that no more answers will come.
    func finalFailures() -> [WrongAnswer] {
        let shortcomings = (Array(questions.values) + misuses.values.joined())
            .sorted { $0.request.id < $1.request.id }
            .compactMap { question in
                question.shortcoming.map { WrongAnswer(question.request, found: $0) }
            }
        return failures + shortcomings
    }

    /// Takes a verdict that has another id than the request whose id it names.
    private mutating func refusedMisuse(
        of id: String, _ verdict: ReceivedVerdict, _ record: Record, at time: Duration
    ) {
        let index =
            misuses[id]?.firstIndex { $0.wasAnswered(with: record.value) }
            ?? misuses[id]?.firstIndex { !$0.isAnswered }
        guard let index, var question = misuses[id]?[index] else {
            note(WrongAnswer(unexpected: "another verdict for \(id): \(verdict.summary)"))
            return
        }
        let fault = question.request.difference(from: verdict, in: record)
        let answered = question.take(record, fault: fault)
        misuses[id]?[index] = question
        count(verdict, record, isRepeat: answered.isRepeat)
        settle(answered, of: question.request, at: time)
    }

    private mutating func settle(
        _ answered: Question.Answered, of request: PlannedRequest, at time: Duration
    ) {
        if let fault = answered.fault {
            note(WrongAnswer(request, found: fault))
        }
        guard let record = answered.record else { return }
        answeredCount += 1
        unansweredBytes -= record.byteCount
        latencies.add(time - record.time)
        if answered.fault == nil { scores[record.kind, default: Score()].right += 1 }
        for id in remembered.add(request.id) { forget(id) }
    }

    /// Forgets a request, unless records of it still wait for an answer.
    private mutating func forget(_ id: String) {
        let all = [questions[id]].compactMap { $0 } + misuses[id, default: []]
        guard all.allSatisfy(\.isAnswered) else { return }
        questions[id] = nil
        misuses[id] = nil
    }

    private mutating func note(_ failure: WrongAnswer) {
        guard failures.count < Self.failuresListedMax else {
            unlistedFailureCount += 1
            return
        }
        failures.append(failure)
    }

    private mutating func count(_ verdict: ReceivedVerdict, _ record: Record, isRepeat: Bool) {
        let row = Row(
            type: verdict.type ?? "-", outcome: verdict.outcome, reason: verdict.reason ?? "-")
        let example = String(decoding: record.value ?? [], as: UTF8.self)
        verdicts[row, default: Answers(example: example)].add(isRepeat: isRepeat)
    }
}

extension Tally.Answers {
    fileprivate mutating func add(isRepeat: Bool) {
        if isRepeat { repeats += 1 } else { requests += 1 }
    }
}
