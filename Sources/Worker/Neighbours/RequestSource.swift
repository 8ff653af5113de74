// The worker's three neighbours: where requests come from, where the truth is kept, where verdicts
// go. Each is used by one lane on one thread, and blocks. A lane is generic over them, so that the
// same loop runs over Kafka and PostgreSQL and over a world in memory.

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
    /// - Returns: the positions of those that the broker can tell of: a partition without a leader
    ///   is left out.
    /// - Throws: `.retry` when the broker can't tell now.
    func positions(
        of partitions: [TopicPartition]
    ) throws(Fault) -> [TopicPartition: LogPosition]

    /// Asks the broker where records begin that are later than an instant, for each partition.
    ///
    /// - Parameter instants: milliseconds since 1970.
    /// - Returns: the first offset whose record has a later timestamp; partitions without such a
    ///   record, or whose broker can't tell, are left out.
    /// - Throws: `.retry` when the broker can't tell now.
    func firstOffsets(
        laterThan instants: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Int64]

    /// Starts fetching these partitions, each at its offset, beside those already started.
    ///
    /// One that is started already goes back (or on) to its offset; records fetched before are
    /// dropped. What belongs together must be told in one call, see KafkaSource.
    ///
    /// Also the answer to ``AssignmentChange/assigned(_:)``; an empty dictionary answers it without
    /// taking anything yet.
    func start(_ offsets: [TopicPartition: Int64]) throws(Fault)

    /// Stops fetching these partitions and forgets them: the answer to `revoked` and `lost`.
    func stop(_ partitions: [TopicPartition]) throws(Fault)

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
