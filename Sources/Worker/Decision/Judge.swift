package import AppAttest
import LibCrypto
package import Wire

/// Judges records without any row: decodes, checks the time, verifies.
///
/// Pure but for what it remembers of certificates and keys, which changes speed and nothing else.
package struct Judge: Sendable {
    let policy: Policy
    private let messageLimits: MessageLimits
    private let attestations: AttestationVerifier
    private let assertions = AssertionVerifier()
    /// By app id; of apps whose policy ignores receipts there is none.
    private let receipts: [String: ReceiptVerifier]
    private var intermediates = VerifiedIntermediates()
    private var publicKeys = PublicKeyCache()

    /// A judge by this policy.
    package init(policy: Policy, messageLimits: MessageLimits) {
        self.policy = policy
        self.messageLimits = messageLimits
        attestations = AttestationVerifier(relyingParties: policy.apps.values.map(\.relyingParty))
        receipts = policy.apps.compactMapValues(\.receiptVerifier)
    }

    /// Reads a record.
    package func decode(_ record: Record) -> DecodedRecord {
        RequestMessage.decode(value: record.value, headers: record.headers, limits: messageLimits)
    }

    /// Judges decoded records in their order.
    ///
    /// - Parameters:
    ///   - records: the records with what they turned out to be.
    ///   - keys: what is stored of the keys that assertions among them name. A key registered by an
    ///     earlier record of the same batch needs no entry.
    ///   - now: the clock, to bound the records' timestamps by. Nothing else depends on it.
    /// - Returns: one judgement a record, in the same order.
    package mutating func judge(
        _ records: [(record: Record, decoded: DecodedRecord)], keys: [KeyID: StoredKey],
        now: Instant
    ) -> [JudgedRecord] {
        var known = keys
        return records.map { record, decoded in
            let judged = judge(record, decoded, keys: known, now: now)
            // A later assertion in the batch is verified with this key. Should the row not take the
            // registration, the row won't take the assertion either.
            if case .registration(let attestation) = judged.claim, known[attestation.keyID] == nil {
                known[attestation.keyID] = StoredKey(
                    attestation, subject: nil, at: judged.instant, by: policy)
            }
            return judged
        }
    }

    private mutating func judge(
        _ record: Record, _ decoded: DecodedRecord, keys: [KeyID: StoredKey], now: Instant
    ) -> JudgedRecord {
        let requestID: RequestID? =
            switch decoded {
            case .request(let request): request.requestID
            case .service(let request): request.requestID
            case .unjudgeable(let request): request.requestID
            case .unreadable: nil
            }
        let identity = RequestIdentity(
            requestID: requestID, place: record.place,
            timestampMilliseconds: record.timestampMilliseconds)
        switch decoded {
        case .request(let request):
            var judged = JudgedRecord(
                record: record, identity: identity, contentDigest: request.digest,
                requestID: requestID, kind: request.kind, keyID: request.keyID,
                subject: request.subject,
                claim: claim(of: request, in: record, keys: keys, now: now), judgedAt: now)
            if case .registration(let attestation) = judged.claim {
                judged.receipt = receipt(in: attestation, of: request, at: judged.instant)
            }
            judged.challenge = challenge(of: request, judged)
            judged.wantsArtifact = request.isAppCheck && request.kind == .registration
            judged.wantsLimitedUse = request.isForLimitedUse
            judged.formerDigest = request.formerDigest
            return judged
        case .service(let request):
            return JudgedRecord(
                record: record, identity: identity, contentDigest: request.digest,
                requestID: requestID, kind: request.kind, keyID: nil, subject: nil,
                claim: claim(of: request, identity, in: record, now: now), judgedAt: now)
        case .unjudgeable(let request):
            return JudgedRecord(
                record: record, identity: identity, contentDigest: request.digest,
                requestID: requestID, kind: request.kind, keyID: request.keyID,
                subject: request.subject, claim: .refused(.worker(request.reason)),
                judgedAt: now)
        case .unreadable(let cause):
            return JudgedRecord(
                record: record, identity: identity, contentDigest: SHA256.hash(record.value ?? []),
                requestID: nil, kind: nil, keyID: nil, subject: nil,
                claim: .unanswerable(DeadLetter.Cause(cause)), judgedAt: now)
        }
    }

    private mutating func claim(
        of request: Request, in record: Record, keys: [KeyID: StoredKey], now: Instant
    ) -> Claim {
        let timestamp = record.timestampMilliseconds.map(Instant.init(milliseconds:))
        if let refusal = policy.timeRefusal(of: timestamp, now: now) {
            return .refused(.worker(refusal))
        }
        guard let timestamp else { return .refused(.worker(.requestTimeUnknown)) }
        do {
            return request.kind == .registration
                ? try registration(request, at: timestamp)
                : try assertion(request, key: keys[request.keyID], at: timestamp)
        } catch {
            return .refused(.verification(error.code))
        }
    }

    private mutating func registration(
        _ request: Request, at timestamp: Instant
    ) throws(Rejection) -> Claim {
        let attestation = try attestations.verify(
            request.object, keyID: request.keyID, clientDataHash: request.clientDataHash,
            at: timestamp, intermediates: &intermediates)
        guard agrees(request.appID, with: attestation.appID) else {
            return .refused(.verification(.appIDMismatch))
        }
        return .registration(attestation)
    }

    /// What the receipt is worth at the instant of the record, where policy asks.
    private mutating func receipt(
        in attestation: VerifiedAttestation, of request: Request, at instant: Instant
    ) -> JudgedReceipt? {
        guard let verifier = receipts[attestation.appID] else { return nil }
        do throws(Rejection) {
            let expectation = ReceiptExpectation(
                inside: attestation, clientDataHash: request.clientDataHash)
            return .valid(
                try verifier.verify(
                    attestation.receipt, expecting: expectation, at: instant,
                    intermediates: &intermediates))
        } catch {
            return .invalid(error.code)
        }
    }

    /// What the challenge of a genuine object is worth, where policy asks.
    private func challenge(of request: Request, _ judged: JudgedRecord) -> JudgedChallenge? {
        let (appID, purpose): (String, SignedChallenge.Purpose)
        switch judged.claim {
        case .registration(let attestation): (appID, purpose) = (attestation.appID, .registration)
        case .assertion(let assertion): (appID, purpose) = (assertion.appID, .assertion)
        case .refused, .challenge, .consumption, .unanswerable: return nil
        }
        guard policy.apps[appID]?.rules.challenge == .signed else { return nil }
        return JudgedChallenge(
            in: request.clientData, appID: appID, purpose: purpose, at: judged.instant,
            by: policy.challenges)
    }

    private mutating func assertion(
        _ request: Request, key: StoredKey?, at timestamp: Instant
    ) throws(Rejection) -> Claim {
        guard let key else { return .refused(.worker(.unknownKey)) }
        switch key.status {
        case .erased: return .refused(.worker(.keyErased))
        case .revoked: return .refused(.worker(.keyRevoked))
        case .active: break
        }
        guard let app = policy.apps[key.appID] else { return .refused(.worker(.unknownApp)) }
        // A key made under another root than the app's of today is not one of this app's keys: an
        // app that was simulated once may have become a real one.
        guard app.authority == key.attestedBy else { return .refused(.worker(.unknownKey)) }
        // An assertion does not tell its environment, and policy may be stricter than it was when
        // the key was registered.
        guard app.relyingParty.environments.contains(key.environment) else {
            return .refused(.verification(.environmentMismatch))
        }
        if let refusal = artifactRefusal(of: request, appID: key.appID, at: timestamp) {
            return .refused(.worker(refusal))
        }
        guard let publicKey = publicKeys.key(x963: key.publicKey) else {
            return .refused(.worker(.unprocessable))
        }
        let assertion = try assertions.verify(
            request.object, clientDataHash: request.clientDataHash, publicKey: publicKey,
            appID: key.appID)
        guard agrees(request.appID, with: key.appID) else {
            return .refused(.verification(.appIDMismatch))
        }
        return .assertion(assertion)
    }

    /// Why the artifact of an App Check assertion is refused; nil if it is good or absent.
    private func artifactRefusal(
        of request: Request, appID: String, at timestamp: Instant
    ) -> WorkerReason? {
        guard let artifact = request.artifact else { return nil }
        guard let artifacts = policy.artifacts else { return .notConfigured }
        return artifacts.refusal(of: artifact, appID: appID, at: timestamp)
    }

    /// What the gateway believes may be nothing, but it may not be something else.
    func agrees(_ claimed: String?, with proved: String) -> Bool {
        claimed.map { $0.utf8.elementsEqual(proved.utf8) } ?? true
    }
}

extension StoredKey {
    /// The row of a key that was attested at that instant: sign count 0, active.
    init(
        _ attestation: VerifiedAttestation, subject: String?, at instant: Instant, by policy: Policy
    ) {
        self.init(
            keyID: attestation.keyID, appID: attestation.appID,
            environment: attestation.environment, publicKey: attestation.publicKey.x963,
            signCount: 0, subject: subject, status: .active,
            attestedBy: policy.apps[attestation.appID]?.authority ?? .apple,
            certificate: attestation.leafSerial, attestedOn: Day(instant), lastUsedOn: Day(instant),
            reattested: false)
    }
}
