package import AppAttest
package import LibCrypto
package import Wire

/// What a record claims, as far as it can be proved without the row.
package enum Claim: Sendable {
    /// Refused by the message, the clock or a step of verification; the row has no say.
    case refused(Reason)
    /// A genuine attestation.
    case registration(VerifiedAttestation)
    /// A genuine assertion; whether its sign count is fresh, only the row can tell.
    case assertion(VerifiedAssertion)
    /// A challenge, made for an app that asked for one.
    case challenge(SignedChallenge, appID: String, lifetime: Duration)
    /// A token for limited use, genuine and in time; whether it was used before, the row tells.
    case consumption(UsedOnce, appID: String)
    /// Nothing that can be answered: a dead letter.
    case unanswerable(DeadLetter.Cause)
}

/// What the receipt inside a genuine attestation is worth.
package enum JudgedReceipt: Hashable, Sendable {
    /// Apple made it, just now, for this key.
    case valid(VerifiedReceipt)
    /// Why it is refused; `receiptMissing` where there is none.
    case invalid(RejectionCode)

    /// As a verdict tells it.
    var outcome: Verdict.ReceiptOutcome {
        switch self {
        case .valid: .valid
        case .invalid(let code): .invalid(code)
        }
    }
}

/// A record with everything about it that can be known without the row.
package struct JudgedRecord: Sendable {
    /// The record as it came.
    package let record: Record
    /// Which request it is.
    package let identity: RequestIdentity
    /// SHA-256 of the request's content.
    package let contentDigest: Digest32
    /// The gateway's request id.
    package let requestID: RequestID?
    /// Registration or assertion, where the message tells.
    package let kind: RequestKind?
    /// The key, where the message names one.
    package let keyID: KeyID?
    /// The owner, where the message names one.
    package let subject: String?
    /// What it claims.
    package let claim: Claim
    /// The clock when it was judged.
    package let judgedAt: Instant
    /// What the receipt in a genuine attestation is worth; nil where policy doesn't ask.
    package var receipt: JudgedReceipt?
    /// What the challenge of a genuine object is worth; nil where policy doesn't ask.
    package var challenge: JudgedChallenge?
    /// Whether it is a registration that is answered with an artifact, where there are any.
    package var wantsArtifact = false
    /// Whether the token that it is answered with, where there are any, is for limited use.
    package var wantsLimitedUse = false
    /// The digest that earlier versions made of its content, where that is another one.
    package var formerDigest: Digest32?

    /// A judged record from its parts.
    package init(
        record: Record, identity: RequestIdentity, contentDigest: Digest32, requestID: RequestID?,
        kind: RequestKind?, keyID: KeyID?, subject: String?, claim: Claim, judgedAt: Instant
    ) {
        self.record = record
        self.identity = identity
        self.contentDigest = contentDigest
        self.requestID = requestID
        self.kind = kind
        self.keyID = keyID
        self.subject = subject
        self.claim = claim
        self.judgedAt = judgedAt
    }

    /// The same record with another claim.
    func claiming(_ claim: Claim) -> JudgedRecord {
        JudgedRecord(
            record: record, identity: identity, contentDigest: contentDigest, requestID: requestID,
            kind: kind, keyID: keyID, subject: subject, claim: claim, judgedAt: judgedAt)
    }

    /// Whether it is refused because of the database, not because of itself.
    var isUnprocessable: Bool {
        if case .refused(.worker(.unprocessable)) = claim { true } else { false }
    }

    /// Whether the inbox has a say about it.
    var isAnswerable: Bool {
        if case .unanswerable = claim { false } else { true }
    }

    /// What the record's timestamp tells of how far its log has come, in milliseconds since 1970.
    ///
    /// Only of a record that was judged at it: one that is not bounded by the clock may lie years
    /// ahead, and every record after it would look as if it had been decided before.
    var latestTimestamp: Int64 {
        switch claim {
        case .refused(.worker(.requestFromTheFuture)), .refused(.worker(.malformedMessage)),
            .refused(.worker(.unsupportedFormat)), .unanswerable:
            0
        case .refused, .registration, .assertion, .challenge, .consumption:
            record.timestampMilliseconds ?? 0
        }
    }

    /// The instant at which a genuine object is judged: its record's.
    var instant: Instant {
        Instant(milliseconds: record.timestampMilliseconds ?? 0)
    }

    /// The owner whose keys must be counted before this may be accepted, and how many of them
    /// matter; nil where none must.
    func ownerToCount(by policy: Policy) -> (owner: KeyOwner, most: Int)? {
        guard case .registration(let attestation) = claim, let subject,
            let most = policy.apps[attestation.appID]?.rules.keysPerSubject.keysMax, most > 0
        else { return nil }
        return (KeyOwner(appID: attestation.appID, subject: subject), most)
    }

    /// What is used up if it is accepted; nil where nothing is.
    var once: UsedOnce? {
        if case .consumption(let once, _) = claim { once } else { challenge?.once }
    }

    /// The key whose row has a say; nil where none has.
    ///
    /// A request that is refused without any row still names a key, and the verdict that is stored
    /// may name its owner: only under the key's lock is it certain that none was erased meanwhile.
    var keyToLock: KeyID? {
        switch claim {
        case .registration, .assertion, .refused, .challenge, .consumption: keyID
        case .unanswerable: nil
        }
    }
}
