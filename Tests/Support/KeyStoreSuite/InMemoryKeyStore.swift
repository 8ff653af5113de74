package import AppAttest
internal import Glibc
package import Worker

/// A connection to an ``InMemoryDatabase``: a key store that dies where a test wants it to.
package final class InMemoryKeyStore: KeyStore {
    /// How often a lock that is held is asked for, by default a millisecond apart, before `.retry`.
    package static let lockAttemptsMax = 1000

    private let database: InMemoryDatabase
    private let group: String
    private let retentionDays: Int
    private let waitForLock: () throws(Fault) -> Void
    private let hook: StoreHook

    /// Connects.
    ///
    /// - Parameters:
    ///   - database: what several stores share.
    ///   - group: the consumer group whose progress it keeps.
    ///   - retentionDays: for how many days inbox rows are kept.
    ///   - hook: called on both sides of every effect; what it throws is thrown.
    ///   - waitForLock: called before a lock that was held is asked for again.
    package init(
        _ database: InMemoryDatabase, group: String = "group", retentionDays: Int = 30,
        hook: @escaping StoreHook = { (_, _) throws(Fault) in },
        waitForLock: @escaping () throws(Fault) -> Void = { () throws(Fault) in usleep(1000) }
    ) {
        self.database = database
        self.group = group
        self.retentionDays = retentionDays
        self.waitForLock = waitForLock
        self.hook = hook
    }

    package func claim(
        _ initial: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Progress] {
        try hook(.claim, .before)
        let group = group
        let (held, _) = try lock(Set(initial.keys.map { .progress(id($0)) }), for: .claim)
        defer { database.unlock(held) }
        try database.commit { (rows) throws(Fault) in
            for (partition, nextOffset) in initial {
                let id = InMemoryDatabase.ProgressID(group: group, partition: partition)
                var row =
                    rows.progress[id]
                    ?? Progress(
                        epoch: 0, nextOffset: nextOffset, publishedOffset: nextOffset,
                        lastTimestampMilliseconds: 0)
                row.epoch += 1
                rows.progress[id] = row
            }
        }
        try hook(.claim, .after)
        return progress(of: Set(initial.keys), in: database.rows)
    }

    package func reset(_ progress: [TopicPartition: Progress]) throws(Fault) {
        try hook(.reset, .before)
        let group = group
        let (held, _) = try lock(Set(progress.keys.map { .progress(id($0)) }), for: .reset)
        defer { database.unlock(held) }
        try database.commit { (rows) throws(Fault) in
            for (partition, wanted) in progress {
                let id = InMemoryDatabase.ProgressID(group: group, partition: partition)
                guard rows.progress[id]?.epoch == wanted.epoch else { throw .lostPartition }
                rows.progress[id]?.nextOffset = wanted.nextOffset
                rows.progress[id]?.publishedOffset = wanted.nextOffset
                rows.progress[id]?.lastTimestampMilliseconds = 0
            }
        }
        try hook(.reset, .after)
    }

    package func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey] {
        try hook(.readKeys, .before)
        let keys = stored(keyIDs, in: database.rows)
        try hook(.readKeys, .after)
        return keys
    }

    package func transact<Result>(
        _ reads: BatchReads, decide: (BatchState) -> (writes: BatchWrites?, result: Result)
    ) throws(Fault) -> Result {
        try hook(.begin, .before)
        let wanted = Set(reads.partitions.map { InMemoryDatabase.Lock.progress(id($0)) })
            .union(reads.keyIDs.map { .key($0) })
            .union(reads.owners.keys.map { .owner($0) })
        let (held, rows) = try lock(wanted, for: .begin)
        // Whatever happens below, also a death: the server gives a dead connection's locks back.
        defer { database.unlock(held) }
        var state = BatchState(
            progress: progress(of: reads.partitions, in: rows),
            keys: stored(reads.keyIDs, in: rows),
            inbox: inbox(reads.requests, in: rows), owned: rows.owned(by: reads.owners))
        if reads.wantsStandings {
            for keyID in reads.keyIDs {
                guard let row = rows.receipts[keyID] else { continue }
                state.standings[keyID] = ReceiptStanding(
                    seenOn: row.seenOn, metric: row.state.metric,
                    metricAsOf: row.state.metricAsOf)
            }
        }
        state.used = reads.once.filter { rows.used[$0] != nil }
        try hook(.begin, .after)
        let (writes, result) = decide(state)
        guard let writes else { return result }
        try hook(.commit, .before)
        let known = Set(state.keys.keys)
        let locked = Set(state.progress.keys)
        let group = group
        try database.commit { (rows) throws(Fault) in
            try rows.apply(writes, known: known, locked: locked, group: group)
        }
        try hook(.commit, .after)
        return result
    }

    package func probe() throws(Fault) {
        try hook(.probe, .before)
        try hook(.probe, .after)
    }

    package func pruneInbox(rowsMax: Int) throws(Fault) -> Int {
        try hook(.prune, .before)
        let retentionDays = retentionDays
        let before = database.rows.inbox.count
        try database.commit { (rows) throws(Fault) in
            let oldest = rows.today - retentionDays
            let old = rows.inbox.filter { $0.value.decidedOn < oldest }.prefix(rowsMax)
            for (key, _) in old { rows.inbox[key] = nil }
        }
        let deleted = before - database.rows.inbox.count
        try hook(.prune, .after)
        return deleted
    }

    package func pruneUsed(expiredBefore instant: Instant, rowsMax: Int) throws(Fault) -> Int {
        let before = database.rows.used.count
        try database.commit { (rows) throws(Fault) in
            let old = rows.used.filter { $0.value < instant }.prefix(rowsMax)
            for (id, _) in old { rows.used[id] = nil }
        }
        return before - database.rows.used.count
    }

    package func pruneAudit(rowsMax: Int) throws(Fault) -> Int { 0 }

    package func close() {}

    private func id(_ partition: TopicPartition) -> InMemoryDatabase.ProgressID {
        InMemoryDatabase.ProgressID(group: group, partition: partition)
    }

    private func lock(
        _ wanted: Set<InMemoryDatabase.Lock>, for step: StoreStep
    ) throws(Fault) -> (held: Set<InMemoryDatabase.Lock>, rows: InMemoryDatabase.Rows) {
        for _ in 0..<Self.lockAttemptsMax {
            if let taken = database.tryLock(wanted) { return taken }
            try waitForLock()
        }
        throw Fault(
            operation: step.rawValue, code: "55P03", disposition: .retry,
            message: "another connection holds a row's lock")
    }

    private func progress(
        of partitions: Set<TopicPartition>, in rows: InMemoryDatabase.Rows
    ) -> [TopicPartition: Progress] {
        var found: [TopicPartition: Progress] = [:]
        for partition in partitions { found[partition] = rows.progress[id(partition)] }
        return found
    }

    private func stored(
        _ keyIDs: Set<KeyID>, in rows: InMemoryDatabase.Rows
    ) -> [KeyID: StoredKey] {
        var found: [KeyID: StoredKey] = [:]
        for keyID in keyIDs { found[keyID] = rows.keys[keyID]?.key }
        return found
    }

    private func inbox(
        _ requests: Set<RequestIdentity>, in rows: InMemoryDatabase.Rows
    ) -> [RequestIdentity: InboxEntry] {
        var found: [RequestIdentity: InboxEntry] = [:]
        for request in requests {
            guard var entry = rows.inbox[request.storedBytes]?.entry else { continue }
            entry.identity = request
            found[request] = entry
        }
        return found
    }
}

extension InMemoryDatabase.Rows {
    /// When the newest keys of owners were stored first.
    fileprivate func owned(by owners: [KeyOwner: Int]) -> [KeyOwner: [Instant]] {
        var found = owners.mapValues { _ in [Instant]() }
        for (keyID, registration) in keys {
            guard let subject = registration.key.subject else { continue }
            found[KeyOwner(appID: registration.key.appID, subject: subject)]?
                .append(createdAt[keyID] ?? registration.attestedAt)
        }
        for (owner, most) in owners {
            found[owner]?.sort(by: >)
            found[owner].map { found[owner] = Array($0.prefix(most)) }
        }
        return found
    }

    /// Applies a batch as the database would, or throws and is to be thrown away.
    fileprivate mutating func apply(
        _ writes: BatchWrites, known: Set<KeyID>, locked: Set<TopicPartition>, group: String
    ) throws(Fault) {
        for registration in writes.registrations {
            try register(registration, isKnown: known.contains(registration.key.keyID))
        }
        for registration in writes.registrations
        where keys[registration.key.keyID]?.key.status != .erased {
            storeReceipt(of: registration)
        }
        for (keyID, sighting) in writes.sightings { noteSeen(keyID, sighting) }
        for entry in writes.inbox {
            guard inbox[entry.identity.storedBytes] == nil else {
                throw .concurrentInsert("another connection stored a request of this batch")
            }
            inbox[entry.identity.storedBytes] = InMemoryDatabase.InboxRow(
                entry: entry, decidedOn: today)
        }
        for once in writes.once {
            guard used[once.id] == nil else {
                throw .concurrentInsert("another connection used what a batch uses once")
            }
            used[once.id] = once.expiry
        }
        audit += writes.audit.map(\.entries) ?? []
        for (keyID, use) in writes.uses {
            guard var stored = keys[keyID]?.key else {
                throw Fault(
                    operation: "store batch", code: "missing_row", disposition: .stop(.software),
                    message: "a sign count was to be raised on a key that is not stored")
            }
            stored.signCount = max(stored.signCount, use.signCount)
            stored.lastUsedOn = [stored.lastUsedOn, use.usedOn].compactMap { $0 }.max()
            stored.attestedOn = [stored.attestedOn, use.attestedOn].compactMap { $0 }.max()
            if use.attestedOn != nil { stored.reattested = true }
            if let window = use.window {
                let isSame = stored.window?.highest == window.highest
                let old = isSame ? stored.window?.bits ?? 0 : 0
                stored.window = SeenCounts(highest: window.highest, bits: window.bits | old)
            }
            keys[keyID]?.key = stored
        }
        for (partition, progress) in writes.progress {
            let id = InMemoryDatabase.ProgressID(group: group, partition: partition)
            guard locked.contains(partition), let stored = self.progress[id],
                stored.epoch == progress.epoch
            else {
                throw .lostPartition
            }
            self.progress[id]?.nextOffset = max(stored.nextOffset, progress.nextOffset)
            self.progress[id]?.publishedOffset = max(
                stored.publishedOffset, progress.publishedOffset)
            self.progress[id]?.lastTimestampMilliseconds = max(
                stored.lastTimestampMilliseconds, progress.lastTimestampMilliseconds)
        }
    }

    private mutating func register(
        _ registration: KeyRegistration, isKnown: Bool
    ) throws(Fault) {
        let key = registration.key
        let texts = [key.appID, key.subject, registration.platform, registration.osVersion]
        guard texts.allSatisfy({ $0?.utf8.contains(0) != true }) else {
            throw Fault(
                operation: "store batch", code: "22021", disposition: .poison,
                message: "a text holds the character NUL")
        }
        guard let stored = keys[key.keyID]?.key else {
            keys[key.keyID] = registration
            createdAt[key.keyID] = registration.attestedAt
            return
        }
        guard isKnown else {
            throw .concurrentInsert("another connection stored a key of this batch")
        }
        // A tombstone takes nothing back: its owner asked for its erasure.
        guard stored.status != .erased else { return }
        keys[key.keyID] = registration
        keys[key.keyID]?.key = stored
    }
}

extension Fault {
    fileprivate static var lostPartition: Fault {
        Fault(
            operation: "store batch", code: "fenced", disposition: .fenced,
            message: "a partition has another owner now")
    }

    fileprivate static func concurrentInsert(_ message: String) -> Fault {
        Fault(
            operation: "store batch", code: "concurrent_insert", disposition: .retry,
            message: message)
    }
}
