internal import AttestTestKit
internal import LibCrypto
internal import Wire
package import Worker

/// The one judge of every test with load: keeps what was sent and what was answered, and finds what
/// breaks an ``OracleClause``.
///
/// A pure value: whoever looks at the topics tells it what is there. What is read first is told
/// last, or honest answers would look unasked: committed offsets are read, then verdicts and dead
/// letters, then requests; told are requests, dead letters and verdicts, committed offsets.
///
/// It keeps digests, not bytes, so that hours of load fit into memory.
package struct OracleLedger {
    /// What was sent under one subject, and what came of it.
    struct Case {
        var request: PlannedOutcome
        /// Where its records lie on the request topic.
        var places: [RecordPlace] = []
        /// Where its answers lie, the first ``OracleLedger/placesMax`` of them.
        var answers: [RecordPlace] = []
        var answerCount = 0
        /// The digest of the first answer's bytes.
        var digest: Digest32?
        /// Whether the inbox has lost its verdict by retention.
        var isForgotten = false
    }

    /// A planned request without its bytes.
    struct PlannedOutcome {
        var requestID: String?
        var keyID: String
        var acceptedSignCount: UInt32?
        var expectation: Expectation
    }

    /// How many places of answers are kept for the history of a request.
    static let placesMax = 20
    /// How many findings are kept; more tell nothing new.
    static let findingsMax = 100

    /// What is broken, in the order of its finding.
    package private(set) var findings: [OracleFinding] = []
    /// How many records were told of.
    package private(set) var recordCount = 0
    /// How many verdicts were told of, repeats included.
    package private(set) var verdictCount = 0
    /// How many dead letters were told of.
    package private(set) var deadLetterCount = 0
    /// How many verdicts by their reason; accepted ones under "accepted".
    package private(set) var verdictsByReason: [String: Int] = [:]

    private(set) var cases: [OracleSubject: Case] = [:]
    /// Records whose subject has no answer yet.
    private var open: [TopicPartition: [Int64: OracleSubject]] = [:]
    private var plan: [Digest32: PlannedOutcome] = [:]
    private var latestFirst: [KeyInPartition: Int64] = [:]

    private struct KeyInPartition: Hashable {
        var keyID: String
        var partition: Int32
    }

    /// A ledger of nothing.
    package init() {}

    // MARK: - What is told

    /// A request that will be sent, once or more often, with the same bytes.
    package mutating func plan(_ request: PlannedRequest) {
        plan[SHA256.hash(request.record.value ?? [])] = PlannedOutcome(
            requestID: request.requestID, keyID: request.keyID,
            acceptedSignCount: request.acceptedSignCount, expectation: request.expectation)
    }

    /// A record that lies on the request topic.
    package mutating func sent(_ record: Record) {
        recordCount += 1
        let digest = SHA256.hash(record.value ?? [])
        guard let request = plan[digest] else {
            return find(.unasked, nil, "\(record.place) holds a record that nobody planned")
        }
        // Only the first record of a request without an id is it; each copy is a request of its
        // own. A broker that does not know what an idempotent producer has sent makes such copies.
        if request.requestID == nil, request.acceptedSignCount != nil {
            plan[digest]?.acceptedSignCount = nil
            plan[digest]?.expectation = .rejected(Reason.worker(.counterNotIncreasing).code)
        }
        let whole = PlannedRequest(
            requestID: request.requestID, keyID: request.keyID,
            acceptedSignCount: request.acceptedSignCount, expectation: request.expectation,
            record: SentRecord(key: nil, value: nil))
        let subject = OracleSubject(whole, at: record.place)
        cases[subject, default: Case(request: request)].places.append(record.place)
        if cases[subject]?.answerCount == 0 {
            open[record.partition, default: [:]][record.place.offset] = subject
        }
    }

    /// A record that lies on the verdict topic; those of one partition in their order.
    ///
    /// - Throws: when it is no verdict.
    package mutating func published(_ record: Record) throws {
        let value = record.value ?? []
        let verdict = try ReceivedVerdict(parsing: value)
        let subject = OracleSubject(verdict)
        verdictCount += 1
        verdictsByReason[verdict.reason ?? verdict.outcome, default: 0] += 1
        if case .stale(let partition, let offset) = subject {
            guard isForgotten(partition, offset) else {
                return find(.outcome, subject, "the inbox still holds its verdict")
            }
            return
        }
        guard let planned = cases[subject] else {
            return find(.unasked, subject, "\(record.place) answers it: \(verdict)")
        }
        answer(subject, with: SHA256.hash(value), at: record.place)
        if planned.answerCount == 0 { checkFirst(verdict, subject, planned.request) }
    }

    /// A record that lies on the dead-letter topic.
    package mutating func deadLettered(_ record: Record) {
        deadLetterCount += 1
        let headers = Dictionary(
            record.headers.map { ($0.name, String(decoding: $0.value ?? [], as: UTF8.self)) }
        ) { first, _ in first }
        guard let partition = headers["source_partition"].flatMap({ Int32($0) }),
            let offset = headers["source_offset"].flatMap({ Int64($0) })
        else { return find(.unasked, nil, "a dead letter at \(record.place) tells no source") }
        let subject = OracleSubject.record(partition: partition, offset: offset)
        guard let planned = cases[subject] else {
            return find(.unasked, subject, "is a dead letter at \(record.place)")
        }
        answer(subject, with: SHA256.hash(record.value ?? []), at: record.place)
        let found = Expectation.deadLetter(headers["error_code"] ?? "none")
        if found != planned.request.expectation {
            find(.outcome, subject, "shall be \(planned.request.expectation), is \(found)")
        }
    }

    /// What the group has committed; read before the verdicts that were told of last.
    package mutating func committed(_ positions: [TopicPartition: LogPosition]) {
        for (partition, position) in positions {
            guard let committed = position.committed, let waiting = open[partition] else {
                continue
            }
            for (offset, subject) in waiting where offset < committed {
                find(
                    .ahead, subject,
                    "\(partition.topic)[\(partition.partition)] is committed up to \(committed), "
                        + "offset \(offset) has no answer")
            }
        }
    }

    /// The inbox has lost all it held, by retention: what was answered may be stale from now on.
    package mutating func forgetDecided() {
        for subject in cases.keys where cases[subject]?.answerCount != 0 {
            cases[subject]?.isForgotten = true
        }
    }

    /// A worker process that is no longer there.
    ///
    /// - Parameters:
    ///   - worker: its name.
    ///   - end: how it ended.
    ///   - wasAsked: whether a fault or a stop of the test's own ended it.
    ///   - words: what it said last.
    package mutating func ended(
        _ worker: String, with end: ChildProcess.End, wasAsked: Bool, words: String
    ) {
        guard !wasAsked else { return }
        find(.alive, nil, "\(worker) ended with \(end): \(words)")
    }

    /// What somebody else has found.
    package mutating func report(_ finding: OracleFinding) {
        find(finding.clause, finding.subject, finding.detail)
    }

    // MARK: - What is asked

    /// Requests on the topic that have no answer yet.
    package var unanswered: [OracleSubject] {
        Array(Set(open.values.flatMap(\.values)))
    }

    /// How many records have no answer yet.
    package var unansweredRecordCount: Int { open.values.reduce(0) { $0 + $1.count } }

    /// How many distinct requests lie on the topic.
    package var requestCount: Int { cases.count }

    /// Whether this request has an answer.
    package func isAnswered(_ id: String) -> Bool {
        (cases[.request(id)]?.answerCount ?? 0) > 0
    }

    /// Where a request's records and answers lie: a line each.
    package func history(of subject: OracleSubject) -> [String] {
        guard let found = cases[subject] else { return ["\(subject): nothing was sent"] }
        return ["\(subject) of key \(found.request.keyID), shall be \(found.request.expectation)"]
            + found.places.map { "  sent: \($0.topic)[\($0.partition)] offset \($0.offset)" }
            + found.answers.map { "  answered: \($0.topic)[\($0.partition)] offset \($0.offset)" }
            + ["  \(found.answerCount) answers"]
    }

    // MARK: - Parts

    private mutating func answer(
        _ subject: OracleSubject, with digest: Digest32, at place: RecordPlace
    ) {
        guard var found = cases[subject] else { return }
        found.answerCount += 1
        if found.answers.count < Self.placesMax { found.answers.append(place) }
        if let first = found.digest, first != digest {
            find(.equal, subject, "the answer at \(place) differs from the first one")
        }
        found.digest = found.digest ?? digest
        cases[subject] = found
        for place in found.places {
            open[TopicPartition(topic: place.topic, partition: place.partition)]?[place.offset] =
                nil
        }
    }

    private mutating func checkFirst(
        _ verdict: ReceivedVerdict, _ subject: OracleSubject, _ request: PlannedOutcome
    ) {
        if !Expectation(verdict).fulfils(request.expectation)
            || request.acceptedSignCount.map({ $0 != verdict.signCount }) == true
            || (verdict.keyId ?? request.keyID) != request.keyID
        {
            find(.outcome, subject, "shall be \(request.expectation), is \(verdict)")
        }
        guard let keyID = verdict.keyId else { return }
        let key = KeyInPartition(keyID: keyID, partition: verdict.source.partition)
        let offset = verdict.source.offset
        if let latest = latestFirst[key], offset <= latest {
            find(.order, subject, "offset \(offset) was first answered after offset \(latest)")
        }
        latestFirst[key] = max(latestFirst[key] ?? -1, offset)
    }

    private func isForgotten(_ partition: Int32, _ offset: Int64) -> Bool {
        cases.values.contains { found in
            found.isForgotten
                && found.places.contains { $0.partition == partition && $0.offset == offset }
        }
    }

    /// Takes down what is broken.
    mutating func find(_ clause: OracleClause, _ subject: OracleSubject?, _ detail: String) {
        let finding = OracleFinding(clause, subject, detail)
        guard findings.count < Self.findingsMax, !findings.contains(finding) else { return }
        findings.append(finding)
    }
}
