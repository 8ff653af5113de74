internal import AppAttest
internal import Wire

/// A genuine object that is held against the rules: what it proves, who sends it, its key's row.
struct RuleCase {
    /// What was proved.
    enum Object {
        /// A key is registered, for the first time or again.
        case attestation(ProvedAttestation)
        /// A key has signed.
        case assertion(ProvedAssertion)
    }

    /// What the request's challenge is worth.
    enum Challenge {
        /// It may be used, and was not yet.
        case fresh
        /// Why it is refused.
        case refused(WorkerReason)
        /// It was judged when the request was decided, and is not kept: of a trial.
        case notKept
    }

    /// The object.
    let object: Object
    /// The owner that the request names.
    let subject: String?
    /// The key's row under lock, with what earlier records of the batch made of it; nil of a key
    /// that is registered for the first time.
    let stored: StoredKey?
    /// What Apple last told of the key's risk; nil if nothing is known.
    var risk: RiskStanding?
    /// The policy for the app that the object proves; nil if the app is no longer configured.
    let app: AppPolicy?
    /// What is revoked beside the database.
    let revocations: RevocationList
    /// When the owner's newest keys were registered, as far as policy counts them.
    let owned: [Instant]
    /// The record's timestamp: the instant at which the object is judged.
    let instant: Instant
    /// The clock when it was judged.
    let now: Instant
    /// What the receipt of an attestation is worth; nil where policy doesn't ask.
    var receipt: Verdict.ReceiptOutcome?
    /// What the challenge is worth; nil where policy doesn't ask.
    var challenge: Challenge?

    /// The app that the object proves.
    var appID: String {
        switch object {
        case .attestation(let attestation): attestation.appID
        case .assertion(let assertion): assertion.appID
        }
    }

    /// What the device signed about the app's code.
    var extensions: SignedExtensions {
        switch object {
        case .attestation(let attestation): attestation.extensions
        case .assertion(let assertion): assertion.extensions
        }
    }
}

/// A rule that a genuine object must keep to be accepted.
///
/// The two lists below are all the rules there are, in the order in which they are asked; the first
/// that refuses gives the reason. A new rule is a constant and a place in a list. Those that an
/// operator can set are in `KeyRule+Policies`.
struct KeyRule: Sendable {
    /// Why the object is refused; nil if this rule lets it pass.
    let refusal: @Sendable (RuleCase) -> Reason?
    /// Whether the rule refuses, or only tells what it would refuse.
    var enforcement: @Sendable (AppPolicy) -> Enforcement = { _ in .enforce }

    /// What attestations are held against.
    static let forAttestations: [KeyRule] = [
        .notListed, .notWithdrawn, .sameApp, .sameEnvironment, .sameAuthority, .sameSubject,
        .requestTime, .freshChallenge, .validReceipt, .reattestation, .keysPerSubject, .platform,
        .validationCategory,
        .bundleVersion, .cdHash, .riskNotTooHigh,
    ]

    /// What assertions are held against.
    static let forAssertions: [KeyRule] = [
        .notListed, .notWithdrawn, .sameApp, .sameSubject, .requestTime, .signCount,
        .freshChallenge,
        .attestationAge, .idleTime, .counterJump, .validationCategory, .bundleVersion, .cdHash,
        .riskNotTooHigh,
    ]
}

extension KeyRule {
    /// Nothing that the list of revocations names.
    static let notListed = KeyRule { given in
        let stored = [given.stored?.certificate].compactMap(\.self)
        return switch given.object {
        case .attestation(let attestation):
            given.revocations.refusal(
                of: attestation.keyID,
                certificates: stored + [attestation.leafSerial].compactMap(\.self),
                appID: given.appID)
        case .assertion:
            given.revocations.refusal(
                of: given.stored?.keyID, certificates: stored, appID: given.appID)
        }
    }

    /// No key that an operator revoked or erased.
    static let notWithdrawn = KeyRule { given in
        switch given.stored?.status {
        case .erased: .worker(.keyErased)
        case .revoked: .worker(.keyRevoked)
        case .active, nil: nil
        }
    }

    /// A key stays with its app.
    static let sameApp = KeyRule { given in
        guard let stored = given.stored, stored.appID != given.appID else { return nil }
        return .verification(.appIDMismatch)
    }

    /// A key stays in its environment.
    static let sameEnvironment = KeyRule { given in
        guard case .attestation(let attestation) = given.object, let stored = given.stored,
            stored.environment != attestation.environment
        else { return nil }
        return .verification(.environmentMismatch)
    }

    /// A key stays with the root that attested it first.
    static let sameAuthority = KeyRule { given in
        guard let stored = given.stored, stored.attestedBy != given.app?.authority else {
            return nil
        }
        return .verification(.chainInvalid)
    }

    /// A key stays with its owner; a request that names none may use it.
    static let sameSubject = KeyRule { given in
        guard let owner = given.stored?.subject, let subject = given.subject,
            // Byte by byte: two spellings of one accent are two owners.
            !owner.utf8.elementsEqual(subject.utf8)
        else { return nil }
        return .worker(.subjectMismatch)
    }

    /// Where policy has workers see to challenges, it is one of theirs, for this, and not used yet.
    static let freshChallenge = KeyRule { given in
        guard given.app?.rules.challenge == .signed else { return nil }
        return switch given.challenge {
        case .fresh, .notKept: nil
        case .refused(let reason): .worker(reason)
        // Nothing judged it: then it proves nothing.
        case nil: .worker(.challengeUnknown)
        }
    }

    /// Where policy requires a receipt, Apple made one, just now, for this key.
    static let validReceipt = KeyRule { given in
        guard given.app?.rules.receipt == .required, case .attestation = given.object else {
            return nil
        }
        return switch given.receipt {
        case .valid: nil
        case .invalid(let reason): .verification(reason)
        // Nothing judged it: then it proves nothing.
        case nil: .verification(.receiptMissing)
        }
    }

    /// A sign count is above every one accepted before, or, where the app has a window, inside of
    /// it and was not accepted before.
    static let signCount = KeyRule { given in
        guard case .assertion(let assertion) = given.object, let stored = given.stored else {
            return nil
        }
        let window = given.app?.rules.replayWindow ?? 0
        guard window > 0 else {
            return assertion.signCount > stored.signCount ? nil : .worker(.counterNotIncreasing)
        }
        return stored.seen.admits(assertion.signCount, within: window)
            ? nil : .worker(.counterReplayed)
    }
}

/// What the rules say of an object.
struct Ruling {
    /// Why it is refused; nil if it is accepted.
    private(set) var refusal: Reason?
    /// Why it would be refused, were the rules in force that only tell; empty where it is refused.
    private(set) var wouldReject: [Reason] = []

    /// Holds an object against rules in their order.
    init(_ given: RuleCase, rules: [KeyRule]) {
        for rule in rules {
            guard let reason = rule.refusal(given) else { continue }
            switch given.app.map(rule.enforcement) ?? .enforce {
            case .report: wouldReject.append(reason)
            case .enforce:
                refusal = reason
                wouldReject = []
                return
            }
        }
    }
}
