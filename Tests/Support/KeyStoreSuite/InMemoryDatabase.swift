package import AppAttest
package import LibCrypto
internal import Synchronization
package import Worker

/// A database in memory: what several ``InMemoryKeyStore``s, its connections, share.
///
/// It has row locks and atomic commits and nothing else of a database. It may be used from several
/// threads.
package final class InMemoryDatabase: Sendable {
    /// A progress row's key.
    package struct ProgressID: Hashable, Sendable {
        /// The consumer group.
        package var group: String
        /// The partition.
        package var partition: TopicPartition

        /// A key from its parts.
        package init(group: String, partition: TopicPartition) {
            self.group = group
            self.partition = partition
        }
    }

    /// A decided request and the day on which it was stored.
    package struct InboxRow: Hashable, Sendable {
        /// The entry.
        package var entry: InboxEntry
        /// Days on the database's clock.
        package var decidedOn: Int
    }

    /// All rows, as committed.
    package struct Rows: Hashable, Sendable {
        /// The progress rows.
        package var progress: [ProgressID: Progress] = [:]
        /// The keys with what their last attestation told.
        package var keys: [KeyID: KeyRegistration] = [:]
        /// When each key was stored first: the database's clock keeps step with the records.
        package var createdAt: [KeyID: Instant] = [:]
        /// The inbox by the bytes that are stored of an identity.
        package var inbox: [[UInt8]: InboxRow] = [:]
        /// What was used once, with its expiry.
        package var used: [Digest32: Instant] = [:]
        /// What was kept of decisions, in their order.
        package var audit: [AuditEntry] = []
        /// Keys taken out of use, each with why; the reason of an erased one is nil.
        package var withdrawals: [KeyID: String?] = [:]
        /// Keys given to another owner, each with why, the latest last; forgotten of an erased one.
        package var moves: [KeyID: [String?]] = [:]
        /// The newest receipts.
        package var receipts: [KeyID: InMemoryReceiptRow] = [:]
        /// How fast fleets ask for receipts.
        package var paces: [String: RefreshPace] = [:]
        /// The database's clock, in days.
        package var today = 0

        /// No rows.
        package init() {}
    }

    enum Lock: Hashable {
        case progress(ProgressID)
        case owner(KeyOwner)
        case key(KeyID)
    }

    private struct State {
        var rows = Rows()
        var locks: Set<Lock> = []
        var queue = InMemoryDueQueue()
    }

    private let state = Mutex(State())

    /// An empty database.
    package init() {}

    /// The committed rows.
    ///
    /// Setting them stands for an operator, or for a restored copy.
    package var rows: Rows {
        get { state.withLock { $0.rows } }
        set {
            state.withLock { state in
                state.rows = newValue
                state.queue.isStale = true
            }
        }
    }

    /// Whether anyone holds a row's lock.
    package var isLocked: Bool {
        state.withLock { !$0.locks.isEmpty }
    }

    /// Changes committed rows in one step, without asking for locks.
    package func change(_ body: @Sendable (inout Rows) -> Void) {
        state.withLock { state in
            body(&state.rows)
            state.queue.isStale = true
        }
    }

    /// Changes receipts in place, with their order of being due at hand.
    func withReceipts<Result: Sendable>(
        _ body: (inout Rows, inout InMemoryDueQueue) -> Result
    ) -> Result {
        state.withLock { body(&$0.rows, &$0.queue) }
    }

    /// Takes those of `wanted` whose rows exist, all or none.
    ///
    /// - Returns: the locks taken and the rows as they are then; nil if one is held.
    func tryLock(_ wanted: Set<Lock>) -> (held: Set<Lock>, rows: Rows)? {
        state.withLock { state in
            let existing = wanted.filter { lock in
                switch lock {
                case .progress(let id): state.rows.progress[id] != nil
                // No row: the lock is of the owner's name.
                case .owner: true
                case .key(let id): state.rows.keys[id] != nil
                }
            }
            guard state.locks.isDisjoint(with: existing) else { return nil }
            state.locks.formUnion(existing)
            return (existing, state.rows)
        }
    }

    /// Gives locks back.
    func unlock(_ held: Set<Lock>) {
        state.withLock { $0.locks.subtract(held) }
    }

    /// Applies writes to the committed rows, all or none.
    func commit(
        _ body: @Sendable (inout Rows) throws(Fault) -> Void
    ) throws(Fault) {
        try state.withLock { (state) throws(Fault) in
            var rows = state.rows
            try body(&rows)
            // Most batches change no receipt, and a long queue is not to be built anew for them.
            if rows.receipts != state.rows.receipts { state.queue.isStale = true }
            state.rows = rows
        }
    }
}
