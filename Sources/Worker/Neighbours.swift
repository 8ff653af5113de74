package import AppAttest
package import LibCrypto

// The worker's three neighbours: where requests come from, where the truth is kept, where verdicts
// go. Each is used by one lane on one thread, and blocks. A lane is generic over them, so that the
// same loop runs over Kafka and PostgreSQL and over a world in memory.

// MARK: - Requests

/// What one poll brought: records first, then at most one change of the assignment.
package struct Polled: Sendable {
    /// Records of started partitions, in offset order within each partition.
    package var records: [Record]
    /// What the group's coordinator changed after those records; it must be answered.
    package var change: AssignmentChange?

    /// A poll's result.
    package init(records: [Record] = [], change: AssignmentChange? = nil) {
        self.records = records
        self.change = change
    }
}

/// A change of the assignment.
///
/// Nothing else happens to the group until it is answered.
package enum AssignmentChange: Hashable, Sendable {
    /// These are now ours: answer with ``RequestSource/start(_:)``, at first perhaps with none.
    case assigned([TopicPartition])
    /// These are to be given up, and may still be committed: answer with
    /// ``RequestSource/stop(_:)``.
    case revoked([TopicPartition])
    /// These were ours and are not any more; nothing may be committed: answer with `stop`.
    case lost([TopicPartition])
}

/// Where a partition's log begins and ends, and what the group has committed.
package struct LogPosition: Hashable, Sendable {
    /// The next offset the group committed; nil if none is known (never, expired).
    package var committed: Int64?
    /// The first offset that can be read.
    package var low: Int64
    /// The offset the next record will get.
    package var high: Int64

    /// A position from its parts.
    package init(committed: Int64?, low: Int64, high: Int64) {
        self.committed = committed
        self.low = low
        self.high = high
    }
}

/// The request topics, as a member of the consumer group.
package protocol RequestSource: AnyObject {
    /// Waits for a first record or change, then takes the records that are there already.
    ///
    /// Must be called at least every `max.poll.interval.ms`; paused or not, it keeps the
    /// membership.
    ///
    /// - Parameters:
    ///   - limits: how many records and bytes at the most.
    ///   - wait: how long to wait for the first one; `.zero` only looks.
    /// - Returns: records, and the first change of the assignment met after them.
    /// - Throws: a fault whose disposition is never `.poison`.
    func poll(limits: BatchLimits, wait: Duration) throws(Fault) -> Polled

    /// Asks the broker where these partitions stand.
    ///
    /// - Throws: `.retry` when the broker can't tell now.
    func positions(
        of partitions: [TopicPartition]
    ) throws(Fault) -> [TopicPartition: LogPosition]

    /// Starts fetching these partitions, each at its offset, beside those already started.
    ///
    /// Also the answer to ``AssignmentChange/assigned(_:)``; an empty dictionary answers it without
    /// taking anything yet.
    func start(_ offsets: [TopicPartition: Int64]) throws(Fault)

    /// Stops fetching these partitions and forgets them: the answer to `revoked` and `lost`.
    func stop(_ partitions: [TopicPartition]) throws(Fault)

    /// Goes back (or on) to an offset in a started partition; records fetched before are dropped.
    func seek(_ partition: TopicPartition, to offset: Int64) throws(Fault)

    /// Stops fetching all started partitions while the membership is kept. Idempotent.
    func pause() throws(Fault)

    /// Fetches again what ``pause()`` paused, each partition where it was. Idempotent.
    func resume() throws(Fault)

    /// Commits next offsets and waits for the answer. A refusal by the coordinator because the
    /// generation is over is `.fenced`.
    func commit(_ nextOffsets: [TopicPartition: Int64]) throws(Fault)

    /// Leaves the group. Idempotent; nothing may be called after it.
    func close()
}

/// How much is taken in one batch.
package struct BatchLimits: Hashable, Sendable {
    /// The most records.
    package var recordsMax: Int
    /// The most bytes of values; one record may exceed it, alone.
    package var bytesMax: Int

    /// Limits from their parts.
    package init(recordsMax: Int, bytesMax: Int) {
        self.recordsMax = recordsMax
        self.bytesMax = bytesMax
    }
}

// MARK: - Verdicts

/// What became of one record handed to a ``VerdictSink``.
package struct DeliveryReport: Hashable, Sendable {
    /// How it ended.
    package enum Result: Hashable, Sendable {
        /// All in-sync replicas have it.
        case delivered
        /// The broker will never take it as it is: too large, or its topic is gone.
        case refused(code: String)
        /// It did not get there, and may be sent again.
        case failed(code: String)
    }

    /// The number under which it was enqueued.
    package let ticket: UInt64
    /// How it ended.
    package let result: Result

    /// A report from its parts.
    package init(ticket: UInt64, result: Result) {
        self.ticket = ticket
        self.result = result
    }
}

/// The verdict and dead-letter topics.
package protocol VerdictSink: AnyObject {
    /// Hands over records in order. They are on their way, not delivered.
    ///
    /// - Parameter records: each with a ticket that its report will carry.
    /// - Throws: `.retry` when the local queue is full or the client broke and was made anew; then
    ///   none of these records will be reported, and all that were unreported before may be
    ///   enqueued again.
    func enqueue(_ records: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault)

    /// Waits for delivery reports, for at most `wait`.
    ///
    /// - Returns: reports in any order; empty when the time ran out.
    /// - Throws: `.retry` when the client broke and was made anew (an idempotent producer turned
    ///   fatal): every unreported record must be enqueued again. `.stop` when it can't be.
    func reports(wait: Duration) throws(Fault) -> [DeliveryReport]

    /// Waits for what is on its way, at most so long, and closes. Idempotent.
    func close(wait: Duration)
}

// MARK: - State

/// Whether a key may be used.
package enum KeyStatus: String, Hashable, Sendable, CaseIterable {
    /// Registered and in use.
    case active
    /// Revoked by an operator.
    case revoked
    /// Erased: only a tombstone is left, without public key.
    case erased
}

/// What is stored of a key.
package struct StoredKey: Hashable, Sendable {
    /// The key.
    package var keyID: KeyID
    /// The app it belongs to, for ever.
    package var appID: String
    /// The environment it was attested in.
    package var environment: AttestationEnvironment
    /// 65 bytes, X9.63 uncompressed; empty on a tombstone.
    package var publicKey: [UInt8]
    /// The highest sign count accepted.
    package var signCount: UInt32
    /// The owner it was bound to at registration.
    package var subject: String?
    /// Whether it may be used.
    package var status: KeyStatus

    /// A row from its parts.
    package init(
        keyID: KeyID, appID: String, environment: AttestationEnvironment, publicKey: [UInt8],
        signCount: UInt32, subject: String?, status: KeyStatus
    ) {
        self.keyID = keyID
        self.appID = appID
        self.environment = environment
        self.publicKey = publicKey
        self.signCount = signCount
        self.subject = subject
        self.status = status
    }
}

/// A request's identity: the first 16 bytes of a digest over the gateway's request id, or over the
/// record's place and timestamp where it sent none.
package struct RequestIdentity: Hashable, Sendable, Comparable {
    /// The whole digest; stores keep its first 16 bytes.
    package let digest: Digest32

    /// An identity from its digest.
    package init(_ digest: Digest32) {
        self.digest = digest
    }

    /// Orders as the bytes do: the order in which inbox rows are inserted.
    package static func < (left: RequestIdentity, right: RequestIdentity) -> Bool {
        left.digest < right.digest
    }

    /// The 16 bytes that are stored.
    package var storedBytes: [UInt8] {
        Array(digest.bytes.prefix(16))
    }
}

/// A decided request as the inbox keeps it.
package struct InboxEntry: Hashable, Sendable {
    /// The request.
    package var identity: RequestIdentity
    /// SHA-256 of the request's content.
    package var contentDigest: Digest32
    /// The verdict, byte for byte as it was published.
    package var verdict: [UInt8]

    /// An entry from its parts.
    package init(identity: RequestIdentity, contentDigest: Digest32, verdict: [UInt8]) {
        self.identity = identity
        self.contentDigest = contentDigest
        self.verdict = verdict
    }
}

/// A partition's progress row, as stored.
package struct Progress: Hashable, Sendable {
    /// Rises with each claim; a lane that holds an older one is fenced.
    package var epoch: Int64
    /// The first offset that is not decided yet.
    package var nextOffset: Int64
    /// The first offset whose verdict is not known to be delivered; at most ``nextOffset``.
    ///
    /// It trails by a batch, as it is written with the next one. It is where to start when the
    /// group's committed offset is gone: from ``nextOffset``, the verdicts of a batch that was
    /// decided and never published would be lost.
    package var publishedOffset: Int64
    /// The latest timestamp of a decided record, in milliseconds since 1970.
    package var lastTimestampMilliseconds: Int64

    /// A row from its parts.
    package init(
        epoch: Int64, nextOffset: Int64, publishedOffset: Int64, lastTimestampMilliseconds: Int64
    ) {
        self.epoch = epoch
        self.nextOffset = nextOffset
        self.publishedOffset = publishedOffset
        self.lastTimestampMilliseconds = lastTimestampMilliseconds
    }
}

/// What a batch must see under lock before it can be decided.
package struct BatchReads: Sendable {
    /// The progress rows, each once.
    package var partitions: Set<TopicPartition>
    /// The keys to lock, each once.
    package var keyIDs: Set<KeyID>
    /// The requests to look up in the inbox, each once.
    package var requests: Set<RequestIdentity>

    /// Reads from their parts.
    package init(
        partitions: Set<TopicPartition>, keyIDs: Set<KeyID>, requests: Set<RequestIdentity>
    ) {
        self.partitions = partitions
        self.keyIDs = keyIDs
        self.requests = requests
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

    /// A state from its parts.
    package init(
        progress: [TopicPartition: Progress] = [:], keys: [KeyID: StoredKey] = [:],
        inbox: [RequestIdentity: InboxEntry] = [:]
    ) {
        self.progress = progress
        self.keys = keys
        self.inbox = inbox
    }
}

/// A key to be inserted or refreshed, with what its attestation told.
package struct KeyRegistration: Hashable, Sendable {
    /// The row as it shall be; on a known key its sign count, app, environment, subject and status
    /// in the store stand.
    package var key: StoredKey
    /// The receipt as Apple signed it.
    package var receipt: [UInt8]
    /// Platform in the credential certificate.
    package var platform: String?
    /// OS version in the credential certificate.
    package var osVersion: String?
    /// The instant of the attestation's record.
    package var attestedAt: Instant

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

/// What a decided batch changes: all of it or nothing.
package struct BatchWrites: Sendable {
    /// New inbox rows, each request once.
    package var inbox: [InboxEntry]
    /// Keys to insert, or whose receipt and metadata to refresh; each key once.
    package var registrations: [KeyRegistration]
    /// Sign counts to raise to at least this, each key once; none is ever lowered.
    package var signCounts: [KeyID: UInt32]
    /// Next offsets and latest timestamps under the epochs that were read; none is ever lowered.
    package var progress: [TopicPartition: Progress]

    /// Writes from their parts.
    package init(
        inbox: [InboxEntry] = [], registrations: [KeyRegistration] = [],
        signCounts: [KeyID: UInt32] = [:], progress: [TopicPartition: Progress] = [:]
    ) {
        self.inbox = inbox
        self.registrations = registrations
        self.signCounts = signCounts
        self.progress = progress
    }
}

/// The database: keys, inbox and progress.
package protocol KeyStore: AnyObject {
    /// Takes ownership of partitions: raises each epoch, inserting rows that don't exist.
    ///
    /// Waits for a former owner's open transaction, within the lock timeout.
    ///
    /// - Parameter initial: for each partition the next and published offset of a row that must be
    ///   inserted.
    /// - Returns: the rows as they now are.
    /// - Throws: `.retry` when a lock or the server could not be had.
    func claim(
        _ initial: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Progress]

    /// Sets the next and the published offset of claimed partitions to exactly the next offset given,
    /// also backwards, and the latest timestamp to 0: for a topic that was made anew.
    ///
    /// - Throws: `.fenced` where a row's epoch is not the one given.
    func reset(_ progress: [TopicPartition: Progress]) throws(Fault)

    /// Reads keys without locking them, to verify assertions with.
    func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey]

    /// One transaction: lock, look, decide, write, commit.
    ///
    /// Locks the progress rows, then the keys, each in order; then, in a later statement, looks
    /// into the inbox. Keys that don't exist yet can't be locked: a concurrent insert of the same
    /// key, or of the same request, makes the transaction roll back with `.retry`.
    ///
    /// - Parameters:
    ///   - reads: what to lock and look up.
    ///   - decide: pure; its writes are stored, its other result is returned. Writes of nil roll
    ///     the transaction back and still return the result.
    /// - Returns: what `decide` gave beside its writes.
    /// - Throws: `.retry`: nothing is known of the outcome (it may have been committed, if the
    ///   connection broke at that moment); do the same again, the inbox and the progress rows tell.
    ///   `.poison`: nothing was stored and never will be, as one row is refused.
    func transact<Result>(
        _ reads: BatchReads, decide: (BatchState) -> (writes: BatchWrites?, result: Result)
    ) throws(Fault) -> Result

    /// Deletes some inbox rows that are older than the retention: at most `rowsMax`, in a short
    /// transaction of its own that waits for no lock.
    ///
    /// - Returns: how many were deleted.
    func pruneInbox(rowsMax: Int) throws(Fault) -> Int

    /// Closes the connection. Idempotent.
    func close()
}
