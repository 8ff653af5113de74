internal import AppAttest

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

/// What becomes of the receipt inside an attestation.
package enum ReceiptRule: String, Hashable, Sendable, CaseIterable {
    /// An attestation without a valid one is refused.
    case required
    /// It is judged, and the verdict tells what came of it; nothing is refused for it.
    case ifValid
    /// It is not looked into.
    case ignored
}

/// Whether a value that only newer systems sign must be there.
package enum Presence: String, Hashable, Sendable, CaseIterable {
    /// It must be there, and announced by flag ED, so that it was the device that put it there.
    case required
    /// Where it is there, it is looked at; objects without it pass.
    case ifPresent
    /// It is not looked at.
    case ignored
}

/// What one app's genuine objects are held against: the policies an operator can set.
///
/// The settings of an app (`SettingsTable.app`) write these fields, and the rules of the decision
/// (`KeyRule`) read them; the values here are the defaults.
package struct AppRules: Hashable, Sendable {
    /// What a second attestation of a known key does.
    package var reattestation = Reattestation.accept
    /// What becomes of the receipt inside an attestation.
    package var receipt = ReceiptRule.ifValid
    /// How long before its request's record a receipt may have been created.
    package var receiptMaxAge = ReceiptVerifier.appleMaxAge
    /// Who sees to it that a challenge is fresh.
    package var challenge = ChallengeRule.external
    /// How many keys an owner may register.
    package var keysPerSubject = KeysPerSubject()
    /// How the app's code may be signed and distributed.
    package var validationCategories = SignedValues<ValidationCategory>()
    /// Which builds of the app are taken.
    package var bundleVersions = BundleVersions()
    /// Which code directory hashes are taken.
    package var cdHashes = SignedValues<CodeDirectoryHash>()
    /// On which systems the app exists.
    package var platforms = Platforms()
    /// How far below the highest sign count one is still accepted that was not before; 0 is never.
    package var replayWindow = 0
    /// How far above the highest sign count the next one may be.
    package var counterJump = CounterJump()
    /// How old, and how far ahead, a request of this app may be.
    package var requestTime = RequestTime()
    /// How many days may lie between a key's last attestation and its use.
    package var attestationAge = KeyAge()
    /// How many days a key may go unused.
    package var idleTime = KeyAge()
    /// The highest risk metric that is taken; nil: any.
    ///
    /// A key whose metric is unknown passes.
    package var riskMetricMax: Int?
    /// What is done with a higher one.
    package var riskMetric = Enforcement.report

    /// The defaults.
    package init() {}
}

extension AppRules {
    /// A policy about a value that OS 27 signs.
    package struct SignedValues<Value: Hashable & Sendable>: Hashable, Sendable {
        /// The values that are taken; with none, all are.
        package var allow: [Value] = []
        /// Whether the value must be there.
        package var presence = Presence.ifPresent
        /// Whether the policy refuses.
        package var mode = Enforcement.enforce
    }

    /// A policy about CFBundleVersion.
    package struct BundleVersions: Hashable, Sendable {
        /// The versions that are taken, as they are written; with none, all are.
        package var allow: [String] = []
        /// The least version that is taken.
        package var minimum: BundleVersion?
        /// Whether the version must be there.
        package var presence = Presence.ifPresent
        /// Whether the policy refuses.
        package var mode = Enforcement.enforce
    }

    /// A policy about the system in the credential certificate.
    package struct Platforms: Hashable, Sendable {
        /// The systems on which the app exists.
        package var allow = Set(Platform.allCases)
        /// Whether the policy refuses.
        package var mode = Enforcement.enforce
    }

    /// A policy about a request's timestamp, within the worker's own bounds.
    package struct RequestTime: Hashable, Sendable {
        /// How far behind the clock it may lie; nil leaves it to the worker's bound.
        package var maxAge: Duration?
        /// How far ahead of the clock it may lie; nil leaves it to the worker's bound.
        package var maxSkew: Duration?
        /// Whether the policy refuses.
        package var mode = Enforcement.enforce
    }

    /// A policy about the distance between a sign count and the highest one before it.
    package struct CounterJump: Hashable, Sendable {
        /// The greatest distance; nil is no bound.
        package var max: Int?
        /// Whether the policy refuses.
        ///
        /// A device that has jumped does not come back: to refuse locks its key out.
        package var mode = Enforcement.report
    }

    /// A policy about a number of days since something happened to a key.
    package struct KeyAge: Hashable, Sendable {
        /// The most days; nil is no bound.
        package var maxDays: Int?
        /// Whether the policy refuses.
        package var mode = Enforcement.enforce
    }
}
