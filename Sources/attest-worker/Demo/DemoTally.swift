import Wire
import Worker

/// Holds answers against the plan: what was sent, what came, and what of it is wrong.
///
/// Each record that is sent must be answered by one record at least. Of the verdicts on one
/// request all must have the same bytes, however many come.
struct DemoTally {
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
    private(set) var scores: [DemoKind: Score] = [:]
    /// The verdicts.
    private(set) var verdicts: [Row: Answers] = [:]
    /// The dead letters, by cause.
    private(set) var deadLetters: [String: Answers] = [:]
    /// What was wrong so far.
    private(set) var failures: [DemoFailure] = []
    /// Each from handing over a record to reading its answer.
    private(set) var latencies: [Duration] = []
    /// Where the last honest request lies that is whole without its headers.
    private(set) var example: DemoVerdict.Source?
    /// How many records were sent.
    private(set) var sentCount = 0
    /// How many of them were answered, rightly or not.
    private(set) var answeredCount = 0
    /// How many bytes of keys and values are not answered yet.
    private(set) var unansweredBytes = 0

    /// Requests by their id; garbage too.
    private var questions: [String: DemoQuestion] = [:]
    /// Records that misuse the id of a request for other content, each to be refused.
    private var misuses: [String: [DemoQuestion]] = [:]

    /// How many records are not answered yet.
    var unansweredCount: Int {
        sentCount - answeredCount
    }

    /// Notes a record before it is sent.
    mutating func sent(_ request: DemoRequest, at time: Duration) {
        sentCount += 1
        unansweredBytes += request.byteCount
        scores[request.kind, default: Score()].sent += 1
        if request.kind == .reusedRequestID {
            var question = DemoQuestion(request)
            question.send(request, at: time)
            misuses[request.id, default: []].append(question)
        } else {
            questions[request.id, default: DemoQuestion(request)].send(request, at: time)
        }
    }

    /// Takes a record of the verdict topic.
    mutating func receivedVerdict(_ record: Record, at time: Duration) {
        guard let verdict = DemoVerdict.decode(record.value) else {
            failures.append(DemoFailure(unexpected: "a verdict record that holds no verdict"))
            return
        }
        guard let id = verdict.requestId, var question = questions[id] else {
            let id = verdict.requestId ?? "no request id"
            failures.append(DemoFailure(unexpected: "a verdict for \(id): \(verdict.summary)"))
            return
        }
        guard verdict.verdictId == question.request.verdictID?.text else {
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
        guard let id = record.text(ofHeader: DemoRequest.correlationHeader),
            var question = questions[id]
        else {
            failures.append(DemoFailure(unexpected: "a dead letter, \(cause)"))
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
    func finalFailures() -> [DemoFailure] {
        let shortcomings = (Array(questions.values) + misuses.values.joined())
            .sorted { $0.request.id < $1.request.id }
            .compactMap { question in
                question.shortcoming.map { DemoFailure(question.request, found: $0) }
            }
        return failures + shortcomings
    }

    /// Takes a verdict that has another id than the request whose id it names.
    private mutating func refusedMisuse(
        of id: String, _ verdict: DemoVerdict, _ record: Record, at time: Duration
    ) {
        let index = misuses[id]?.firstIndex { $0.shortcoming != nil }
        guard let index, var question = misuses[id]?[index] else {
            failures.append(
                DemoFailure(
                    unexpected: "another verdict for \(id): \(verdict.summary)"))
            return
        }
        let fault = question.request.difference(from: verdict, in: record)
        let answered = question.take(record, fault: fault)
        misuses[id]?[index] = question
        count(verdict, record, isRepeat: false)
        settle(answered, of: question.request, at: time)
    }

    private mutating func settle(
        _ answered: DemoQuestion.Answered, of request: DemoRequest, at time: Duration
    ) {
        if let fault = answered.fault {
            failures.append(DemoFailure(request, found: fault))
        }
        guard let record = answered.record else { return }
        answeredCount += 1
        unansweredBytes -= record.byteCount
        latencies.append(time - record.time)
        if answered.fault == nil { scores[record.kind, default: Score()].right += 1 }
    }

    private mutating func count(_ verdict: DemoVerdict, _ record: Record, isRepeat: Bool) {
        let row = Row(
            type: verdict.type ?? "-", outcome: verdict.outcome, reason: verdict.reason ?? "-")
        let example = String(decoding: record.value ?? [], as: UTF8.self)
        verdicts[row, default: Answers(example: example)].add(isRepeat: isRepeat)
    }
}

extension DemoTally.Answers {
    fileprivate mutating func add(isRepeat: Bool) {
        if isRepeat { repeats += 1 } else { requests += 1 }
    }
}
