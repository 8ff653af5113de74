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
    /// The key was revoked by an operator, or is on the list of revocations.
    case keyRevoked = "key_revoked"
    /// The certificate that the key was attested with is on the list of revocations.
    case certificateRevoked = "certificate_revoked"
    /// The whole app is on the list of revocations.
    case appRevoked = "app_revoked"
    /// The key was erased on request of its owner.
    case keyErased = "key_erased"
    /// The key is bound to another subject.
    case subjectMismatch = "subject_mismatch"
    /// The owner has registered as many keys as policy allows within a time.
    case tooManyKeys = "too_many_keys"
    /// A second attestation of a known key, where policy refuses that.
    case keyAlreadyRegistered = "key_already_registered"
    /// The sign count is not above the highest one accepted: a replay.
    case counterNotIncreasing = "counter_not_increasing"
    /// Apple's risk metric of the key is above what the app's policy allows.
    case riskTooHigh = "risk_too_high"
    /// The request id was used before with other content.
    case requestIDConflict = "request_id_conflict"
    /// The record is older than `maxRequestAge`.
    case requestTooOld = "request_too_old"
    /// The record's timestamp is ahead of the clock by more than `maxClockSkew`.
    case requestFromTheFuture = "request_from_the_future"
    /// The record has no timestamp, so there is no instant at which to judge it.
    case requestTimeUnknown = "request_time_unknown"
    /// The database refuses what the request would store, or holds a key that can't be read: an
    /// operator must look.
    case unprocessable
    /// The request was decided before and its verdict is no longer kept.
    case staleRequest = "stale_request"
    /// The sign count lies below the app's replay window, or was accepted before: a replay.
    case counterReplayed = "counter_replayed"
    /// The sign count lies further above the highest one before it than policy allows.
    case counterJump = "counter_jump"
    /// Policy wants a signed validation category, and there is none that flag ED announces.
    case validationCategoryMissing = "validation_category_missing"
    /// The signed validation category is none of those that policy allows.
    case validationCategoryNotAllowed = "validation_category_not_allowed"
    /// Policy wants a signed bundle version, and there is none that flag ED announces.
    case bundleVersionMissing = "bundle_version_missing"
    /// The signed bundle version is none of those that policy allows, or below its minimum.
    case bundleVersionNotAllowed = "bundle_version_not_allowed"
    /// Policy wants a signed code directory hash, and there is none that flag ED announces.
    case cdHashMissing = "cd_hash_missing"
    /// The signed code directory hash is none of those that policy allows.
    case cdHashNotAllowed = "cd_hash_not_allowed"
    /// The key lives on a system on which policy says that the app does not exist.
    case platformNotAllowed = "platform_not_allowed"
    /// The key's last attestation is older than policy allows: attest it again.
    case attestationTooOld = "attestation_too_old"
    /// The key was not used for longer than policy allows: attest it again.
    case keyIdle = "key_idle"
    /// The client data has no challenge that a secret of the settings minted for this app.
    case challengeUnknown = "challenge_unknown"
    /// The challenge had expired at the record's timestamp.
    case challengeExpired = "challenge_expired"
    /// The challenge was minted for a registration and used for an assertion, or the reverse.
    case challengeWrongPurpose = "challenge_wrong_purpose"
    /// A request with this challenge was accepted before.
    case challengeUsed = "challenge_used"
    /// The artifact was made by no secret of the settings, or altered.
    case artifactInvalid = "artifact_invalid"
    /// The artifact was made for another app than the key's.
    case artifactWrongApp = "artifact_wrong_app"
    /// The artifact was made too long ago: attest again.
    case artifactExpired = "artifact_expired"
    /// The token was signed by no key of the settings, altered, or made for another issuer, app or
    /// audience.
    case tokenInvalid = "token_invalid"
    /// The token had expired at the record's timestamp.
    case tokenExpired = "token_expired"
    /// The token is none for limited use: it can't be consumed.
    case tokenNotLimitedUse = "token_not_limited_use"
    /// The request asks for something that the settings do not offer.
    case notConfigured = "not_configured"
}
