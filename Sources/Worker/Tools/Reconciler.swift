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
    private var pending: [KeyID: UInt32] = [:]
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
                pending[keyID] = max(pending[keyID] ?? 0, signCount)
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

    private mutating func raise(_ signCounts: [KeyID: UInt32]) throws(Fault) {
        let stored = try patiently { () throws(Fault) in try store.keys(for: Set(signCounts.keys)) }
        for keyID in signCounts.keys where stored[keyID] == nil {
            guard outcome.missingKeys.count < Self.missingKeysMax else { break }
            outcome.missingKeys.insert(keyID)
        }
        let low = signCounts.filter { keyID, count in
            stored[keyID].map { $0.signCount < count } ?? false
        }
        guard !low.isEmpty else { return }
        guard !isDryRun else {
            outcome.raised += low.count
            return
        }
        let reads = BatchReads(partitions: [], keyIDs: Set(low.keys), requests: [])
        outcome.raised += try patiently { () throws(Fault) in
            try store.transact(reads) { state in
                // Under lock: a worker may have raised it since, or an operator deleted it.
                let raised = low.filter { keyID, count in
                    state.keys[keyID].map { $0.signCount < count } ?? false
                }
                return (writes: BatchWrites(signCounts: raised), result: raised.count)
            }
        }
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
