internal import AppAttest
package import LibCrypto
internal import Wire

// What is kept of each decision for a year or more, where `audit.enabled` is set.

/// What decisions rested on beside requests and rows: kept once for all that share it.
package struct AuditBasis: Hashable, Sendable {
    /// The policy, as ``PolicyDocument`` writes it: settings that can be loaded.
    package let policy: String
    /// SHA-256 of the list of revocations; nil where there was none.
    package let revocations: Digest32?
    /// The program's version.
    package let workerVersion: String
    /// SHA-256 over the three, each with its length: the basis's name.
    package let digest: Digest32

    /// A basis from its parts.
    package init(policy: String, revocations: Digest32?, workerVersion: String) {
        self.policy = policy
        self.revocations = revocations
        self.workerVersion = workerVersion
        let head = "\(policy.utf8.count) \(workerVersion.utf8.count) \(workerVersion)"
        digest = SHA256.hash(
            Array(head.utf8), Array(policy.utf8), revocations.map(\.bytes) ?? [])
    }

    /// What a worker decides by.
    init(_ policy: Policy, by worker: WorkerIdentity) {
        self.init(
            policy: policy.document, revocations: policy.revocations.digest,
            workerVersion: worker.version)
    }

    /// SHA-256 of the policy: its version, the same for all workers that judge by it.
    package var policyDigest: Digest32 { SHA256.hash(Array(policy.utf8)) }
}

/// One decision, as it is kept.
package struct AuditEntry: Hashable, Sendable {
    /// The request.
    package var identity: RequestIdentity
    /// SHA-256 of the request's content.
    package var contentDigest: Digest32
    /// JSON of `AuditFacts` in Wire.
    package var facts: [UInt8]

    /// An entry from its parts.
    package init(identity: RequestIdentity, contentDigest: Digest32, facts: [UInt8]) {
        self.identity = identity
        self.contentDigest = contentDigest
        self.facts = facts
    }
}

/// The decisions of a batch.
package struct AuditBatch: Hashable, Sendable {
    /// What all of them rested on.
    package var basis: AuditBasis
    /// The decisions.
    package var entries: [AuditEntry] = []

    /// No decisions yet.
    package init(basis: AuditBasis) {
        self.basis = basis
    }
}

/// A decision as it is read again.
package struct AuditRecord: Hashable, Sendable {
    /// When it was stored, on the database's clock.
    package var decidedAt: Int64
    /// SHA-256 of the request's content.
    package var contentDigest: Digest32
    /// JSON of `AuditFacts` in Wire.
    package var facts: [UInt8]
    /// What it rested on; nil if that is lost.
    package var basis: AuditBasis?

    /// A record from its parts; the time in milliseconds since 1970.
    package init(
        decidedAt: Int64, contentDigest: Digest32, facts: [UInt8], basis: AuditBasis?
    ) {
        self.decidedAt = decidedAt
        self.contentDigest = contentDigest
        self.facts = facts
        self.basis = basis
    }
}

extension AuditFacts.Stored {
    /// The row that a request found.
    init(_ key: StoredKey, subject: String?) {
        let owner: String
        if let bound = key.subject {
            owner =
                subject.map { bound.utf8.elementsEqual($0.utf8) ? "same" : "other" } ?? "unnamed"
        } else {
            owner = "none"
        }
        self.init(
            environment: key.environment.rawValue, signCount: key.signCount,
            status: key.status.rawValue, owner: owner)
    }
}
