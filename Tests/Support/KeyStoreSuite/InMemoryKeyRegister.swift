package import AppAttest
internal import Glibc
internal import Wire
package import Worker

/// An operator's connection to an ``InMemoryDatabase``.
///
/// What lies on the database's clock is counted in its days since 1970.
package final class InMemoryKeyRegister: KeyRegister {
    private let database: InMemoryDatabase

    /// Connects.
    package init(_ database: InMemoryDatabase) {
        self.database = database
    }

    package func records(of keyIDs: Set<KeyID>) -> [KeyID: KeyRecord] {
        let rows = database.rows
        var found: [KeyID: KeyRecord] = [:]
        for keyID in keyIDs { found[keyID] = rows.record(of: keyID) }
        return found
    }

    package func list(_ filter: KeyFilter, after: KeyID?, limit: Int) -> [KeyRecord] {
        let rows = database.rows
        let behind = rows.keys.keys.sorted().filter { keyID in after.map { $0 < keyID } ?? true }
        return Array(
            behind.lazy.compactMap { rows.record(of: $0) }.filter { $0.passes(filter) }
                .prefix(limit))
    }

    package func apply(
        _ change: KeyChange, to keyIDs: Set<KeyID>, appID: String, isDryRun: Bool
    ) throws(Fault) -> [KeyID: KeyChangeOutcome] {
        let (held, rows) = try lock(keyIDs)
        defer { database.unlock(held) }
        var outcomes: [KeyID: KeyChangeOutcome] = [:]
        for keyID in keyIDs {
            outcomes[keyID] = change.outcome(for: rows.keys[keyID]?.key, appID: appID)
        }
        guard !isDryRun else { return outcomes }
        let changed = keyIDs.filter { keyID in
            outcomes[keyID]?.isChange ?? false
        }
        database.change { rows in
            for keyID in changed {
                guard let old = rows.keys[keyID] else { continue }
                rows.keys[keyID]?.key = change.applied(to: old.key)
                switch change {
                case .revoke(let reason):
                    rows.withdrawals[keyID] = .some(reason)
                case .move(_, let reason):
                    rows.moves[keyID, default: []].append(reason)
                case .erase:
                    rows.moves[keyID] = rows.moves[keyID]?.map { _ in nil }
                    rows.withdrawals[keyID] = .some(nil)
                    rows.keys[keyID]?.receipt = []
                    rows.keys[keyID]?.platform = nil
                    rows.keys[keyID]?.osVersion = nil
                    rows.receipts[keyID] = nil
                }
            }
        }
        return outcomes
    }

    package func eraseVerdicts(
        of keyIDs: Set<KeyID>, isDryRun: Bool, progress: (Double) -> Void
    ) -> Int {
        let replaced = database.rows.inbox.compactMapValues { row -> InMemoryDatabase.InboxRow? in
            guard let erased = ErasedVerdict(of: row.entry.verdict),
                keyIDs.contains(erased.keyID), erased.bytes != row.entry.verdict
            else { return nil }
            var row = row
            row.entry.verdict = erased.bytes
            return row
        }
        if !isDryRun {
            database.change { rows in rows.inbox.merge(replaced) { _, erased in erased } }
        }
        progress(1)
        return replaced.count
    }

    package func close() {}

    private func lock(
        _ keyIDs: Set<KeyID>
    ) throws(Fault) -> (held: Set<InMemoryDatabase.Lock>, rows: InMemoryDatabase.Rows) {
        for _ in 0..<InMemoryKeyStore.lockAttemptsMax {
            if let taken = database.tryLock(Set(keyIDs.map { .key($0) })) { return taken }
            usleep(1000)
        }
        throw Fault(
            operation: "change keys", code: "55P03", disposition: .retry,
            message: "another connection holds a row's lock")
    }
}

extension InMemoryDatabase.Rows {
    fileprivate func record(of keyID: KeyID) -> KeyRecord? {
        guard let registration = keys[keyID] else { return nil }
        let key = registration.key
        let now = Instant(milliseconds: Int64(today) * 86_400_000)
        let attestation = KeyRecord.Attestation(
            at: registration.attestedAt, platform: registration.platform,
            osVersion: registration.osVersion, receiptBytes: registration.receipt.count)
        let withdrawal = withdrawals[keyID].map { reason in
            KeyRecord.Withdrawal(reason: reason, by: "postgres", at: now)
        }
        return KeyRecord(
            key: key, registeredAt: now, attestation: key.status == .erased ? nil : attestation,
            withdrawal: withdrawal,
            lastMove: moves[keyID]?.last.map { reason in
                KeyRecord.Move(reason: reason, by: "postgres", at: now)
            })
    }
}

extension KeyRecord {
    fileprivate func passes(_ filter: KeyFilter) -> Bool {
        let newest = max(registeredAt, withdrawal?.at ?? registeredAt)
        return (filter.appID.map { $0 == key.appID } ?? true)
            && (filter.environment.map { $0 == key.environment } ?? true)
            && (filter.status.map { $0 == key.status } ?? true)
            && (filter.subject.map { $0 == key.subject } ?? true)
            && (filter.since.map { $0 <= newest } ?? true)
    }
}
