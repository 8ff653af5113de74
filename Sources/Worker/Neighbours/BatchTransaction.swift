package import AppAttest
package import LibCrypto

// What one transaction reads and writes.

/// What a batch must see under lock before it can be decided.
package struct BatchReads: Sendable {
    /// The progress rows, each once.
    package var partitions: Set<TopicPartition>
    /// The keys to lock, each once.
    package var keyIDs: Set<KeyID>
    /// The requests to look up in the inbox, each once.
    package var requests: Set<RequestIdentity>
    /// The owners whose keys are counted, and how many of the newest matter; no other transaction
    /// counts or adds keys of theirs before this one ends.
    package var owners: [KeyOwner: Int]
    /// What may be used once and would be used, each once.
    package var once: Set<Digest32> = []
    /// Whether to look where the keys' receipts stand.
    package var wantsStandings = false

    /// Reads from their parts.
    package init(
        partitions: Set<TopicPartition>, keyIDs: Set<KeyID>, requests: Set<RequestIdentity>,
        owners: [KeyOwner: Int] = [:]
    ) {
        self.partitions = partitions
        self.keyIDs = keyIDs
        self.requests = requests
        self.owners = owners
    }
}

/// What was found, under lock.
package struct BatchState: Sendable {
    /// The progress rows that exist.
    package var progress: [TopicPartition: Progress]
    /// The keys that exist.
    package var keys: [KeyID: StoredKey]
    /// The requests that were decided before.
    package var inbox: [RequestIdentity: InboxEntry]
    /// Of each owner that was asked for, when its newest keys were stored first; erased keys have
    /// no owner.
    package var owned: [KeyOwner: [Instant]]
    /// What of that was used before.
    package var used: Set<Digest32> = []
    /// Where the receipts of the keys stand, if that was asked; read without locks.
    package var standings: [KeyID: ReceiptStanding] = [:]

    /// A state from its parts.
    package init(
        progress: [TopicPartition: Progress] = [:], keys: [KeyID: StoredKey] = [:],
        inbox: [RequestIdentity: InboxEntry] = [:], owned: [KeyOwner: [Instant]] = [:]
    ) {
        self.progress = progress
        self.keys = keys
        self.inbox = inbox
        self.owned = owned
    }
}

/// A key to be inserted or refreshed, with what its attestation told.
package struct KeyRegistration: Hashable, Sendable {
    /// The row as it shall be; on a known key the one in the store stands.
    package var key: StoredKey
    /// The receipt as Apple signed it.
    package var receipt: [UInt8]
    /// Platform in the credential certificate.
    package var platform: String?
    /// OS version in the credential certificate.
    package var osVersion: String?
    /// The instant of the attestation's record.
    package var attestedAt: Instant
    /// When its receipt is to be refreshed, if it is valid and receipts are refreshed.
    package var refresh: ReceiptState?

    /// A registration from its parts.
    package init(
        key: StoredKey, receipt: [UInt8], platform: String?, osVersion: String?, attestedAt: Instant
    ) {
        self.key = key
        self.receipt = receipt
        self.platform = platform
        self.osVersion = osVersion
        self.attestedAt = attestedAt
    }
}

/// That a key was used: what changes in its row.
package struct KeyUse: Hashable, Sendable {
    /// The sign count to raise to at least this.
    package var signCount: UInt32
    /// The day of the latest record that was accepted; nil leaves what is stored.
    package var usedOn: Day?
    /// The day of the key's latest attestation, where it was attested again; nil where it was not.
    package var attestedOn: Day?
    /// Which counts below the sign count were accepted; nil leaves what is stored.
    ///
    /// What is stored under the same sign count stays accepted.
    package var window: SeenCounts?

    /// A use from its parts.
    package init(
        signCount: UInt32, usedOn: Day? = nil, attestedOn: Day? = nil, window: SeenCounts? = nil
    ) {
        self.signCount = signCount
        self.usedOn = usedOn
        self.attestedOn = attestedOn
        self.window = window
    }
}

/// What a decided batch changes: all of it or nothing.
package struct BatchWrites: Sendable {
    /// New inbox rows, each request once.
    package var inbox: [InboxEntry]
    /// Keys to insert, or whose receipt and metadata to refresh; each key once.
    package var registrations: [KeyRegistration]
    /// Keys that were used, each once; no sign count is ever lowered, and no day.
    package var uses: [KeyID: KeyUse]
    /// Keys of accepted requests on a day on which none was accepted before.
    package var sightings: [KeyID: Sighting]
    /// Next offsets and latest timestamps under the epochs that were read; none is ever lowered.
    package var progress: [TopicPartition: Progress]
    /// What was used that may be used once, each once.
    package var once: [UsedOnce] = []
    /// What is kept of the decisions; nil where nothing is.
    package var audit: AuditBatch?

    /// Writes from their parts.
    package init(
        inbox: [InboxEntry] = [], registrations: [KeyRegistration] = [],
        uses: [KeyID: KeyUse] = [:], sightings: [KeyID: Sighting] = [:],
        progress: [TopicPartition: Progress] = [:],
        audit: AuditBatch? = nil
    ) {
        self.sightings = sightings
        self.inbox = inbox
        self.registrations = registrations
        self.uses = uses
        self.progress = progress
        self.audit = audit
    }
}

extension BatchWrites {
    /// Writes that raise sign counts and tell nothing else of the keys.
    package init(
        inbox: [InboxEntry] = [], registrations: [KeyRegistration] = [],
        signCounts: [KeyID: UInt32], progress: [TopicPartition: Progress] = [:]
    ) {
        self.init(
            inbox: inbox, registrations: registrations,
            uses: signCounts.mapValues { KeyUse(signCount: $0) }, progress: progress)
    }
}
