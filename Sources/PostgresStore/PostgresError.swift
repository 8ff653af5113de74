internal import Worker

/// What went wrong between us and the database, before anything is done about it.
struct PostgresError: Error, Hashable {
    /// The kinds there are.
    enum Cause: Hashable {
        /// The server refused a statement or the session.
        case server(sqlState: String, constraint: String?, message: String)
        /// The socket is gone, or could not be had.
        case connectionLost(String)
        /// There is no session because TLS failed, on either side.
        case tls(String)
        /// No answer came within the reply timeout.
        case timedOut
        /// An answer of another shape than the schema's.
        case unexpectedAnswer(String)
        /// The connection string can't be read, or the server's settings break a guarantee.
        case settings(String)
    }

    /// What happened.
    var cause: Cause

    init(_ cause: Cause) {
        self.cause = cause
    }
}

extension PostgresError {
    /// Whether the connection may be used again once the transaction is rolled back.
    var leavesConnectionUsable: Bool {
        switch cause {
        case .server(let sqlState, _, _):
            // 25006: a server that turned read only never becomes ours again. 0A000: a cached plan
            // that no longer fits its table. 26000: a prepared statement that is gone.
            !["25006", "25P03", "0A000", "26000"].contains(sqlState)
                && !sqlState.hasPrefix("08") && !sqlState.hasPrefix("57P")
        case .connectionLost, .tls, .timedOut, .unexpectedAnswer, .settings: false
        }
    }

    /// What the caller is told, and what it is to do.
    ///
    /// - Parameter operation: what was being done.
    /// - Returns: a fault that is safe to log.
    func fault(_ operation: String) -> Fault {
        func fault(_ code: String, _ disposition: Disposition, _ message: String) -> Fault {
            Fault(operation: operation, code: code, disposition: disposition, message: message)
        }
        switch cause {
        case .connectionLost(let message):
            return fault("connection_lost", .retry, message)
        case .tls(let message):
            // It may pass: a certificate is renewed, and the next connection reads the files anew.
            return fault("tls", .retry, message)
        case .timedOut:
            return fault("reply_timeout", .retry, "the server did not answer in time")
        case .unexpectedAnswer(let message):
            return fault("unexpected_answer", .stop(.incompatible), message)
        case .settings(let message):
            return fault("settings", .stop(.config), message)
        case .server(let sqlState, let constraint, let message):
            if sqlState == "23505", Statement.primaryKeys.contains(constraint) {
                return fault(
                    "concurrent_insert", .retry, "another connection stored a row of this batch")
            }
            return fault(
                sqlState, Self.disposition(sqlState), Self.safe(message, constraint, sqlState))
        }
    }

    /// What to do about an error of the server.
    ///
    /// Source: PostgreSQL manual, appendix A, error codes.
    static func disposition(_ sqlState: String) -> Disposition {
        switch sqlState {
        case "42501": return .stop(.noPermission)
        case "25006", "25P03", "55P03", "55006", "57014", "0A000", "26000": return .retry
        default: break
        }
        return switch sqlState.prefix(2) {
        // Connection; resources; rollback by conflict; operator; system and internal errors. The
        // last two block the lane where everyone sees it: no restart would make them pass.
        case "08", "53", "40", "57", "58", "XX": .retry
        // Data; integrity; a limit that one row exceeds; a trigger that refuses one.
        case "22", "23", "54", "P0": .poison
        case "28": .stop(.noPermission)
        // Names and privileges, database, schema: not migrated, or another version.
        case "42", "3D", "3F": .stop(.incompatible)
        default: .stop(.software)
        }
    }

    /// The primary message where it can't hold a value of a row; details and hints never show.
    private static func safe(
        _ message: String, _ constraint: String?, _ sqlState: String
    ) -> String {
        if sqlState.hasPrefix("22") || sqlState.hasPrefix("P0") {
            return "the server refuses a value"
        }
        // A schema, table or column that this version needs and the database lacks.
        if ["3F000", "42P01", "42703"].contains(sqlState) {
            return message + ": run `attest-worker migrate`"
        }
        guard sqlState.hasPrefix("23") else { return message }
        return "a row breaks the constraint \(constraint ?? "of a table")"
    }
}
