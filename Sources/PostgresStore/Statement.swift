/// An SQL text under a name: prepared once a connection, then only named.
struct Statement: Hashable {
    /// Unique among all statements; the name under which it is prepared.
    let name: String
    /// The text; names of tables carry their schema.
    let sql: String
}

/// A statement with its parameters.
struct Command {
    /// What is executed.
    let statement: Statement
    /// As many as the text names.
    let parameters: [Parameter]
    /// How many rows it must change; nil if that is not known beforehand.
    private(set) var changes: Int?

    init(_ statement: Statement, _ parameters: Parameter...) {
        self.statement = statement
        self.parameters = parameters
    }

    /// The same command, which must change exactly so many rows.
    func changing(_ rows: Int) -> Command {
        var command = self
        command.changes = rows
        return command
    }
}

extension Command {
    /// Sets what a session must have; for one transaction where sessions are shared.
    static func configure(_ settings: PostgresSettings, isLocal: Bool) -> Command {
        Command(
            .configure, .int4(isLocal ? 1 : 0), .text(String(settings.lockTimeoutMilliseconds)),
            .text(String(settings.statementTimeoutMilliseconds)),
            .text(String(settings.idleInTransactionTimeoutMilliseconds)))
    }
}
