package import AppAttest

/// The stable codes of what the worker itself refuses.
///
/// A case is never renamed.
package enum WorkerReason: String, Hashable, Sendable, CaseIterable {
    /// The message breaks the schema: a field is missing, of another type, too long, or not base64.
    case malformedMessage = "malformed_message"
    /// `format` is not `apple-app-attest`, or the message is of a kind this version can't judge.
    case unsupportedFormat = "unsupported_format"
    /// The registered key belongs to an app that is no longer configured.
    case unknownApp = "unknown_app"
    /// No registration of this key is known.
    case unknownKey = "unknown_key"
    /// The key was revoked by an operator.
    case keyRevoked = "key_revoked"
    /// The key was erased on request of its owner.
    case keyErased = "key_erased"
    /// The key is bound to another subject.
    case subjectMismatch = "subject_mismatch"
    /// A second attestation of a known key, where policy refuses that.
    case keyAlreadyRegistered = "key_already_registered"
    /// The sign count is not above the highest one accepted: a replay.
    case counterNotIncreasing = "counter_not_increasing"
    /// The request id was used before with other content.
    case requestIDConflict = "request_id_conflict"
    /// The record is older than `maxRequestAge`.
    case requestTooOld = "request_too_old"
    /// The record's timestamp is ahead of the clock by more than `maxClockSkew`.
    case requestFromTheFuture = "request_from_the_future"
    /// The record has no timestamp, so there is no instant at which to judge it.
    case requestTimeUnknown = "request_time_unknown"
    /// The request was decided before and its verdict is no longer kept.
    case staleRequest = "stale_request"
}

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
                .requestTimeUnknown:
                true
            case .malformedMessage, .unsupportedFormat, .keyRevoked, .keyErased, .subjectMismatch,
                .keyAlreadyRegistered, .counterNotIncreasing, .requestIDConflict, .staleRequest:
                false
            }
        }
    }
}
