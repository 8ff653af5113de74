import AppAttest
import Wire
import Worker

/// A record to be sent, and what must come of it: planned before it is sent.
struct PlannedRequest: Hashable, Sendable {
    /// What ties answers to it: the request id, or for garbage the header that has it.
    let id: String
    /// What it is.
    var kind: PlannedKind
    /// The record's key.
    let key: [UInt8]?
    /// The record's value.
    let value: [UInt8]?
    /// The record's headers.
    let headers: [Header]
    /// How far behind the moment of sending its timestamp lies; ahead of it if negative.
    let age: Duration
    /// What must come of it.
    let expectation: Expectation

    /// The header by which a dead letter is known again; it travels along untouched.
    static let correlationHeader = "x-request-id"

    /// Bytes of key and value.
    var byteCount: Int {
        (key?.count ?? 0) + (value?.count ?? 0)
    }
}

/// What must come of a request.
enum Expectation: Hashable, Sendable {
    /// A verdict.
    case verdict(ExpectedVerdict)
    /// A dead letter with this cause, and the record in it byte for byte.
    case deadLetter(UnreadableRecord)
}

/// A verdict as it must be.
struct ExpectedVerdict: Hashable, Sendable {
    /// Registration or assertion.
    var kind: RequestKind
    /// Accepted, or rejected with which reason.
    var outcome: Verdict.Outcome
    /// The key it must name; nil for none.
    var keyID: KeyID?
    /// The app it must name, and then `production` as its environment and that it is simulated; nil
    /// where it must name none.
    var appID: String?
    /// The sign count it must tell, where it is accepted.
    var signCount: UInt32?
    /// Whether it must tell of a key that was known before; nil where it must tell neither.
    var reattested: Bool?
}

extension ExpectedVerdict {
    /// The environment it must name: that of all planned devices, once it is proved.
    var environment: String? {
        appID.map { _ in AttestationEnvironment.production.rawValue }
    }
}

extension Expectation: CustomStringConvertible {
    /// `accepted`, `rejected unknown_key`, `dead letter empty_value`.
    var description: String {
        switch self {
        case .verdict(let verdict):
            switch verdict.outcome {
            case .accepted: "accepted"
            case .rejected(let reason): "rejected \(reason.code)"
            }
        case .deadLetter(let cause): "dead letter \(cause.rawValue)"
        }
    }
}
