package import AppAttest
package import LibCrypto

/// A request that is a JSON object but can't be judged: it gets a verdict, not a dead letter.
package struct UnjudgeableRequest: Hashable, Sendable {
    /// The gateway's id, where it could be read.
    package let requestID: RequestID?
    /// Registration or assertion, where it could be told.
    package let kind: RequestKind?
    /// The key id, where it could be read.
    package let keyID: KeyID?
    /// The owner, where it could be read.
    package let subject: String?
    /// Why: `malformed_message` or `unsupported_format`.
    package let reason: WorkerReason
    /// What is wrong, without a byte of the message: safe to log.
    package let detail: String
    /// SHA-256 of the record's value.
    package let digest: Digest32

    /// The refusal from its parts.
    package init(
        requestID: RequestID?, kind: RequestKind?, keyID: KeyID?, subject: String?,
        reason: WorkerReason, detail: String, digest: Digest32
    ) {
        self.requestID = requestID
        self.kind = kind
        self.keyID = keyID
        self.subject = subject
        self.reason = reason
        self.detail = detail
        self.digest = digest
    }
}
