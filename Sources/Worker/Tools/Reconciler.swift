package import AppAttest
import Wire

/// Raises sign counts to what verdicts tell was accepted.
///
/// Sign counts only ever rise, so the highest one that was accepted repairs a database that fell
/// behind, however often and in whatever order verdicts are read, and while workers run: rows are
/// locked as lanes lock them, and none is lowered.
///
/// One kind of verdict is left alone: of requests that workers will decide again, as their
/// decisions were lost and the topic still holds them. Their sign counts come back with these
/// decisions; raised before, they would make replays of honest requests.
package struct Reconciler<Store: KeyStore> {
    /// What was read and done.
    package struct Outcome: Hashable, Sendable {
        /// Records that were read.
        package var records = 0
        /// Verdicts among them that accept something.
        package var accepted = 0
        /// Those of them that workers will give again, and so raise nothing.
        package var decidedAgain = 0
        /// Records in which there is no verdict.
        package var unreadable = 0
        /// Rows whose sign count was raised; one may be raised more than once.
        package var raised = 0
        /// Rows that learned of an accepted count below theirs, which their window would have let
        /// in again.
        package var closed = 0
        /// Keys that have no row, up to ``Reconciler/missingKeysMax``.
        package var missingKeys: Set<KeyID> = []
        /// The oldest timestamp that was read of each partition, in milliseconds since 1970.
        package var oldestMilliseconds: [TopicPartition: Int64] = [:]

        /// Nothing yet.
        package init() {}
    }

    /// How many keys are held back, so that one which is used often is written once.
    package static var pendingKeysMax: Int { 20_000 }
    /// How many rows are locked at a time.
    package static var batchKeysMax: Int { 500 }
    /// How many missing keys are counted; beyond it there are "at least" so many.
    package static var missingKeysMax: Int { 1_000_000 }
    /// How often a transaction is tried that workers stand in the way of.
    package static var attemptsMax: Int { 5 }

    private let store: Store
    private let decidedAgain: [TopicPartition: Int64]
    private let isDryRun: Bool
    private let pause: (Duration) -> Void
    /// What verdicts tell was accepted; a bit that is clear tells nothing.
    private var pending: [KeyID: SeenCounts] = [:]
    /// What was done so far.
    package private(set) var outcome = Outcome()

    /// A reconciler that has read nothing.
    ///
    /// - Parameters:
    ///   - store: the database.
    ///   - decidedAgain: the first offset of each partition of the request topics from which on
    ///     workers will decide again, by ``StartPosition/decidesAgainFrom``.
    ///   - isDryRun: whether it only tells what it would do.
    ///   - pause: waits before a transaction is tried again.
    package init(
        store: Store, decidedAgain: [TopicPartition: Int64], isDryRun: Bool,
        pause: @escaping (Duration) -> Void
    ) {
        self.store = store
        self.decidedAgain = decidedAgain
        self.isDryRun = isDryRun
        self.pause = pause
    }

    /// Reads records of the verdict topic.
    ///
    /// - Throws: when the database can't be read or written; what was raised before stays raised.
    package mutating func take(_ records: [Record]) throws(Fault) {
        for record in records {
            outcome.records += 1
            if let timestamp = record.timestampMilliseconds {
                let oldest = outcome.oldestMilliseconds[record.partition] ?? .max
                outcome.oldestMilliseconds[record.partition] = min(oldest, timestamp)
            }
            switch TopicVerdict(value: record.value) {
            case .rejected: break
            case .unreadable: outcome.unreadable += 1
            case .accepted(let keyID, let signCount, let source):
                outcome.accepted += 1
                guard !isDecidedAgain(source) else {
                    outcome.decidedAgain += 1
                    break
                }
                pending[keyID, default: SeenCounts(highest: signCount, bits: 0)].accept(signCount)
            }
            if pending.count >= Self.pendingKeysMax { try flush() }
        }
    }

    private func isDecidedAgain(_ place: RecordPlace?) -> Bool {
        guard let place else { return false }
        let partition = TopicPartition(topic: place.topic, partition: place.partition)
        return decidedAgain[partition].map { place.offset >= $0 } ?? false
    }

    /// Writes what is held back.
    ///
    /// - Throws: as ``take(_:)``.
    package mutating func flush() throws(Fault) {
        while !pending.isEmpty {
            let batch = Array(pending.prefix(Self.batchKeysMax))
            try raise(Dictionary(batch) { first, _ in first })
            for entry in batch { pending[entry.key] = nil }
        }
    }

    private mutating func raise(_ accepted: [KeyID: SeenCounts]) throws(Fault) {
        let stored = try patiently { () throws(Fault) in try store.keys(for: Set(accepted.keys)) }
        for keyID in accepted.keys where stored[keyID] == nil {
            guard outcome.missingKeys.count < Self.missingKeysMax else { break }
            outcome.missingKeys.insert(keyID)
        }
        let low = accepted.filter { keyID, counts in stored[keyID]?.use(learning: counts) != nil }
        guard !low.isEmpty else { return }
        guard !isDryRun else {
            for (keyID, counts) in low {
                note(raised: stored[keyID].map { $0.signCount < counts.highest } ?? false)
            }
            return
        }
        let reads = BatchReads(partitions: [], keyIDs: Set(low.keys), requests: [])
        let isRaised = try patiently { () throws(Fault) in
            try store.transact(reads) { state in
                // Under lock: a worker may have raised it since, or an operator deleted it.
                var uses: [KeyID: KeyUse] = [:]
                var isRaised: [Bool] = []
                for (keyID, counts) in low {
                    guard let key = state.keys[keyID], let use = key.use(learning: counts) else {
                        continue
                    }
                    uses[keyID] = use
                    isRaised.append(key.signCount < use.signCount)
                }
                return (writes: BatchWrites(uses: uses), result: isRaised)
            }
        }
        for isRaised in isRaised { note(raised: isRaised) }
    }

    private mutating func note(raised isRaised: Bool) {
        if isRaised { outcome.raised += 1 } else { outcome.closed += 1 }
    }

    private func patiently<Result>(
        _ body: () throws(Fault) -> Result
    ) throws(Fault) -> Result {
        var attempt = 1
        while true {
            do {
                return try body()
            } catch {
                guard error.disposition == .retry, attempt < Self.attemptsMax else { throw error }
                pause(.milliseconds(100 << attempt))
                attempt += 1
            }
        }
    }
}

extension StoredKey {
    /// What a row must take over of counts that were accepted; nil if it knows of all.
    ///
    /// A row that is raised loses its window: what was accepted between its old count and the new
    /// one may not all be among the verdicts that were read.
    fileprivate func use(learning counts: SeenCounts) -> KeyUse? {
        guard counts.highest <= signCount else { return KeyUse(signCount: counts.highest) }
        var seen = self.seen
        seen.accept(counts)
        return seen == self.seen ? nil : KeyUse(signCount: signCount, window: seen)
    }
}
