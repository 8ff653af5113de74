package import Worker

/// Asks the server for what the start-up checks hold against our settings.
package enum ServerCheck {
    /// Looks, in a session as a lane has it but for its own settings; changes nothing.
    ///
    /// - Parameter settings: where the database is.
    /// - Returns: what the server tells.
    /// - Throws: `.retry` if it can't be reached, `.stop` if it refuses us.
    package static func facts(_ settings: PostgresSettings) throws(Fault) -> DatabaseFacts {
        let operation = "look at the server"
        do throws(PostgresError) {
            let connection = try Connection(settings)
            var facts: DatabaseFacts?
            try connection.run([Command(.serverFacts)]).first?.forEach {
                (row) throws(PostgresError) in
                facts = DatabaseFacts(
                    synchronousCommit: try row.text(0), writesThrough: try row.text(1) != "off",
                    sessionsFree: Int(clamping: try row.integer(2, as: Int64.self)))
            }
            guard let facts else {
                throw PostgresError(.unexpectedAnswer("the server tells nothing of itself"))
            }
            return facts
        } catch {
            throw error.fault(operation)
        }
    }
}
