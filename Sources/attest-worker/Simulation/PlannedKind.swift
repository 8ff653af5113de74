import AppAttest
import Wire

/// What a simulated request is, seen by the one who sends it.
enum PlannedKind: String, Hashable, Sendable, CaseIterable {
    case registration = "honest registration"
    case assertion = "honest assertion"
    case reattestation = "known key attested again"

    case repeated = "request sent twice"
    case replay = "assertion replayed in a new request"
    case reusedRequestID = "request id reused for other content"

    case forgedSignature = "assertion with a forged signature"
    case wrongPayload = "assertion over another payload"
    case otherAppAssertion = "another app's assertion"
    case otherSubject = "assertion for another owner"
    case unknownKey = "assertion of an unknown key"

    case forgedChain = "attestation under another root"
    case expiredCertificate = "attestation with an expired certificate"
    case wrongChallenge = "attestation for another challenge"
    case otherAppAttestation = "another app's attestation"
    case developmentKey = "attestation of a development build"

    case tooOld = "request from eight days ago"
    case fromTheFuture = "request from tomorrow"
    case otherPlatform = "another platform's format"
    case malformed = "malformed message with a request id"
    case garbage = "garbage without a request"

    /// How often the kind occurs among the requests that are left when each occurred once.
    ///
    /// Two in three are honest, as a table of refusals alone would tell little.
    var weight: Int {
        switch self {
        case .registration: 0
        case .assertion: 54
        case .repeated, .replay: 3
        case .reattestation, .forgedSignature: 2
        case .reusedRequestID, .wrongPayload, .otherAppAssertion, .otherSubject, .unknownKey,
            .forgedChain, .expiredCertificate, .wrongChallenge, .otherAppAttestation,
            .developmentKey, .tooOld, .fromTheFuture, .otherPlatform, .malformed, .garbage:
            1
        }
    }

    /// Why its verdict must refuse it; nil where the verdict must accept it, and for garbage.
    var reason: Reason? {
        switch self {
        case .registration, .assertion, .reattestation, .repeated, .garbage: nil
        case .replay: .worker(.counterNotIncreasing)
        case .reusedRequestID: .worker(.requestIDConflict)
        case .forgedSignature, .wrongPayload: .verification(.signatureInvalid)
        case .otherAppAssertion, .otherAppAttestation: .verification(.appIDMismatch)
        case .otherSubject: .worker(.subjectMismatch)
        case .unknownKey: .worker(.unknownKey)
        case .forgedChain: .verification(.chainInvalid)
        case .expiredCertificate: .verification(.certificateExpired)
        case .wrongChallenge: .verification(.nonceMismatch)
        case .developmentKey: .verification(.environmentMismatch)
        case .tooOld: .worker(.requestTooOld)
        case .fromTheFuture: .worker(.requestFromTheFuture)
        case .otherPlatform: .worker(.unsupportedFormat)
        case .malformed: .worker(.malformedMessage)
        }
    }

    /// Whether its verdict names app and environment: they are proved before the row is asked.
    var isAppProved: Bool {
        switch self {
        case .registration, .assertion, .reattestation, .repeated, .replay, .otherSubject: true
        case .reusedRequestID, .forgedSignature, .wrongPayload, .otherAppAssertion, .unknownKey,
            .forgedChain, .expiredCertificate, .wrongChallenge, .otherAppAttestation,
            .developmentKey, .tooOld, .fromTheFuture, .otherPlatform, .malformed, .garbage:
            false
        }
    }

    /// What must come of it, in words.
    var answer: String {
        if self == .repeated { return "the same bytes again" }
        if self == .garbage { return "a dead letter" }
        return reason.map { "rejected, \($0.code)" } ?? "accepted"
    }

    /// The outcome its verdict must have.
    var outcome: Verdict.Outcome {
        reason.map { .rejected($0) } ?? .accepted
    }
}
