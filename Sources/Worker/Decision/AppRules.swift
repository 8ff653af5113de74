/// What is done with a second attestation of a known key.
package enum Reattestation: String, Hashable, Sendable, CaseIterable {
    /// It refreshes receipt and metadata; the sign count stays.
    case accept
    /// It is accepted, and its verdict tells that it would be `key_already_registered`.
    case report
    /// It is `key_already_registered`.
    case reject
}

/// Whether a rule refuses, or only tells what it would refuse.
package enum Enforcement: String, Hashable, Sendable, CaseIterable {
    /// What breaks the rule is refused.
    case enforce
    /// What breaks the rule is accepted; the verdict names the reason in `wouldReject`, and it is
    /// counted. For a roll-out that locks nobody out.
    case report
}

/// What one app's genuine objects are held against: the policies an operator can set.
///
/// The settings of an app (`SettingsTable.app`) write these fields, and the rules of the decision
/// (`KeyRule`) read them; the values here are the defaults.
package struct AppRules: Hashable, Sendable {
    /// What a second attestation of a known key does.
    package var reattestation = Reattestation.accept

    /// The defaults.
    package init() {}
}
