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
        /// The key that the verdict names.
        package var keyID: KeyID?
        /// The key's row as it is now; nil if there is none.
        package var key: StoredKey?
        /// When the key was registered; nil if there is none.
        package var registeredAt: Instant?
        /// When the keys of its owner were registered, itself included.
        package var owned: [Instant]

        /// A case from its parts.
        package init(
            verdict: [UInt8], keyID: KeyID?, key: StoredKey?, registeredAt: Instant?,
            owned: [Instant]
        ) {
            self.verdict = verdict
            self.keyID = keyID
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
        /// Accepted then and now; rules that reported it then no longer do.
        case noLongerReported([String])
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
        switch (outcome, ruling(on: facts, given)) {
        case (_, nil): return .unknown
        case ("accepted", .refused(let reason)?): return .wouldBeRefused(reason.code)
        case ("accepted", .passed(let reported, let app)?):
            return passed(facts, reported.map(\.code), app)
        case (_, .refused?): return .same
        case (_, .passed(_, let app)?): return refusedThen(facts, app)
        }
    }

    /// What becomes of a request that was accepted, and that the rules which can be asked let pass.
    private func passed(
        _ facts: AuditFacts, _ reported: [String], _ app: AppPolicy?
    ) -> Outcome {
        let then = facts.wouldReject ?? []
        var now = reported
        for code in then where !now.contains(code) && TrialLimits.isNeverAsked(code) {
            switch app.flatMap({ TrialLimits.enforcement(of: code, $0, policy) }) {
            // It broke the rule then, and is taken to break it now.
            case .enforce?: return .wouldBeRefused(code)
            case .report?: now.append(code)
            case nil: break
            }
        }
        let new = now.filter { !then.contains($0) }
        guard new.isEmpty else { return .wouldBeReported(new) }
        if let app, TrialLimits.needsReceipt(facts, app) { return .unknown }
        let gone = then.filter { !now.contains($0) }
        return gone.isEmpty ? .same : .noLongerReported(gone)
    }

    /// What becomes of a request that was refused, and that the rules which can be asked let pass.
    private func refusedThen(_ facts: AuditFacts, _ app: AppPolicy?) -> Outcome {
        guard let reason = facts.reason else { return .unknown }
        guard TrialLimits.isOfPolicy(reason) else {
            return app.map { TrialLimits.mayWindowAdmit(reason, $0) } ?? false ? .unknown : .same
        }
        // Without what it was judged by, a rule that is still in force may refuse it again.
        if let app, TrialLimits.enforcement(of: reason, app, policy) == .enforce { return .unknown }
        return .mayBeAccepted(reason)
    }

    private enum Said {
        case refused(Reason)
        case passed([Reason], AppPolicy?)
    }

    /// What the policy says; nil where too little is kept to ask it.
    private func ruling(on facts: AuditFacts, _ given: Case) -> Said? {
        guard let appID = facts.appId ?? given.key?.appID else {
            // Refused before its app was proved: what another policy says can't be told, unless no
            // policy has a say.
            guard let reason = facts.reason, !TrialLimits.isOfPolicy(reason) else { return nil }
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
        guard let keyID = given.key?.keyID ?? given.keyID else { return nil }
        guard isRegistration || given.key != nil else { return nil }
        return ruling(
            on: facts, given, app,
            isRegistration
                ? .attestation(
                    ProvedAttestation(
                        kept: facts, keyID: keyID, appID: appID, environment: environment))
                : .assertion(ProvedAssertion(kept: facts, appID: appID)))
    }

    /// What the rules of an app say.
    private func ruling(
        on facts: AuditFacts, _ given: Case, _ app: AppPolicy, _ object: RuleCase.Object
    ) -> Said {
        let isRegistration = facts.type == "registration"
        let isFirst = isRegistration && !TrialLimits.foundRow(facts)
        // What was refused registered nothing: the key's row, and its owner's, tell of others.
        let isStored = isFirst && facts.outcome == "accepted"
        let instant = isStored ? given.registeredAt ?? now : now
        var asked = app
        if TrialLimits.needsReceipt(facts, app) { asked.rules.receipt = .ifValid }
        var ruled = RuleCase(
            object: object, subject: isFirst && !isStored ? nil : given.key?.subject,
            stored: isFirst ? nil : given.key.map { asThen($0, facts, app) }, app: asked,
            revocations: policy.revocations,
            owned: isStored ? given.owned.filter { $0 < instant } : [], instant: instant,
            // No request is too old or too new for a trial: when it came is not kept.
            now: instant)
        ruled.risk = facts.risk.map {
            RiskStanding(metric: $0.metric, asOf: instant)
        }
        ruled.receipt = TrialLimits.receipt(facts)
        ruled.challenge = .notKept
        let ruling = Ruling(
            ruled, rules: isRegistration ? KeyRule.forAttestations : KeyRule.forAssertions)
        if isFirst, let certificate = given.key?.certificate,
            let reason = policy.revocations.refusal(
                of: nil, certificates: [certificate], appID: ruled.appID)
        {
            return .refused(reason)
        }
        return ruling.refusal.map(Said.refused) ?? .passed(ruling.wouldReject, app)
    }

    /// The row as it was when the request was decided, as far as that matters: in use if the
    /// request was accepted, with a sign count below the object's, and not idle.
    private func asThen(
        _ key: StoredKey, _ facts: AuditFacts, _ app: AppPolicy
    ) -> StoredKey {
        var key = key
        if facts.outcome == "accepted" { key.status = .active }
        key.window = nil
        key.lastUsedOn = nil
        guard let count = facts.signCount, count > 0 else { return key }
        // One that came out of order needs a window.
        let needsWindow = facts.outOfOrder == true && app.rules.replayWindow == 0
        key.signCount = needsWindow ? count : min(key.signCount, count - 1)
        return key
    }
}
