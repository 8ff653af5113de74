internal import CPQ
internal import Glibc
internal import Worker

// Connecting has two ways, because libpq 15 tells the SQLSTATE of a refused session only in the
// text of its message, and puts it there only if the verbosity was raised before the session
// began. That needs the non-blocking way, which in turn can't leave a host that accepts and never
// answers for the next host of the list. So when that way runs out of time, and there are several
// hosts, the blocking way follows, whose `connect_timeout` counts for each host.

/// Connects.
///
/// - Parameter settings: where to, and how patient to be.
/// - Returns: a session that is ready; the caller must `PQfinish` it.
/// - Throws: why there is none.
func openHandle(_ settings: PostgresSettings) throws(PostgresError) -> OpaquePointer {
    let keywords = try connectionKeywords(settings)
    do {
        return try openPolling(keywords, settings)
    } catch {
        let hosts = getenv("PGHOST").map { String(cString: $0) } ?? ""
        guard error.cause == .timedOut, (settings.conninfo + hosts).contains(",") else {
            throw error
        }
        return try openBlocking(keywords)
    }
}

/// Keywords and values in libpq's order: a later one wins over an earlier one.
private func connectionKeywords(
    _ settings: PostgresSettings
) throws(PostgresError) -> [(String, String)] {
    let seconds = String(max(2, settings.connectTimeoutSeconds))
    var keywords = [
        ("connect_timeout", seconds),
        // Unanswered data for so long ends the connection; also an unanswered SYN.
        ("tcp_user_timeout", String(settings.replyTimeoutMilliseconds)),
        ("keepalives_idle", "30"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("fallback_application_name", "attest-worker"),
    ]
    if !settings.password.isEmpty { keywords.append(("password", settings.password)) }
    if !settings.conninfo.isEmpty {
        // Refused here, because libpq's message on a string it can't read repeats parts of it.
        guard connectionOptions(settings.conninfo) != nil else {
            throw PostgresError(.settings("the connection string is neither keywords nor a URI"))
        }
        keywords.append(("dbname", settings.conninfo))
    }
    // Text parameters are UTF-8, and a standby is of no use.
    keywords += [("client_encoding", "UTF8"), ("target_session_attrs", "read-write")]
    return keywords
}

/// The options that a connection string sets; nil if it is neither keywords nor a URI.
private func connectionOptions(_ conninfo: String) -> [String: String]? {
    var message: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(conninfo, &message)
    PQfreemem(message)
    guard let options else { return nil }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
        if let value = option.pointee.val {
            values[String(cString: keyword)] = String(cString: value)
        }
        option += 1
    }
    return values
}

extension PostgresSettings {
    /// Whether libpq can read a connection string: keywords with values, a URI, or nothing.
    package static func canRead(_ conninfo: String) -> Bool {
        conninfo.isEmpty || connectionOptions(conninfo) != nil
    }

    /// How a session introduces itself, by libpq's names.
    private static let identityOptions: Set<String> = [
        "user", "password", "passfile", "sslcert", "sslkey", "sslpassword", "sslrootcert", "sslcrl",
        "sslcrldir",
    ]

    /// Whether two connection strings lead to the same database, whoever asks there.
    ///
    /// A session that is opened with the other one sees the same rows, so the change may be taken
    /// over while others go on.
    package static func leadToSameDatabase(_ one: String, _ other: String) -> Bool {
        guard let one = connectionOptions(one), let other = connectionOptions(other) else {
            return false
        }
        let isOfPlace = { (name: String) in !identityOptions.contains(name) }
        return one.filter { isOfPlace($0.key) } == other.filter { isOfPlace($0.key) }
    }
}

private func openPolling(
    _ keywords: [(String, String)], _ settings: PostgresSettings
) throws(PostgresError) -> OpaquePointer {
    let handle = withKeywords(keywords) { PQconnectStartParams($0, $1, 1) }
    guard let handle else { throw PostgresError(.connectionLost("libpq has no memory")) }
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    let deadline = ContinuousClock.now + .seconds(max(2, settings.connectTimeoutSeconds))
    var step = PGRES_POLLING_WRITING
    while PQstatus(handle) != CONNECTION_BAD {
        if step == PGRES_POLLING_OK {
            PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
            return handle
        }
        if step == PGRES_POLLING_FAILED { break }
        let left = (deadline - .now) / .milliseconds(1)
        let events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT
        var socket = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        let ready = left > 0 ? poll(&socket, 1, Int32(clamping: Int(left) + 1)) : 0
        guard ready != 0 else {
            PQfinish(handle)
            throw PostgresError(.timedOut)
        }
        // After an interrupted wait the socket isn't ready, and libpq must not be asked.
        if ready > 0 { step = PQconnectPoll(handle) }
    }
    let message = String(cString: PQerrorMessage(handle))
    PQfinish(handle)
    throw refusal(message)
}

private func openBlocking(
    _ keywords: [(String, String)]
) throws(PostgresError) -> OpaquePointer {
    let handle = withKeywords(keywords) { PQconnectdbParams($0, $1, 1) }
    guard let handle else { throw PostgresError(.connectionLost("libpq has no memory")) }
    guard PQstatus(handle) == CONNECTION_OK else {
        let message = String(cString: PQerrorMessage(handle))
        PQfinish(handle)
        if let reason = tlsRefusal(message) { throw PostgresError(.tls(reason)) }
        throw PostgresError(.connectionLost(summary(message)))
    }
    return handle
}

/// What libpq tells of TLS, and what to look at; nil if the connection failed for another reason.
///
/// Its text names host, port and files, and of the reason little: OpenSSL's own words for a
/// certificate that is unknown, expired and revoked are the same here.
private func tlsRefusal(_ message: String) -> String? {
    let line = summary(message)
    if line.contains("certificate verify failed") {
        return line + ": the server's certificate is not signed by sslrootcert's authority, is out"
            + " of date, or revoked"
    }
    if line.contains(" alert ") {
        return line + ": the server refuses the certificate of sslcert, or that there is none"
    }
    let signs = ["SSL error", "server certificate for", "certificate file", "private key file"]
    return signs.contains(where: line.contains) ? line : nil
}

/// Makes an error of libpq's text, one line or more a host.
///
/// A refusal counts as such only if every host refused for good: else another attempt may help.
private func refusal(_ message: String) -> PostgresError {
    // Options that libpq can't use are met before any attempt. Its text repeats their values.
    if message.hasPrefix("invalid ") {
        return PostgresError(.settings("libpq refuses an option of the connection string"))
    }
    let attempts = message.split(separator: "\n").filter { $0.hasPrefix("connection to server") }
    let sqlStates = attempts.map(sqlState)
    if let last = sqlStates.last ?? nil,
        sqlStates.allSatisfy({ $0.map(PostgresError.disposition) ?? .retry != .retry })
    {
        return PostgresError(
            .server(sqlState: last, constraint: nil, message: summary(message)))
    }
    if let reason = tlsRefusal(message) { return PostgresError(.tls(reason)) }
    return PostgresError(.connectionLost(summary(message)))
}

/// The SQLSTATE in `connection to server at "h", port 5432 failed: FATAL:  28P01: text`.
private func sqlState(_ line: Substring) -> String? {
    line.split(separator: " ").lazy
        .filter { $0.utf8.count == 6 && $0.hasSuffix(":") }
        .map { $0.dropLast() }
        .first { code in
            code.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
                && code.utf8.contains { (48...57).contains($0) }
        }
        .map(String.init)
}

/// The first line of libpq's text: host, port, user and database, never the password.
private func summary(_ message: String) -> String {
    message.split(separator: "\n").first.map(String.init) ?? "the server can't be reached"
}

/// Calls libpq with keywords and values as two arrays that end with NULL.
private func withKeywords<Result>(
    _ keywords: [(String, String)],
    _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Result
) -> Result {
    // libpq copies them before it returns.
    let names = keywords.map { strdup($0.0) }
    let values = keywords.map { strdup($0.1) }
    defer {
        for copy in names + values { free(copy) }
    }
    return body(
        names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
}
