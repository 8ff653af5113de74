package import AppAttest
package import Wire

/// Who sees to it that a challenge is fresh, and used once.
package enum ChallengeRule: String, Hashable, Sendable, CaseIterable {
    /// The gateway: it mints challenges, and remembers which were used.
    case external
    /// The workers: requests must have a challenge that was minted with a secret of the settings.
    case signed
}

/// How challenges are minted and taken.
package struct ChallengePolicy: Hashable, Sendable {
    /// Authenticate challenges.
    package var secrets: SecretKeyRing
    /// For how long a challenge is good.
    package var lifetime: Duration
    /// The member of a JSON object in the client data that has the challenge.
    package var field: String

    /// A policy from its parts.
    package init(secrets: SecretKeyRing, lifetime: Duration, field: String) {
        self.secrets = secrets
        self.lifetime = lifetime
        self.field = field
    }
}

/// What the challenge of a genuine object is worth, told without the store.
package enum JudgedChallenge: Hashable, Sendable {
    /// It was minted for this app and this use, and is not too old.
    case valid(UsedOnce)
    /// Why it is refused.
    case invalid(WorkerReason)

    /// Judges the challenge in client data.
    ///
    /// - Parameters:
    ///   - clientData: what the app signed; nil where only its hash is known.
    ///   - appID: the app, as proved.
    ///   - purpose: what the object is.
    ///   - instant: the record's timestamp.
    ///   - policy: how challenges are minted; nil takes none.
    init(
        in clientData: [UInt8]?, appID: String, purpose: SignedChallenge.Purpose,
        at instant: Instant, by policy: ChallengePolicy?
    ) {
        guard let policy, let clientData,
            let bytes = PresentedChallenge.find(in: clientData, field: policy.field)
        else {
            self = .invalid(.challengeUnknown)
            return
        }
        do throws(SignedChallenge.Fault) {
            self = .valid(
                UsedOnce(
                    try SignedChallenge(
                        verifying: bytes, appID: appID, purpose: purpose, at: instant,
                        secrets: policy.secrets)))
        } catch {
            self =
                switch error {
                case .unknown: .invalid(.challengeUnknown)
                case .expired: .invalid(.challengeExpired)
                case .wrongPurpose: .invalid(.challengeWrongPurpose)
                }
        }
    }

    /// What is used if the object is accepted; nil where nothing may be.
    package var once: UsedOnce? {
        if case .valid(let once) = self { once } else { nil }
    }
}
