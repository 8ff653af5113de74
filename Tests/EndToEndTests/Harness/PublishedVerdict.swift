import FoundationEssentials
import Worker

/// A verdict as its readers see it.
///
/// Read with a decoder of its own, by the names of the schema: a name that changes by accident
/// must not change here as well.
struct PublishedVerdict: Decodable, Hashable {
    /// Where the decided record lies.
    struct Source: Decodable, Hashable {
        var topic: String
        var partition: Int32
        var offset: Int64
    }

    var verdictId: String
    var requestId: String?
    var type: String?
    var outcome: String
    var reason: String?
    var retryable: Bool?
    var keyId: String?
    var appId: String?
    var environment: String?
    var signCount: UInt32?
    var reattested: Bool?
    var subject: String?
    var source: Source

    init(parsing bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    }
}

/// What a test expects of a request.
enum Expectation: Hashable, Sendable, CustomStringConvertible {
    /// Accepted; a registration tells whether the key was known.
    case accepted(reattested: Bool? = nil)
    /// Rejected for this reason.
    case rejected(String)

    /// What a verdict says.
    init(_ verdict: PublishedVerdict) {
        self =
            switch verdict.reason {
            case let reason?: .rejected(reason)
            case nil: .accepted(reattested: verdict.reattested)
            }
    }

    /// Whether this is what was expected; an expectation may leave open whether a key was known.
    func fulfils(_ expected: Expectation) -> Bool {
        self == expected || (expected == .accepted() && isAcceptance)
    }

    private var isAcceptance: Bool {
        if case .accepted = self { true } else { false }
    }

    var description: String {
        switch self {
        case .accepted(nil): "accepted"
        case .accepted(true): "accepted, known before"
        case .accepted(false): "accepted as new"
        case .rejected(let reason): reason
        }
    }
}
