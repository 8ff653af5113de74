internal import AttestTestKit
internal import Wire
internal import Worker

/// What must hold whatever was killed, frozen, cut off or lost.
package enum OracleClause: String, Hashable, Sendable, CaseIterable {
    /// The (key, sign count) pairs accepted in PostgreSQL are those of the distinct valid requests.
    case accepted
    /// Every request has a verdict, every record without a request a dead letter.
    case answered
    /// All verdicts of a request have the same bytes, and PostgreSQL keeps these bytes once.
    case equal
    /// First verdicts on one key's requests come in the order of their offsets.
    case order
    /// No committed offset is ahead of a delivered verdict.
    case ahead
    /// Each key's stored sign count is the highest one accepted.
    case signCounts
    /// Each verdict says what the model says; none is a false replay.
    case outcome
    /// Nothing is answered that nobody asked.
    case unasked
    /// No worker ends unasked.
    case alive
    /// Memory, handles and sessions of a worker stay as they are.
    case leak
}

/// A broken clause.
package struct OracleFinding: Hashable, Sendable, CustomStringConvertible {
    /// Which.
    package let clause: OracleClause
    /// Whose request or key it is about; nil where it is about none alone.
    package let subject: OracleSubject?
    /// What was found instead.
    package let detail: String

    /// A finding from its parts.
    package init(_ clause: OracleClause, _ subject: OracleSubject?, _ detail: String) {
        self.clause = clause
        self.subject = subject
        self.detail = detail
    }

    package var description: String {
        "clause \(clause.rawValue): \(subject.map { "\($0): " } ?? "")\(detail)"
    }
}

/// What a verdict or a dead letter answers.
package enum OracleSubject: Hashable, Sendable, CustomStringConvertible {
    /// The request with this id, wherever and however often it lies on the topic.
    case request(String)
    /// The record at this place, which has no id, or holds no request at all.
    case record(partition: Int32, offset: Int64)
    /// The record at this place, which uses another request's id.
    case conflict(partition: Int32, offset: Int64)
    /// The record at this place, whose verdict was pruned from the inbox.
    case stale(partition: Int32, offset: Int64)

    package var description: String {
        switch self {
        case .request(let id): "request \(id)"
        case .record(let partition, let offset): "partition \(partition), offset \(offset)"
        case .conflict(let partition, let offset):
            "conflict at partition \(partition), offset \(offset)"
        case .stale(let partition, let offset): "stale at partition \(partition), offset \(offset)"
        }
    }

    /// What a record must be answered as.
    init(_ request: PlannedRequest, at place: RecordPlace) {
        if request.expectation == .rejected(Reason.worker(.requestIDConflict).code) {
            self = .conflict(partition: place.partition, offset: place.offset)
        } else if let id = request.requestID {
            self = .request(id)
        } else {
            self = .record(partition: place.partition, offset: place.offset)
        }
    }

    /// What a verdict answers.
    init(_ verdict: ReceivedVerdict) {
        let (partition, offset) = (verdict.source.partition, verdict.source.offset)
        if verdict.reason == Reason.worker(.requestIDConflict).code {
            self = .conflict(partition: partition, offset: offset)
        } else if verdict.reason == Reason.worker(.staleRequest).code {
            self = .stale(partition: partition, offset: offset)
        } else if let id = verdict.requestId {
            self = .request(id)
        } else {
            self = .record(partition: partition, offset: offset)
        }
    }
}
