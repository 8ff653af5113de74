internal import AppAttest
internal import LibCrypto
internal import Wire

// What the worker serves itself.

extension Judge {
    /// What a request that needs no object comes to; a function of request, record and policy.
    func claim(
        of request: ServiceRequest, _ identity: RequestIdentity, in record: Record, now: Instant
    ) -> Claim {
        let timestamp = record.timestampMilliseconds.map(Instant.init(milliseconds:))
        if let refusal = policy.timeRefusal(of: timestamp, now: now) {
            return .refused(.worker(refusal))
        }
        guard let timestamp else { return .refused(.worker(.requestTimeUnknown)) }
        switch request.content {
        case .challenge(let appID, let purpose):
            guard let challenges = policy.challenges else {
                return .refused(.worker(.notConfigured))
            }
            guard policy.apps[appID] != nil else { return .refused(.worker(.unknownApp)) }
            // The same record has the same challenge however often it is judged; the timestamp
            // keeps a request id that is used again years later from having the same one.
            let seed = "\(timestamp.milliseconds)"
            let challenge = SignedChallenge(
                appID: appID, purpose: purpose,
                expiry: timestamp.advanced(by: challenges.lifetime),
                derivedFrom: identity.digest.bytes + Array(seed.utf8), secrets: challenges.secrets)
            return .challenge(challenge, appID: appID, lifetime: challenges.lifetime)
        case .consume(let token, let claimed, let audience):
            switch JudgedToken(token, for: audience, at: timestamp, by: policy) {
            case .refused(let reason): return .refused(.worker(reason))
            case .limitedUse(let once, let appID):
                guard agrees(claimed, with: appID) else {
                    return .refused(.verification(.appIDMismatch))
                }
                return .consumption(once, appID: appID)
            }
        }
    }
}
