package import AppAttest
internal import LibCrypto
internal import Wire
package import Worker

/// The keys in PostgreSQL as an operator's commands use them: one connection, for one command.
///
/// Each transaction sets its own time limits, so that it works behind a pooler too. After a fault
/// the connection is gone and the next call opens another.
package final class PostgresKeyRegister: KeyRegister {
    /// How many blocks of the inbox are searched in one transaction: 16 MiB of the usual size.
    package static let blocksPerTransaction: UInt32 = 2048

    private let settings: PostgresSettings
    private var connection: Connection?

    /// A register that is not connected yet.
    package init(_ settings: PostgresSettings) {
        self.settings = settings
    }

    package func records(of keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: KeyRecord] {
        let command = Command(.readRecords, .byteStrings(keyIDs.map(\.digest.bytes)))
        let found = try perform("read keys") { (connection) throws(PostgresError) in
            try keyRecords(in: try self.transact([command], connection).first)
        }
        return Dictionary(uniqueKeysWithValues: found.map { ($0.key.keyID, $0) })
    }

    package func list(
        _ filter: KeyFilter, after: KeyID?, limit: Int
    ) throws(Fault) -> [KeyRecord] {
        let since = filter.since?.postgresTimestamp
        guard (since == nil) == (filter.since == nil) else {
            throw Fault(
                operation: "list keys", code: "22008", disposition: .stop(.usage),
                message: "the moment to list from is out of the database's range")
        }
        let command = Command(
            .listRecords, .bytes(after?.digest.bytes ?? []), .optionalText(filter.appID),
            .optionalText(filter.environment?.rawValue), .optionalText(filter.status?.rawValue),
            .optionalText(filter.subject), .optionalTimestamp(since),
            .int8(Int64(limit)))
        return try perform("list keys") { (connection) throws(PostgresError) in
            try keyRecords(in: try self.transact([command], connection).first)
        }
    }

    package func apply(
        _ change: KeyChange, to keyIDs: Set<KeyID>, appID: String, isDryRun: Bool
    ) throws(Fault) -> [KeyID: KeyChangeOutcome] {
        let lock = Command(.lockKeys, .byteStrings(keyIDs.map(\.digest.bytes)))
        return try perform("change keys") { (connection) throws(PostgresError) in
            let locks = self.owners(of: change, appID: appID) + [lock]
            guard let rows = try self.begin(locks, connection).last else { return [:] }
            let stored = try storedKeys(in: rows)
            var outcomes: [KeyID: KeyChangeOutcome] = [:]
            for keyID in keyIDs {
                outcomes[keyID] = change.outcome(for: stored[keyID], appID: appID)
            }
            let changed = outcomes.filter(\.value.isChange)
            let writes = changed.isEmpty ? [] : self.writes(change, Set(changed.keys))
            try self.end(writes, isDryRun: isDryRun, connection)
            return outcomes
        }
    }

    package func eraseVerdicts(
        of keyIDs: Set<KeyID>, isDryRun: Bool, progress: (Double) -> Void
    ) throws(Fault) -> Int {
        let blocks = try perform("measure the inbox") { (connection) throws(PostgresError) in
            var blocks: Int64 = 0
            let command = Command(.measureInbox)
            try self.transact([command], connection).first?.forEach {
                (row) throws(PostgresError) in
                blocks = try row.integer(0)
            }
            return UInt32(clamping: blocks)
        }
        let texts = Parameter.byteStrings(keyIDs.map { Array($0.text.utf8) })
        var changed = 0
        var first: UInt32 = 0
        while first < blocks {
            let (sum, overflow) = first.addingReportingOverflow(Self.blocksPerTransaction)
            let end = overflow ? blocks : min(sum, blocks)
            let find = Command(.findVerdicts, .place(block: first), .place(block: end), texts)
            changed += try perform("erase verdicts") { (connection) throws(PostgresError) in
                try self.replaceVerdicts(
                    found: try self.begin([find], connection).first, of: keyIDs,
                    isDryRun: isDryRun, connection)
            }
            first = end
            progress(Double(end) / Double(blocks))
        }
        return changed
    }

    package func close() {
        connection = nil
    }

    // MARK: - Steps

    /// The locks that a worker would take before those of the keys.
    private func owners(of change: KeyChange, appID: String) -> [Command] {
        guard case .move(let subject, _) = change else { return [] }
        return [lockOwners([KeyOwner(appID: appID, subject: subject)])]
    }

    private func writes(_ change: KeyChange, _ keyIDs: Set<KeyID>) -> [Command] {
        let ids = Parameter.byteStrings(keyIDs.map(\.digest.bytes))
        switch change {
        case .revoke(let reason):
            return [
                Command(.revokeKeys, ids).changing(keyIDs.count),
                Command(
                    .recordWithdrawals, ids, .text(KeyStatus.revoked.rawValue), .text(reason)
                ).changing(keyIDs.count),
            ]
        case .move(let subject, let reason):
            return [
                // First, as it notes the owner of before.
                Command(.recordMoves, ids, .text(subject), .text(reason)).changing(keyIDs.count),
                Command(.moveKeys, ids, .text(subject)).changing(keyIDs.count),
            ]
        case .erase:
            return [
                Command(.eraseKeys, ids).changing(keyIDs.count),
                // Not counted: a key put there by other means may have none.
                Command(.deleteAttestations, ids),
                Command(.forgetMoves, ids),
                Command(.deleteReceipts, ids),
                Command(
                    .recordWithdrawals, ids, .text(KeyStatus.erased.rawValue), .optionalText(nil)
                ).changing(keyIDs.count),
            ]
        }
    }

    private func replaceVerdicts(
        found rows: Rows?, of keyIDs: Set<KeyID>, isDryRun: Bool, _ connection: Connection
    ) throws(PostgresError) -> Int {
        var requests: [[UInt8]] = []
        var verdicts: [[UInt8]] = []
        try rows?.forEach { (row) throws(PostgresError) in
            let stored = try row.bytes(1)
            guard let erased = ErasedVerdict(of: stored) else { throw row.unexpected(1) }
            guard keyIDs.contains(erased.keyID), erased.bytes != stored else { return }
            requests.append(try row.bytes(0))
            verdicts.append(erased.bytes)
        }
        let replace = Command(.replaceVerdicts, .uuids(requests), .byteStrings(verdicts))
            .changing(requests.count)
        // Once the inbox has forgotten a request, nothing tells whose decision the audit has.
        let forget = Command(
            .forgetAudit, .uuids(requests), .bytes(AuditFacts.ofErased.encoded ?? []))
        try end(requests.isEmpty ? [] : [replace, forget], isDryRun: isDryRun, connection)
        return requests.count
    }

    // MARK: - Transactions

    /// A transaction of reads.
    private func transact(
        _ commands: [Command], _ connection: Connection
    ) throws(PostgresError) -> [Rows] {
        let rows = try begin(commands, connection)
        try end([], isDryRun: false, connection)
        return rows
    }

    /// Opens a transaction; gives the commands' results.
    private func begin(
        _ commands: [Command], _ connection: Connection
    ) throws(PostgresError) -> [Rows] {
        let results = try connection.run(
            [Command(.begin), .configure(settings, isLocal: true)] + commands)
        try requireDurableCommits(results.dropFirst().first, settings)
        return Array(results.dropFirst(2))
    }

    /// Writes, checks that as many rows changed as must, and ends the transaction.
    private func end(
        _ writes: [Command], isDryRun: Bool, _ connection: Connection
    ) throws(PostgresError) {
        if !writes.isEmpty {
            for (command, result) in zip(writes, try connection.run(writes))
            where command.changes != nil && command.changes != result.changedCount {
                throw PostgresError(
                    .unexpectedAnswer("\(command.statement.name) changed too few or many rows"))
            }
        }
        guard !isDryRun else {
            _ = try connection.run([Command(.rollback)])
            return
        }
        try requireCommit(connection.run([Command(.commit)]).last)
    }

    private func opened() throws(PostgresError) -> Connection {
        if let connection { return connection }
        let fresh = try Connection(settings)
        connection = fresh
        return fresh
    }

    private func perform<Result>(
        _ operation: String, _ body: (Connection) throws(PostgresError) -> Result
    ) throws(Fault) -> Result {
        do throws(PostgresError) {
            return try body(try opened())
        } catch {
            // With the connection goes its transaction.
            connection = nil
            throw error.fault(operation)
        }
    }
}

/// The keys of a result, in its order.
private func keyRecords(in rows: Rows?) throws(PostgresError) -> [KeyRecord] {
    var found: [KeyRecord] = []
    try rows?.forEach { (row) throws(PostgresError) in
        var record = KeyRecord(
            key: try storedKey(in: row),
            registeredAt: Instant(milliseconds: try row.integer(14)), attestation: nil,
            withdrawal: nil)
        if try row.optionalBytes(15) != nil {
            record.attestation = KeyRecord.Attestation(
                at: Instant(milliseconds: try row.integer(15)), platform: try row.optionalText(16),
                osVersion: try row.optionalText(17),
                receiptBytes: Int(try row.integer(18, as: Int32.self)))
        }
        if let role = try row.optionalText(20) {
            record.withdrawal = KeyRecord.Withdrawal(
                reason: try row.optionalText(19), by: role,
                at: Instant(milliseconds: try row.integer(21)))
        }
        if let role = try row.optionalText(23) {
            record.lastMove = KeyRecord.Move(
                reason: try row.optionalText(22), by: role,
                at: Instant(milliseconds: try row.integer(24)))
        }
        record.refresh = try keyRefresh(in: row, from: 25)
        found.append(record)
    }
    return found
}
