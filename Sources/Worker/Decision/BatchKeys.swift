internal import AppAttest
internal import LibCrypto
internal import Wire

/// The keys of a batch while it is decided: as they were read under lock, with what each record
/// makes of them.
///
/// Per key, in offset order, "accept iff the sign count is above the stored one and above every one
/// accepted earlier in the batch" is a running maximum, and with a replay window a running set; so
/// a batch with one key fifty times writes one row for it.
struct BatchKeys {
    private var keys: [KeyID: StoredKey]
    /// When the newest keys of counted owners were registered.
    private var owned: [KeyOwner: [Instant]]
    private let standings: [KeyID: ReceiptStanding]
    /// What may be used once and was used, earlier records of the batch included.
    private var used: Set<Digest32>
    private let policy: Policy
    private var registered: [KeyID: KeyRegistration] = [:]
    /// Keys that were used.
    private(set) var uses: [KeyID: KeyUse] = [:]
    /// Keys that were not seen before on the day of their request.
    private(set) var sightings: [KeyID: Sighting] = [:]

    /// What the batch uses that may be used once.
    private(set) var once: [UsedOnce] = []

    /// Keys to insert, or whose metadata to refresh, in the order of their ids.
    var registrations: [KeyRegistration] {
        registered.values.sorted { $0.key.keyID < $1.key.keyID }
    }

    /// The keys that were read, when those of counted owners were registered, where receipts stand,
    /// and what was used before.
    init(
        _ keys: [KeyID: StoredKey], owned: [KeyOwner: [Instant]],
        standings: [KeyID: ReceiptStanding], used: Set<Digest32>, policy: Policy
    ) {
        self.used = used
        self.keys = keys
        self.owned = owned
        self.standings = standings
        self.policy = policy
    }

    /// The verdict on a request that is decided for the first time.
    mutating func decide(_ judged: JudgedRecord) -> Verdict {
        // A tombstone answers whatever names it, also what is no genuine object.
        if isErased(judged.keyID) { return verdict(on: judged, .rejected(.worker(.keyErased))) }
        switch judged.claim {
        case .refused(let reason): return verdict(on: judged, .rejected(reason))
        case .registration(let attestation): return register(judged, attestation)
        case .assertion(let assertion): return advance(judged, assertion)
        case .challenge(let challenge, let appID, let lifetime):
            var verdict = verdict(on: judged, .accepted, app: appID)
            verdict.challenge = challenge.bytes
            verdict.lifetime = lifetime
            return verdict
        case .consumption(let once, let appID):
            var verdict = verdict(on: judged, .accepted, app: appID)
            verdict.isConsumedBefore = used.contains(once.id)
            use(once)
            return verdict
        case .unanswerable: preconditionFailure("dead letters are answered before any decision")
        }
    }

    /// A verdict with what the request itself tells.
    func verdict(
        on judged: JudgedRecord, _ outcome: Verdict.Outcome, app appID: String? = nil
    ) -> Verdict {
        var verdict = Verdict(
            verdictID: judged.identity.verdictID, outcome: outcome, source: judged.record.place)
        verdict.requestID = judged.requestID
        verdict.kind = judged.kind
        verdict.keyID = judged.keyID
        // The inbox must not learn again what was erased from it.
        verdict.subject = isErased(judged.keyID) ? nil : judged.subject
        verdict.appID = appID
        verdict.isSimulated = appID.map { policy.apps[$0]?.isSimulated ?? false } ?? false
        return verdict
    }

    /// The row of the key that a record names, as earlier records of the batch left it.
    func found(_ judged: JudgedRecord) -> StoredKey? {
        judged.keyID.flatMap { keys[$0] }
    }

    private func isErased(_ keyID: KeyID?) -> Bool {
        keyID.flatMap { keys[$0] }?.status == .erased
    }

    private mutating func register(
        _ judged: JudgedRecord, _ attestation: VerifiedAttestation
    ) -> Verdict {
        var verdict = verdict(on: judged, .accepted, app: attestation.appID)
        verdict.environment = attestation.environment
        verdict.signCount = 0
        verdict.tell(attestation.extensions)
        verdict.platform = attestation.platform
        verdict.osVersion = attestation.osVersion
        verdict.receipt = judged.receipt?.outcome

        let stored = keys[attestation.keyID]
        let owner = judged.subject.map { KeyOwner(appID: attestation.appID, subject: $0) }
        let given = RuleCase(
            object: .attestation(ProvedAttestation(attestation)), subject: judged.subject,
            stored: stored,
            risk: risk(of: attestation.keyID), app: policy.apps[attestation.appID],
            revocations: policy.revocations,
            owned: owner.flatMap { owned[$0] } ?? [], instant: judged.instant,
            now: judged.judgedAt, receipt: judged.receipt?.outcome,
            challenge: standing(of: judged.challenge))
        guard verdict.isAccepted(by: Ruling(given, rules: KeyRule.forAttestations)) else {
            return verdict
        }
        use(judged.once)
        if judged.wantsArtifact {
            verdict.artifact = policy.artifacts?.artifact(
                of: attestation.keyID, appID: attestation.appID, at: judged.instant)
        }
        verdict.reattested = stored != nil
        verdict.addToken(for: judged, reattested: stored != nil, by: policy)
        if stored == nil, let owner { owned[owner]?.append(judged.instant) }
        verdict.risk = given.risk
        let fresh = StoredKey(
            attestation, subject: judged.subject, at: judged.instant, by: policy)
        var key = stored ?? fresh
        key.reattested = stored != nil
        key.attestedOn = [key.attestedOn, fresh.attestedOn].compactMap { $0 }.max()
        key.lastUsedOn = [key.lastUsedOn, fresh.lastUsedOn].compactMap { $0 }.max()
        keys[attestation.keyID] = key
        if stored != nil { note(key, isAttested: true) }
        registered[attestation.keyID] = KeyRegistration(
            // A new row begins as it was attested; what the batch makes of it is a use.
            key: registered[attestation.keyID]?.key ?? key, receipt: attestation.receipt,
            platform: attestation.platform,
            osVersion: attestation.osVersion, attestedAt: judged.instant)
        if let rules = policy.refresh {
            // One that was refused here, as it came late, may be taken by Apple all the same.
            var facts = ReceiptFacts.expected(at: judged.instant)
            if case .valid(let receipt) = judged.receipt { facts = ReceiptFacts(receipt) }
            registered[attestation.keyID]?.refresh = ReceiptState(
                attestation.keyID, facts, rules)
        }
        return verdict
    }

    private mutating func advance(_ judged: JudgedRecord, _ assertion: VerifiedAssertion) -> Verdict
    {
        // A registration in the same batch may have been refused: its key proves nothing then.
        guard let keyID = judged.keyID, var key = keys[keyID] else {
            return verdict(on: judged, .rejected(.worker(.unknownKey)))
        }
        var verdict = verdict(on: judged, .accepted, app: assertion.appID)
        verdict.signCount = assertion.signCount
        verdict.tell(assertion.extensions)
        verdict.environment = key.environment
        let given = RuleCase(
            object: .assertion(ProvedAssertion(assertion)), subject: judged.subject, stored: key,
            risk: risk(of: keyID), app: policy.apps[assertion.appID],
            revocations: policy.revocations, owned: [],
            instant: judged.instant, now: judged.judgedAt,
            challenge: standing(of: judged.challenge))
        guard verdict.isAccepted(by: Ruling(given, rules: KeyRule.forAssertions)) else {
            return verdict
        }
        use(judged.once)
        verdict.addToken(for: judged, reattested: key.reattested, by: policy)
        verdict.risk = given.risk
        noteSeen(keyID, in: judged)
        verdict.isOutOfOrder = assertion.signCount < key.signCount
        if policy.apps[assertion.appID]?.rules.replayWindow ?? 0 > 0 {
            var seen = key.seen
            seen.accept(assertion.signCount)
            key.window = seen
        }
        key.signCount = max(key.signCount, assertion.signCount)
        key.lastUsedOn = [key.lastUsedOn, Day(judged.instant)].compactMap { $0 }.max()
        keys[keyID] = key
        note(key, isAttested: false)
        return verdict
    }

    /// Notes what is to be stored of a key that was used.
    private mutating func note(_ key: StoredKey, isAttested: Bool) {
        let attestedOn = isAttested ? key.attestedOn : uses[key.keyID]?.attestedOn
        uses[key.keyID] = KeyUse(
            signCount: key.signCount, usedOn: key.lastUsedOn, attestedOn: attestedOn,
            window: key.window?.highest == key.signCount ? key.window : nil)
    }

    /// What a challenge is worth after earlier records of the batch.
    private func standing(of challenge: JudgedChallenge?) -> RuleCase.Challenge? {
        switch challenge {
        case .valid(let once): used.contains(once.id) ? .refused(.challengeUsed) : .fresh
        case .invalid(let reason): .refused(reason)
        case nil: nil
        }
    }

    /// Notes what an accepted record uses up.
    private mutating func use(_ once: UsedOnce?) {
        guard let once, used.insert(once.id).inserted else { return }
        self.once.append(once)
    }

    /// What Apple last told of a key.
    func risk(of keyID: KeyID) -> RiskStanding? {
        guard let standing = standings[keyID], let metric = standing.metric,
            let asOf = standing.metricAsOf
        else { return nil }
        return RiskStanding(metric: metric, asOf: asOf)
    }

    /// Notes that a key is in use, once a day: receipts of others are not refreshed.
    private mutating func noteSeen(_ keyID: KeyID, in judged: JudgedRecord) {
        guard let rules = policy.refresh, registered[keyID]?.refresh == nil else { return }
        let instant = judged.instant
        guard instant.day > max(standings[keyID]?.seenOn ?? .min, sightings[keyID]?.day ?? .min)
        else { return }
        sightings[keyID] = Sighting(
            day: instant.day, due: RefreshSchedule.due(seenAt: instant, keyID, rules))
    }
}

extension Verdict {
    /// Takes over what the device signed about the app's code.
    fileprivate mutating func tell(_ extensions: SignedExtensions) {
        validationCategory = extensions.validationCategory
        bundleVersion = extensions.bundleVersion
        cdHash = CodeDirectoryHash(extensions)?.text
        let isThere =
            validationCategory != nil || bundleVersion != nil || extensions.cdHash != nil
        areExtensionsAnnounced = isThere ? extensions.isAnnounced : nil
    }

    /// Takes over what the rules say; whether the object is accepted.
    fileprivate mutating func isAccepted(by ruling: Ruling) -> Bool {
        wouldReject = ruling.wouldReject
        guard let refusal = ruling.refusal else { return true }
        outcome = .rejected(refusal)
        return false
    }
}
