package import AttestTestKit

/// What a test expects of a request.
package enum Expectation: Hashable, Sendable, CustomStringConvertible {
    /// Accepted; a registration tells whether the key was known.
    case accepted(reattested: Bool? = nil)
    /// Rejected for this reason.
    case rejected(String)
    /// No request can be read in it: a dead letter with this code.
    case deadLetter(String)

    /// What a verdict says.
    package init(_ verdict: ReceivedVerdict) {
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
