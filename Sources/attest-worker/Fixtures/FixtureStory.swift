import AppAttest
import Wire

/// The requests of a set of fixtures: one honest device, then one request for each lie.
enum FixtureStory {
    /// What happens, in order.
    ///
    /// Left out is what a list by request id can't tell: two verdicts for one id
    /// (`request_id_conflict`), and records in which no request can be read.
    static let kinds: [PlannedKind] = [
        .registration, .assertion, .assertion, .repeated, .replay, .assertion, .reattestation,
        .forgedSignature, .wrongPayload, .otherAppAssertion, .otherSubject, .unknownKey,
        .forgedChain, .expiredCertificate, .wrongChallenge, .otherAppAttestation,
        .developmentKey, .tooOld, .otherPlatform, .malformed, .assertion,
    ]

    /// The requests with what must come of each.
    ///
    /// - Parameter plan: nothing is registered in it yet.
    /// - Returns: one request for each of ``kinds``.
    static func requests(_ plan: RequestPlan) -> [PlannedRequest] {
        var plan = plan
        return kinds.map { plan.request($0) }
    }
}
