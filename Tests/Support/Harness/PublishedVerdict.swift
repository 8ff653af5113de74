internal import FoundationEssentials
internal import Worker

/// A verdict as its readers see it.
///
/// Read with a decoder of its own, by the names of the schema: a name that changes by accident
/// must not change here as well.
package struct PublishedVerdict: Decodable, Hashable {
    /// Where the decided record lies.
    package struct Source: Decodable, Hashable {
        package var topic: String
        package var partition: Int32
        package var offset: Int64
    }

    package var verdictId: String
    package var requestId: String?
    package var type: String?
    package var outcome: String
    package var reason: String?
    package var retryable: Bool?
    package var keyId: String?
    package var appId: String?
    package var environment: String?
    package var signCount: UInt32?
    package var reattested: Bool?
    package var subject: String?
    package var source: Source

    package init(parsing bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    }
}

/// What a test expects of a request.
package enum Expectation: Hashable, Sendable, CustomStringConvertible {
    /// Accepted; a registration tells whether the key was known.
    case accepted(reattested: Bool? = nil)
    /// Rejected for this reason.
    case rejected(String)
    /// No request can be read in it: a dead letter with this code.
    case deadLetter(String)

    /// What a verdict says.
    package init(_ verdict: PublishedVerdict) {
        self =
            switch verdict.reason {
            case let reason?: .rejected(reason)
            case nil: .accepted(reattested: verdict.reattested)
            }
    }

    /// Whether this is what was expected; an expectation may leave open whether a key was known.
    package func fulfils(_ expected: Expectation) -> Bool {
        self == expected || (expected == .accepted() && isAcceptance)
    }

    /// Whether it is accepted.
    var isAcceptance: Bool {
        if case .accepted = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .accepted(nil): "accepted"
        case .accepted(true): "accepted, known before"
        case .accepted(false): "accepted as new"
        case .rejected(let reason): reason
        case .deadLetter(let code): "dead letter \(code)"
        }
    }
}
