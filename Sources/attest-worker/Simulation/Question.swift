import AttestTestKit
import LibCrypto
import Wire
import Worker

/// A planned request on its way: when its records were sent, and what has come back.
struct Question {
    /// The request as it was first sent.
    let request: PlannedRequest
    /// Its records in the order of sending; those beyond the first are repeats.
    private(set) var sent: [(kind: PlannedKind, time: Duration, byteCount: Int)] = []
    /// How many of them are answered.
    private(set) var answeredCount = 0
    /// The first answer's value.
    private var firstAnswer: [UInt8]??
    /// Whether an answer said of itself that it repeats another.
    private var isRepetitionMarked = false

    init(_ request: PlannedRequest) {
        self.request = request
    }

    /// What an answer came to.
    struct Answered {
        /// Which record it answers; nil if all were answered before, which may happen: at least one
        /// answer is promised.
        let record: (kind: PlannedKind, time: Duration, byteCount: Int)?
        /// Whether an answer came before.
        let isRepeat: Bool
        /// What is wrong with it; nil if nothing.
        let fault: String?
    }

    /// Notes that a record of the request is sent.
    mutating func send(_ record: PlannedRequest, at time: Duration) {
        sent.append((record.kind, time, record.byteCount))
    }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - record: as it came.
    ///   - fault: what is wrong with it, if it is the first.
    /// - Returns: what it came to.
    mutating func take(_ record: Record, fault: String?) -> Answered {
        let isMarked = record.text(ofHeader: VerdictMessage.redeliveredHeader) == "1"
        isRepetitionMarked = isRepetitionMarked || isMarked
        let answered: Answered
        let pending = answeredCount < sent.count ? sent[answeredCount] : nil
        if let first = firstAnswer {
            let isEqual = record.value == first
            answered = Answered(
                record: pending, isRepeat: true,
                fault: isEqual ? nil : "an answer with other bytes than the first one")
        } else {
            firstAnswer = record.value
            answered = Answered(record: pending, isRepeat: false, fault: fault)
        }
        if pending != nil { answeredCount += 1 }
        return answered
    }

    /// Whether these bytes came before as its answer.
    func wasAnswered(with value: [UInt8]?) -> Bool {
        firstAnswer.map { $0 == value } ?? false
    }

    /// Whether all its records are answered.
    var isAnswered: Bool {
        answeredCount == sent.count
    }

    /// What is still wrong now that no more answers will come; nil if nothing is.
    var shortcoming: String? {
        if answeredCount < sent.count {
            return answeredCount == 0 ? "no answer" : "\(answeredCount) of \(sent.count) answers"
        }
        guard case .verdict = request.expectation, sent.count > 1, !isRepetitionMarked else {
            return nil
        }
        return "a repeated verdict without the header \(VerdictMessage.redeliveredHeader)"
    }
}

extension PlannedRequest {
    /// The id that its verdict must have, at every emission; nil where no request id is readable.
    var verdictID: VerdictID? {
        guard case .verdict = expectation, let requestID = RequestID(id) else { return nil }
        let place = RecordPlace(topic: "", partition: 0, offset: 0)
        return RequestIdentity(requestID: requestID, place: place, timestampMilliseconds: nil)
            .verdictID
    }

    /// What is wrong with a verdict on it; nil if nothing.
    func difference(from verdict: ReceivedVerdict, in record: Record) -> String? {
        guard case .verdict(let expected) = expectation else {
            return "a verdict, \(verdict.summary)"
        }
        let (outcome, reason): (String, String?) =
            switch expected.outcome {
            case .accepted: ("accepted", nil)
            case .rejected(let reason): ("rejected", reason.code)
            }
        guard verdict.outcome == outcome, verdict.reason == reason else { return verdict.summary }
        let keyText = expected.keyID?.text
        var wrong: [String] = []
        func check(_ name: String, _ isRight: Bool) {
            if !isRight { wrong.append(name) }
        }
        check("type", verdict.type == expected.kind.rawValue)
        check("keyId", verdict.keyId == keyText)
        check("the record's key", record.key == keyText.map { Array($0.utf8) })
        check("the header ce_id", record.text(ofHeader: "ce_id") == verdict.verdictId)
        check("the header traceparent", Self.trace(record.headers) == Self.trace(headers))
        check("reattested", verdict.reattested == expected.reattested)
        check("appId", verdict.appId == expected.appID)
        check("environment", verdict.environment == expected.environment)
        // No planned device is a phone.
        check("simulated", verdict.simulated == (expected.appID == nil ? nil : true))
        if expected.outcome == .accepted {
            check("signCount", verdict.signCount == expected.signCount)
        }
        return wrong.isEmpty
            ? nil : "\(verdict.summary), but wrong: \(wrong.joined(separator: ", "))"
    }

    /// The trace that headers tell of.
    private static func trace(_ headers: [Header]) -> TraceID? {
        RequestTrace(headers: headers, value: nil, limits: MessageLimits())?.context.traceID
    }

    /// What is wrong with a dead letter made of it; nil if nothing.
    func difference(fromDeadLetter record: Record) -> String? {
        let cause = record.text(ofHeader: "error_code") ?? "without error_code"
        guard expectation.description == "dead letter \(cause)" else {
            return "dead letter \(cause)"
        }
        let isWhole =
            record.key == key && record.value == value
            && Array(record.headers.prefix(headers.count)) == headers
        return isWhole ? nil : "a dead letter that is not the record byte for byte"
    }
}

extension ReceivedVerdict {
    /// `accepted`, `rejected unknown_key`.
    var summary: String {
        [outcome, reason].compactMap { $0 }.joined(separator: " ")
    }
}

extension Record {
    /// The first header of a name, as text.
    func text(ofHeader name: String) -> String? {
        headers.first { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
    }
}
