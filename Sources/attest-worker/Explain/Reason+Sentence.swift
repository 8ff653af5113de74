import AppAttest
import Wire

// Why a request was refused, in words for a person. No `default`: a new reason needs a sentence.

extension Reason {
    /// One or two sentences: what was found, and what to look at.
    var sentence: String {
        switch self {
        case .verification(let code): code.sentence
        case .worker(let reason): reason.sentence
        }
    }
}

extension RejectionCode {
    fileprivate var sentence: String {
        switch self {
        case .malformedCBOR: "The object is no strict CBOR, or has bytes behind it."
        case .wrongFormat: "The object is no attestation of Apple's format."
        case .malformedAttestation: "A part of the attestation is missing, or of another type."
        case .chainInvalid:
            "The certificates don't lead to the root that the app trusts: no Apple device made it,"
                + " or the key was attested under another root before."
        case .certificateExpired:
            "A certificate had expired at the time of the record: the attestation is old."
        case .certificateNotYetValid:
            "A certificate was not valid yet at the time of the record: a clock is behind."
        case .leafKeyNotP256: "The attested key is not on the curve that Apple uses."
        case .nonceMissing: "Apple's certificate has no nonce, so it is bound to no request."
        case .nonceMalformed: "The nonce in Apple's certificate is not as Apple writes it."
        case .nonceMismatch:
            "The device signed other client data than the gateway named: the app and the gateway"
                + " hash different bytes, or the challenge is another one."
        case .keyIDMismatch: "The key id of the request is not that of the attested key."
        case .malformedAuthData: "The authenticator data is too short, or its parts don't fit."
        case .appIDMismatch:
            "The object is another app's than those configured, or than the one that the key or"
                + " the gateway names."
        case .counterNotZero:
            "An attestation's sign count must be 0: this key had signed before."
        case .unknownAAGUID: "The object names neither of Apple's environments."
        case .environmentMismatch:
            "The key was attested in an environment that the app's policy does not allow: builds"
                + " run from Xcode use development."
        case .credentialIDMismatch: "The credential id in the signed data is not the key id."
        case .coseKeyMismatch: "The key in the signed data is not the one in the certificate."
        case .leafAppIDMismatch: "Apple's certificate names another app."
        case .aclMismatch: "A Mac's key whose use is not bound to system integrity."
        case .malformedAssertion: "A part of the assertion is missing, or of another type."
        case .signatureInvalid:
            "The signature is not that of the registered key over the client data that the gateway"
                + " named."
        case .receiptMissing: "The attestation has no receipt, and the app's policy demands one."
        case .receiptMalformed: "The receipt is no signed data of Apple's form."
        case .receiptSignature: "The signature of the receipt is not that of its content."
        case .receiptChain: "The receipt's signer does not lead to Apple's root of receipts."
        case .receiptType: "The receipt is of the other type: of an attestation, or refreshed."
        case .receiptAppID: "The receipt is for another app."
        case .receiptPublicKey: "The receipt is for another key."
        case .receiptClientHash: "The receipt repeats other client data than the attestation's."
        case .receiptEnvironment: "The receipt is of the other environment."
        case .receiptFromTheFuture: "The receipt was made after the time of the record."
        case .receiptTooOld: "The receipt was made too long before the time of the record."
        case .receiptExpired: "The receipt had expired at the time of the record."
        }
    }
}

extension WorkerReason {
    fileprivate var sentence: String {
        switch self {
        case .malformedMessage: "The message breaks the schema: a field is missing or wrong."
        case .unsupportedFormat: "The message is of a kind that this version does not judge."
        case .unknownApp: "The key's app was no longer configured."
        case .unknownKey:
            "No registration of this key was known: it was never registered here, or its assertion"
                + " came first."
        case .keyRevoked: "An operator had revoked the key, or the list of revocations named it."
        case .certificateRevoked:
            "The list of revocations named the certificate that the key was attested with."
        case .appRevoked: "The list of revocations named the app."
        case .keyErased: "The key had been erased at its owner's wish; only a tombstone was left."
        case .subjectMismatch: "The key belongs to another subject than the request names."
        case .tooManyKeys:
            "The subject had registered as many keys as the app's policy allows within its time."
        case .keyAlreadyRegistered:
            "The key was registered before, and the app's policy takes no second attestation."
        case .counterNotIncreasing:
            "The sign count was not above the highest one accepted: the assertion is a replay, or"
                + " a later one of the same key overtook it."
        case .counterReplayed:
            "The sign count lay below the app's replay window, or had been accepted: a replay."
        case .counterJump:
            "The sign count lay further above the one before than the app's policy allows."
        case .validationCategoryMissing:
            "Policy demands a signed validation category that flag ED announces; there was none."
        case .validationCategoryNotAllowed:
            "The signed validation category is none of those that the app's policy allows."
        case .bundleVersionMissing:
            "Policy demands a signed bundle version that flag ED announces; there was none."
        case .bundleVersionNotAllowed:
            "The signed bundle version is not allowed by the app's policy, or below its minimum."
        case .cdHashMissing:
            "Policy demands a signed code directory hash that flag ED announces; there was none."
        case .cdHashNotAllowed:
            "The signed code directory hash is none of those that the app's policy allows."
        case .platformNotAllowed:
            "The key lives on a system for which the app's policy takes no keys."
        case .attestationTooOld:
            "The key's last attestation was older than the app's policy allows: attest it again."
        case .keyIdle:
            "The key had not been used for longer than the app's policy allows: attest it again."
        case .challengeUnknown:
            "The client data had no challenge minted with challenges.secret for this app."
        case .challengeExpired: "The challenge had expired at the time of the record."
        case .challengeWrongPurpose:
            "The challenge was minted for a registration and used for an assertion, or the reverse."
        case .challengeUsed: "A request with the same challenge had been accepted before."
        case .artifactInvalid: "The artifact was made by no secret of the settings, or altered."
        case .artifactWrongApp: "The artifact was made for another app than the key's."
        case .artifactExpired: "The artifact was older than artifacts.lifetime."
        case .tokenInvalid:
            "The token was signed by no key of tokens.keyFiles, altered, or made for another"
                + " issuer, app or audience than the settings have."
        case .tokenExpired: "The token had expired at the time of the record."
        case .tokenNotLimitedUse:
            "The token was none for limited use: only those that were asked for with limitedUse can"
                + " be consumed."
        case .notConfigured: "The settings did not offer what the request asked for."
        case .riskTooHigh:
            "Apple's risk metric was above the app's policy: the device had made many keys lately."
        case .requestIDConflict:
            "The request id had been used for other content: ids must be minted once a request."
        case .requestTooOld:
            "The record's timestamp lay further back than worker.maxRequestAge, or the app's"
                + " requestTime.maxAge, allows."
        case .requestFromTheFuture:
            "The record's timestamp lay ahead of the worker's clock by more than"
                + " worker.maxClockSkew, or the app's requestTime.maxSkew, allows."
        case .requestTimeUnknown: "The record had no timestamp, so nothing to judge it at."
        case .unprocessable:
            "The database refused what the request would have stored, or held a key that can't be"
                + " read: the worker's log tells more."
        case .staleRequest:
            "The request had been decided before, and its verdict was no longer kept."
        }
    }
}
