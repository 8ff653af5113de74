package import AppAttest

/// What the worker answers to one request.
package struct Verdict: Hashable, Sendable {
    /// Accepted, or rejected with its reason.
    package enum Outcome: Hashable, Sendable {
        /// The object is genuine and the row took it.
        case accepted
        /// The object or the request is refused.
        case rejected(Reason)
    }

    /// What came of the receipt inside an attestation.
    package enum ReceiptOutcome: Hashable, Sendable {
        /// Apple made it, just now, for this key.
        case valid
        /// It is refused, or there is none: one of the codes of receipts.
        case invalid(RejectionCode)
    }

    /// The verdict's identity.
    package var verdictID: VerdictID
    /// The gateway's request id, if it sent one.
    package var requestID: RequestID?
    /// What kind of request it answers; nil where the message did not tell.
    package var kind: RequestKind?
    /// Accepted or rejected.
    package var outcome: Outcome
    /// Where accepted: why it would be rejected, were the policies in force that only report.
    package var wouldReject: [Reason] = []
    /// The key, where the message named one.
    package var keyID: KeyID?
    /// The app, once it is proved.
    package var appID: String?
    /// Whether the app's devices are simulated, attested by another root than Apple's.
    package var isSimulated = false
    /// The environment of the key, once it is proved.
    package var environment: AttestationEnvironment?
    /// The sign count that the object carries, once it is proved.
    package var signCount: UInt32?
    /// On accepted assertions: whether a higher sign count was accepted before this one.
    package var isOutOfOrder = false
    /// On accepted registrations: whether the key was known before.
    package var reattested: Bool?
    /// On registrations: what came of the receipt; nil where policy ignores it.
    package var receipt: ReceiptOutcome?
    /// Signed validation category of an OS 27 object.
    package var validationCategory: UInt32?
    /// Signed bundle version of an OS 27 object.
    package var bundleVersion: String?
    /// Signed code directory hash of an OS 27 object: its digest's name, a colon, hexadecimal.
    package var cdHash: String?
    /// Of an OS 27 object that tells any of the three: whether flag ED announces them.
    package var areExtensionsAnnounced: Bool?
    /// Platform in the credential certificate, `iphoneos` or `macosx`.
    package var platform: String?
    /// OS version in the credential certificate.
    package var osVersion: String?
    /// The owner the request named.
    package var subject: String?
    /// On accepted requests: what Apple last told of the key's risk, where that is known.
    package var risk: RiskStanding?
    /// On accepted App Check registrations: the artifact.
    package var artifact: [UInt8]?
    /// On accepted registrations and assertions: the app's token, where it gets any.
    package var token: IssuedToken?
    /// On tokens that are consumed: whether it was before.
    package var isConsumedBefore: Bool?
    /// On challenges that are asked for: the challenge.
    package var challenge: [UInt8]?
    /// For how long what is handed out is good.
    package var lifetime: Duration?
    /// Where the decided record lies.
    package var source: RecordPlace

    /// A verdict with nothing proved yet.
    package init(verdictID: VerdictID, outcome: Outcome, source: RecordPlace) {
        self.verdictID = verdictID
        self.outcome = outcome
        self.source = source
    }
}
