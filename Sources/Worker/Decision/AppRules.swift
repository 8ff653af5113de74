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
    /// How many keys an owner may register.
    package var keysPerSubject = KeysPerSubject()

    /// The defaults.
    package init() {}
}

/// How many keys one owner may register within a time.
package struct KeysPerSubject: Hashable, Sendable {
    /// The most keys of one owner that one app may allow, and that are read to count them.
    package static let keysMaxMax = 1000

    /// So many; 0: as many as they like.
    package var keysMax = 0
    /// Within this time before the registration.
    package var within: Duration = .seconds(30 * 86_400)
    /// What becomes of one more.
    package var enforcement = Enforcement.enforce

    /// The defaults: no limit.
    package init() {}
}
