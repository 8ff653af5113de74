package import AppAttest
internal import LibCrypto
package import Worker

/// The key store on PostgreSQL: one connection, used by one lane.
///
/// Connecting is lazy and part of each call. A call that finds the server down throws `.retry`
/// within the connect timeout, and the next one tries anew. Round trips: ``keys(for:)``,
/// ``claim(_:)``, ``probe()`` and ``pruneInbox(rowsMax:)`` take one, ``transact(_:decide:)`` and
/// ``reset(_:)`` two.
package final class PostgresKeyStore: KeyStore {
    private(set) var settings: PostgresSettings
    private let access: Live<DatabaseAccess>?
    private var accessVersion = 0
    private let noteConnect: @Sendable (_ isOpen: Bool) -> Void
    private(set) var connection: Connection?

    /// Round trips to the server that the open connection has taken; 0 without one.
    package var roundTrips: Int { connection?.roundTrips ?? 0 }

    /// A store that is not connected yet.
    ///
    /// - Parameters:
    ///   - settings: where to, and how patient to be.
    ///   - access: what replaces connection string and password of sessions opened from then on.
    ///   - noteConnect: is told of each try to connect.
    package init(
        _ settings: PostgresSettings, access: Live<DatabaseAccess>? = nil,
        noteConnect: @escaping @Sendable (_ isOpen: Bool) -> Void = { _ in }
    ) {
        self.settings = settings
        self.access = access
        self.noteConnect = noteConnect
    }

    package func claim(
        _ initial: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Progress] {
        guard !initial.isEmpty else { return [:] }
        let partitions = Array(initial)
        let claim = Command(
            .claim, .text(settings.group), .text(settings.owner),
            .texts(partitions.map(\.key.topic)), .int4s(partitions.map(\.key.partition)),
            .int8s(partitions.map(\.value)))
        return try perform("claim partitions") { (connection) throws(PostgresError) in
            let results = try connection.run(self.beginning() + [claim, Command(.commit)])
            try requireCommit(results.last)
            guard let claimed = results.dropLast().last else { return [:] }
            return try progress(in: claimed)
        }
    }

    package func reset(_ progress: [TopicPartition: Progress]) throws(Fault) {
        let reads = BatchReads(partitions: Set(progress.keys), keyIDs: [], requests: [])
        let state = try begin(reads)
        guard progress.allSatisfy({ state.progress[$0.key]?.epoch == $0.value.epoch }) else {
            abandonTransaction()
            throw fenced("reset progress")
        }
        let reset = progressCommand(.resetProgress, progress).changing(progress.count)
        try commit([reset], "reset progress")
    }

    package func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey] {
        guard !keyIDs.isEmpty else { return [:] }
        let command = Command(.readKeys, .byteStrings(keyIDs.map(\.digest.bytes)))
        return try perform("read keys") { (connection) throws(PostgresError) in
            guard let rows = try connection.run([command]).first else { return [:] }
            return try storedKeys(in: rows)
        }
    }

    package func transact<Result>(
        _ reads: BatchReads, decide: (BatchState) -> (writes: BatchWrites?, result: Result)
    ) throws(Fault) -> Result {
        let state = try begin(reads)
        let (writes, result) = decide(state)
        guard let writes else {
            abandonTransaction()
            return result
        }
        let commands: [Command]
        do {
            commands = try writeCommands(writes, state: state, group: settings.group)
        } catch {
            abandonTransaction()
            throw error
        }
        try commit(commands, "store batch")
        return result
    }

    package func pruneInbox(rowsMax: Int) throws(Fault) -> Int {
        let prune = Command(
            .pruneInbox, .int4(Int32(clamping: settings.inboxRetentionDays)),
            .int8(Int64(rowsMax)))
        return try perform("prune inbox") { (connection) throws(PostgresError) in
            let results = try connection.run(self.beginning() + [prune, Command(.commit)])
            try requireCommit(results.last)
            return results.dropLast().last?.changedCount ?? 0
        }
    }

    package func pruneAudit(rowsMax: Int) throws(Fault) -> Int {
        let prune = Command(
            .pruneAudit, .int4(Int32(clamping: settings.auditRetentionDays)),
            .int8(Int64(rowsMax)))
        return try perform("prune audit") { (connection) throws(PostgresError) in
            let results = try connection.run(self.beginning() + [prune, Command(.commit)])
            try requireCommit(results.last)
            return results.dropLast().last?.changedCount ?? 0
        }
    }

    package func probe() throws(Fault) {
        try perform("probe") { (connection) throws(PostgresError) in
            var isReadOnly = ""
            try connection.run([Command(.probe)]).first?.forEach { (row) throws(PostgresError) in
                isReadOnly = try row.text(0)
            }
            guard isReadOnly == "off" else {
                // The error that the first write would meet: a standby, or set so by an operator.
                throw PostgresError(
                    .server(
                        sqlState: "25006", constraint: nil, message: "the server is read only"))
            }
        }
    }

    package func close() {
        connection = nil
    }

    // MARK: - Transactions

    /// The first round trip: lock progress, owners, keys, and then, in later statements, look.
    private func begin(_ reads: BatchReads) throws(Fault) -> BatchState {
        let partitions = Array(reads.partitions)
        let lockProgress = Command(
            .lockProgress, .text(settings.group), .texts(partitions.map(\.topic)),
            .int4s(partitions.map(\.partition)))
        let lockKeys = Command(.lockKeys, .byteStrings(reads.keyIDs.map(\.digest.bytes)))
        let readInbox = Command(.readInbox, .uuids(reads.requests.map(\.storedBytes)))
        let owners = Array(reads.owners)
        return try perform("lock rows") { (connection) throws(PostgresError) in
            var commands = [lockProgress]
            if !owners.isEmpty { commands.append(lockOwners(owners.map(\.key))) }
            commands += [lockKeys, readInbox]
            if !owners.isEmpty { commands.append(readOwned(owners)) }
            if reads.wantsStandings { commands.append(readStandings(reads.keyIDs)) }
            if !reads.once.isEmpty { commands.append(readUsed(reads.once)) }
            var results = try connection.run(self.beginning() + commands).suffix(commands.count)
            guard results.count == commands.count, let first = results.popFirst() else {
                throw PostgresError(.unexpectedAnswer("a result is missing"))
            }
            let used = reads.once.isEmpty ? nil : results.popLast()
            let standings = reads.wantsStandings ? results.popLast() : nil
            let owned = owners.isEmpty ? nil : results.popLast()
            guard let last = results.popLast(), let keys = results.popLast() else {
                throw PostgresError(.unexpectedAnswer("a result is missing"))
            }
            var state = BatchState(
                progress: try progress(in: first), keys: try storedKeys(in: keys),
                inbox: try entries(in: last, asked: reads.requests),
                owned: try registrationTimes(in: owned, of: owners.map(\.key)))
            state.standings = try receiptStandings(in: standings)
            state.used = try usedIDs(in: used)
            return state
        }
    }

    /// The second round trip: write and COMMIT.
    ///
    /// Each command that finds a row changed by someone else is an error, and then the server skips
    /// what follows in the pipeline, also the COMMIT.
    private func commit(_ commands: [Command], _ operation: String) throws(Fault) {
        try perform(operation) { (connection) throws(PostgresError) in
            let results = try connection.run(commands + [Command(.commit)])
            try requireCommit(results.last)
            // The rows were locked or new, so this can't differ unless a trigger, a rule or a
            // policy that isn't ours has its hands in our tables. It is too late to undo, but no
            // further verdict may rest on such a database.
            for (command, result) in zip(commands, results)
            where command.changes != nil && command.changes != result.changedCount {
                throw PostgresError(
                    .unexpectedAnswer("\(command.statement.name) changed too few or many rows"))
            }
        }
    }

    /// Opens a transaction, with its own settings where a pooler stands in between.
    func beginning() -> [Command] {
        settings.isPooled
            ? [Command(.begin), Command.configure(settings, isLocal: true)] : [Command(.begin)]
    }

    /// Rolls back.
    ///
    /// If that fails the connection goes, and with it the transaction: nothing of it stays either
    /// way, so there is nothing to report.
    private func abandonTransaction() {
        guard let connection else { return }
        do {
            _ = try connection.run([Command(.rollback)])
        } catch {
            self.connection = nil
        }
        if !connection.isUsable || connection.isInTransaction { self.connection = nil }
    }

    // MARK: - The connection

    /// Runs `body` on a connection that is open, and leaves one behind that is clean, or none.
    func perform<Result>(
        _ operation: String, _ body: (Connection) throws(PostgresError) -> Result
    ) throws(Fault) -> Result {
        let connection: Connection
        do {
            connection = try opened()
        } catch {
            // Whoever came first has nothing to do with it.
            throw error.fault("connect to PostgreSQL")
        }
        do {
            return try body(connection)
        } catch {
            if !error.leavesConnectionUsable || !connection.isUsable {
                self.connection = nil
            } else if connection.isInTransaction {
                abandonTransaction()
            }
            throw error.fault(operation)
        }
    }

    private func opened() throws(PostgresError) -> Connection {
        if let connection { return connection }
        if let newer = access?.newer(than: &accessVersion) {
            settings.conninfo = newer.conninfo
            settings.password = newer.password
        }
        let fresh: Connection
        do {
            fresh = try Connection(settings)
            noteConnect(true)
        } catch {
            noteConnect(false)
            throw error
        }
        // A pooler lends the session to others too: it must not keep our settings.
        let configured = try fresh.run([.configure(settings, isLocal: settings.isPooled)])
        try requireDurableCommits(configured.first, settings)
        connection = fresh
        return fresh
    }

    private func progressCommand(
        _ statement: Statement, _ progress: [TopicPartition: Progress]
    ) -> Command {
        let rows = Array(progress)
        return Command(
            statement, .text(settings.group), .texts(rows.map(\.key.topic)),
            .int4s(rows.map(\.key.partition)), .int8s(rows.map(\.value.epoch)),
            .int8s(rows.map(\.value.nextOffset)))
    }
}

/// Throws unless the result is that of a COMMIT which committed.
///
/// A COMMIT of a failed transaction succeeds too, with the tag ROLLBACK.
func requireCommit(_ result: Rows?) throws(PostgresError) {
    guard let result, result.commandTag == "COMMIT" else {
        throw PostgresError(
            .server(sqlState: "40000", constraint: nil, message: "COMMIT rolled back"))
    }
}

/// Throws unless commits survive a crash of the server, or that is not asked for.
///
/// - Parameters:
///   - configured: the result of ``Command/configure(_:isLocal:)``.
///   - settings: whether it is asked for.
/// - Throws: `.settings` if they don't, `.unexpectedAnswer` if the server tells nothing of it.
func requireDurableCommits(
    _ configured: Rows?, _ settings: PostgresSettings
) throws(PostgresError) {
    var synchronousCommit = ""
    try configured?.forEach { (row) throws(PostgresError) in
        synchronousCommit = try row.text(0)
    }
    guard synchronousCommit != "off" || settings.allowsAsynchronousCommit else {
        throw PostgresError(
            .settings("synchronous_commit is off: a crash would forget sign counts"))
    }
}

/// The fault of a lane whose partition has another owner.
func fenced(_ operation: String) -> Fault {
    Fault(
        operation: operation, code: "fenced", disposition: .fenced,
        message: "a partition has another owner now")
}
