internal import CPQ
internal import Glibc

/// A session with the server: owns the `PGconn`.
///
/// Used by one thread at a time. The socket is non-blocking, and every wait has a deadline: a
/// server that accepts and never answers costs the reply timeout, not for ever. After an error,
/// ``isUsable`` and ``isInTransaction`` tell what is left.
final class Connection {
    private let handle: OpaquePointer
    private let replyTimeout: Duration
    private let prepares: Bool
    private var prepared: Set<Statement> = []
    /// How often it has waited for the server so far.
    private(set) var roundTrips = 0

    /// Connects.
    ///
    /// - Parameter settings: where to, and how patient to be.
    /// - Throws: why there is no session.
    init(_ settings: PostgresSettings) throws(PostgresError) {
        handle = try openHandle(settings)
        replyTimeout = .milliseconds(settings.replyTimeoutMilliseconds)
        prepares = !settings.isPooled
        PQsetNoticeProcessor(handle, ignoreNotice, nil)
        // With a blocking socket a large pipeline and a server busy answering could wait for each
        // other. Source: PostgreSQL manual, libpq pipeline mode.
        guard PQsetnonblocking(handle, 1) == 0 else {
            throw PostgresError(.connectionLost("the socket can't be made non-blocking"))
        }
    }

    deinit {
        PQfinish(handle)
    }

    /// Whether the socket is still there, as far as is known without asking the server.
    var isUsable: Bool { PQstatus(handle) == CONNECTION_OK }

    /// Whether a transaction is open, be it failed or not.
    var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// The server process's id.
    var serverProcessID: Int32 { PQbackendPID(handle) }

    /// Executes commands in one round trip, in order.
    ///
    /// After a command that fails none that follows is executed.
    ///
    /// - Parameter commands: at least one.
    /// - Returns: each command's result.
    /// - Throws: the first error. An open transaction is then still open, and failed.
    func run(_ commands: [Command]) throws(PostgresError) -> [Rows] {
        let deadline = ContinuousClock.now + replyTimeout
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        var expected: [Statement?] = []
        for command in commands {
            if prepares, !prepared.contains(command.statement),
                !expected.contains(command.statement)
            {
                try prepare(command)
                expected.append(command.statement)
            }
            try send(command)
            expected.append(nil)
        }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        roundTrips += 1
        do throws(PostgresError) {
            let results = try collect(expected, until: deadline)
            guard PQexitPipelineMode(handle) == 1 else { throw lost() }
            return results
        } catch {
            // Succeeds if all results were taken; if not, this connection is of no further use.
            PQexitPipelineMode(handle)
            throw error
        }
    }

    /// Executes a script of several statements without parameters.
    ///
    /// - Parameter sql: the text; without a BEGIN of its own it is one transaction.
    /// - Throws: the first error; what follows it is not executed.
    func script(_ sql: String) throws(PostgresError) {
        let deadline = ContinuousClock.now + replyTimeout
        guard PQsendQuery(handle, sql) == 1 else { throw lost() }
        var failure: PostgresError?
        while let result = try nextResult(until: deadline, after: failure) {
            failure = failure ?? self.failure(in: result)
            PQclear(result)
        }
        if let failure { throw failure }
    }

    // MARK: - Sending

    private func prepare(_ command: Command) throws(PostgresError) {
        let types = command.parameters.map(\.type)
        let sent = PQsendPrepare(
            handle, command.statement.name, command.statement.sql, Int32(types.count), types)
        guard sent == 1 else { throw lost() }
    }

    private func send(_ command: Command) throws(PostgresError) {
        let parameters = command.parameters
        // One buffer for all values, with a byte to spare: a pointer into it is never NULL, which
        // would be the SQL NULL.
        var buffer: [UInt8] = []
        buffer.reserveCapacity(1 + parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) })
        var offsets: [Int?] = []
        for parameter in parameters {
            offsets.append(parameter.bytes == nil ? nil : buffer.count)
            buffer += parameter.bytes ?? []
        }
        buffer.append(0)
        let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
        let binary = [Int32](repeating: 1, count: parameters.count)
        let count = Int32(parameters.count)
        // libpq copies the values before it returns.
        let sent = buffer.withUnsafeBytes { buffer in
            let values = offsets.map { offset in
                offset.flatMap { buffer.baseAddress?.advanced(by: $0) }?
                    .assumingMemoryBound(to: CChar.self)
            }
            guard prepares else {
                return PQsendQueryParams(
                    handle, command.statement.sql, count, parameters.map(\.type), values, lengths,
                    binary, 1)
            }
            return PQsendQueryPrepared(
                handle, command.statement.name, count, values, lengths, binary, 1)
        }
        guard sent == 1 else { throw lost() }
    }

    // MARK: - Receiving

    /// Takes the results up to the synchronisation point.
    ///
    /// - Parameters:
    ///   - expected: what was sent, in order: a statement to be prepared, or nil for an execution.
    ///   - deadline: when to give up.
    /// - Returns: the results of the executions.
    /// - Throws: the first error met.
    private func collect(
        _ expected: [Statement?], until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> [Rows] {
        var rows: [Rows] = []
        var failure: PostgresError?
        for sent in expected {
            guard let result = try nextResult(until: deadline, after: failure) else {
                throw failure ?? lost()
            }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                if let sent {
                    prepared.insert(sent)
                    PQclear(result)
                } else {
                    rows.append(Rows(result))
                }
            default:
                failure = failure ?? self.failure(in: result)
                PQclear(result)
            }
            // NULL separates the results of one command from those of the next.
            guard try nextResult(until: deadline, after: failure) == nil else {
                throw PostgresError(.unexpectedAnswer("a statement has more than one result"))
            }
        }
        guard let end = try nextResult(until: deadline, after: failure) else {
            throw failure ?? lost()
        }
        defer { PQclear(end) }
        // An error at this point is one of an implicit transaction's end.
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else {
            throw failure ?? self.failure(in: end) ?? lost()
        }
        if let failure { throw failure }
        return rows
    }

    /// Waits for the next result and hands it over; nil is libpq's separator or end.
    private func nextResult(
        until deadline: ContinuousClock.Instant, after failure: PostgresError?
    ) throws(PostgresError) -> OpaquePointer? {
        while true {
            let unsent = PQflush(handle)
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            // What the server said before it went tells more than the broken socket.
            guard unsent >= 0, isUsable else { throw failure ?? lost() }
            let events = POLLIN | (unsent > 0 ? POLLOUT : 0)
            guard try wait(for: Int16(events), until: deadline) else {
                throw PostgresError(.timedOut)
            }
            if PQconsumeInput(handle) == 0, PQisBusy(handle) != 0 { throw failure ?? lost() }
        }
    }

    /// Waits until the socket is ready.
    ///
    /// - Returns: false when the deadline passed first.
    private func wait(
        for events: Int16, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Bool {
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { return false }
            var socket = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            let ready = poll(&socket, 1, Int32(clamping: Int(left) + 1))
            if ready > 0 { return true }
            guard ready == 0 || errno == EINTR else {
                throw PostgresError(.connectionLost("poll failed with errno \(errno)"))
            }
        }
    }

    /// The error that a result holds; nil if it holds none of its own.
    private func failure(in result: OpaquePointer) -> PostgresError? {
        switch PQresultStatus(result) {
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE:
            guard let sqlState = field(result, UInt8(ascii: "C")) else { return lost() }
            return PostgresError(
                .server(
                    sqlState: sqlState, constraint: field(result, UInt8(ascii: "n")),
                    message: field(result, UInt8(ascii: "M")) ?? "no message"))
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_PIPELINE_ABORTED, PGRES_PIPELINE_SYNC,
            PGRES_EMPTY_QUERY:
            return nil
        default:
            return PostgresError(.unexpectedAnswer("the server wants to copy"))
        }
    }

    private func field(_ result: OpaquePointer, _ code: UInt8) -> String? {
        PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
    }

    /// The socket is gone.
    ///
    /// libpq's own text is not shown: it may repeat a server's message.
    private func lost() -> PostgresError {
        PostgresError(.connectionLost("the connection to the server is lost"))
    }
}

/// Keeps libpq from writing notices to standard error, where log lines go.
private func ignoreNotice(_: UnsafeMutableRawPointer?, _: UnsafePointer<CChar>?) {}
