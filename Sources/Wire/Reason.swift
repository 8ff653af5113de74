package import AppAttest

/// Why a request was rejected: a code of the core library or of the worker.
package enum Reason: Hashable, Sendable {
    /// A step of attestation or assertion failed.
    case verification(RejectionCode)
    /// A rule of the worker failed.
    case worker(WorkerReason)

    /// The stable code, as it stands in a verdict.
    package var code: String {
        switch self {
        case .verification(let code): code.rawValue
        case .worker(let reason): reason.rawValue
        }
    }

    /// Every reason there is: the closed list of the verdict schema.
    package static var all: [Reason] {
        RejectionCode.allCases.map(Reason.verification) + WorkerReason.allCases.map(Reason.worker)
    }

    /// Whether the same object, sent again in a new request, may be accepted.
    package var isRetryable: Bool {
        switch self {
        case .verification: false
        case .worker(let reason):
            switch reason {
            case .unknownKey, .unknownApp, .requestTooOld, .requestFromTheFuture,
                .requestTimeUnknown, .unprocessable, .attestationTooOld, .keyIdle, .notConfigured:
                true
            case .malformedMessage, .unsupportedFormat, .keyRevoked, .certificateRevoked,
                .appRevoked, .keyErased, .subjectMismatch, .tooManyKeys,
                .keyAlreadyRegistered, .counterNotIncreasing, .requestIDConflict, .staleRequest,
                .counterReplayed, .counterJump, .riskTooHigh,
                .validationCategoryMissing, .validationCategoryNotAllowed, .bundleVersionMissing,
                .bundleVersionNotAllowed, .cdHashMissing, .cdHashNotAllowed, .platformNotAllowed,
                .challengeUnknown, .challengeExpired, .challengeWrongPurpose, .challengeUsed,
                .artifactInvalid, .artifactWrongApp, .artifactExpired,
                .tokenInvalid, .tokenExpired, .tokenNotLimitedUse:
                false
            }
        }
    }

    /// What the app shall do before it asks again: `reattest`, attest its key, or a new one;
    /// `new_challenge`, sign with another challenge; nil where there is nothing particular to do.
    package var action: String? {
        switch self {
        case .worker(.attestationTooOld), .worker(.keyIdle), .worker(.artifactInvalid),
            .worker(.artifactWrongApp), .worker(.artifactExpired):
            "reattest"
        case .worker(.challengeUnknown), .worker(.challengeExpired),
            .worker(.challengeWrongPurpose), .worker(.challengeUsed):
            "new_challenge"
        case .worker, .verification: nil
        }
    }
}
