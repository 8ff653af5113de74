package import AppAttest
internal import Wire

/// Judges what was decided before by another policy: what would become of the same requests.
///
/// Pure. It asks the rules that decisions ask, on what is kept of a request: signatures, challenges
/// and sign counts are not judged again, as what they were judged by is not kept.
package struct PolicyTrial: Sendable {
    /// A decision as it is kept, with the rows that it touched.
    package struct Case: Sendable {
        /// The verdict, as the inbox has it.
        package var verdict: [UInt8]
        /// The key's row as it is now; nil if there is none.
        package var key: StoredKey?
        /// When the key was registered; nil if there is none.
        package var registeredAt: Instant?
        /// When the keys of its owner were registered, itself included.
        package var owned: [Instant]

        /// A case from its parts.
        package init(
            verdict: [UInt8], key: StoredKey?, registeredAt: Instant?, owned: [Instant]
        ) {
            self.verdict = verdict
            self.key = key
            self.registeredAt = registeredAt
            self.owned = owned
        }
    }

    /// What would become of a request.
    package enum Outcome: Hashable, Sendable {
        /// The same.
        case same
        /// Accepted then, refused now, for this reason.
        case wouldBeRefused(String)
        /// Accepted then and now, but told that rules which only report would refuse it.
        case wouldBeReported([String])
        /// Refused then for this reason, which the new policy does not give: it may be accepted,
        /// unless something refuses it that is judged later or was not kept.
        case mayBeAccepted(String)
        /// Too little of it is kept, or its key was erased.
        case unknown
    }

    /// What is tried.
    private let policy: Policy
    /// What stands for the present.
    private let now: Instant

    /// A trial of a policy, with the list of revocations that would be in force.
    package init(_ policy: Policy, now: Instant) {
        self.policy = policy
        self.now = now
    }

    /// Which owners must be counted, and how many of their newest keys matter, for cases whose keys
    /// these are.
    package func ownersToCount(_ keys: some Sequence<StoredKey>) -> [KeyOwner: Int] {
        var owners: [KeyOwner: Int] = [:]
        for key in keys {
            guard let subject = key.subject,
                let most = policy.apps[key.appID]?.rules.keysPerSubject.keysMax, most > 0
            else { continue }
            owners[KeyOwner(appID: key.appID, subject: subject)] = KeysPerSubject.keysMaxMax
        }
        return owners
    }

    /// Judges one case.
    package func judge(_ given: Case) -> Outcome {
        guard let facts = AuditFacts(parsing: given.verdict), let outcome = facts.outcome else {
            return .unknown
        }
        let ruling = ruling(on: facts, given)
        switch (outcome, ruling) {
        case (_, nil): return .unknown
        case ("accepted", .refused(let reason)?): return .wouldBeRefused(reason.code)
        case ("accepted", .passed(let reported)?):
            let codes = reported.map(\.code)
            return Set(codes) == Set(facts.wouldReject ?? []) ? .same : .wouldBeReported(codes)
        case (_, .refused?): return .same
        case (_, .passed?):
            guard let reason = facts.reason, Self.isOfPolicy(reason) else { return .same }
            return .mayBeAccepted(reason)
        }
    }

    /// Whether a refusal is one that a policy gives, so that another policy might not.
    private static func isOfPolicy(_ code: String) -> Bool {
        switch Reason.all.first(where: { $0.code == code }) {
        case .verification(let code): code == .environmentMismatch || code == .appIDMismatch
        case .worker(let reason): !reasonsOfRequests.contains(reason)
        case nil: true
        }
    }

    /// What no policy gives: the message, the clock, the key's row.
    private static let reasonsOfRequests: Set<WorkerReason> = [
        .malformedMessage, .unsupportedFormat, .unknownKey, .keyErased, .subjectMismatch,
        .counterNotIncreasing, .counterReplayed, .requestIDConflict, .requestTooOld,
        .requestFromTheFuture,
        .requestTimeUnknown, .unprocessable, .staleRequest,
    ]

    private enum Said {
        case refused(Reason)
        case passed([Reason])
    }

    /// What the policy says; nil where too little is kept to ask it.
    private func ruling(on facts: AuditFacts, _ given: Case) -> Said? {
        guard let appID = facts.appId ?? given.key?.appID else {
            // Refused before its app was proved: what another policy says can't be told, unless no
            // policy has a say.
            guard let reason = facts.reason, !Self.isOfPolicy(reason) else { return nil }
            return .refused(.worker(.unknownKey))
        }
        guard given.key?.status != .erased else { return nil }
        let isRegistration = facts.type == "registration"
        guard let app = policy.apps[appID] else {
            return .refused(
                isRegistration ? .verification(.appIDMismatch) : .worker(.unknownApp))
        }
        guard
            let environment = facts.environment.flatMap(AttestationEnvironment.init(rawValue:))
                ?? given.key?.environment
        else { return nil }
        guard app.relyingParty.environments.contains(environment) else {
            return .refused(.verification(.environmentMismatch))
        }
        guard let keyID = given.key?.keyID else {
            // A registration that was refused left no row, and the trial needs no key of it.
            return isRegistration ? .passed([]) : nil
        }
        let isFirst = isRegistration && facts.reattested != true
        let instant = isFirst ? given.registeredAt ?? now : now
        let object: RuleCase.Object =
            isRegistration
            ? .attestation(
                ProvedAttestation(kept: facts, keyID: keyID, appID: appID, environment: environment)
            ) : .assertion(ProvedAssertion(kept: facts, appID: appID))
        let ruling = Ruling(
            RuleCase(
                object: object, subject: given.key?.subject,
                stored: isFirst ? nil : given.key.map { asThen($0, facts, app) }, app: app,
                revocations: policy.revocations,
                owned: isFirst ? given.owned.filter { $0 < instant } : [], instant: instant,
                now: instant, challenge: .notKept),
            rules: isRegistration ? KeyRule.forAttestations : KeyRule.forAssertions)
        if isFirst, let certificate = given.key?.certificate,
            let reason = policy.revocations.refusal(
                of: nil, certificates: [certificate], appID: appID)
        {
            return .refused(reason)
        }
        return ruling.refusal.map(Said.refused) ?? .passed(ruling.wouldReject)
    }

    /// The row as it was when the request was decided, as far as that matters: in use, and with a
    /// sign count below the object's.
    private func asThen(
        _ key: StoredKey, _ facts: AuditFacts, _ app: AppPolicy
    ) -> StoredKey {
        var key = key
        key.status = .active
        key.window = nil
        guard let count = facts.signCount, count > 0 else { return key }
        // One that came out of order needs a window.
        let needsWindow = facts.outOfOrder == true && app.rules.replayWindow == 0
        key.signCount = needsWindow ? count : min(key.signCount, count - 1)
        return key
    }
}
