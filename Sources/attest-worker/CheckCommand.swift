import PostgresStore
import Worker

/// `attest-worker check`: whether `run` would find what it needs; consumes and changes nothing.
enum CheckCommand {
    static let command = Command(
        name: "check", summary: "check settings, PostgreSQL and Kafka without consuming",
        help: {
            """
            Checks what `run` needs, and prints a line for each: settings, the database and its
            schema, the brokers, the topics, and how they fit together: retention, message sizes,
            memory, time limits. `run` looks at the same before it starts. Consumes nothing and
            changes nothing.

            Each line begins with `ok`, with `warn` (it costs something: found, needed, what to do)
            or with `FAIL` (`run` would not start).

            Usage: attest-worker check [SETTINGS]

            Ends with 0 when nothing failed; else, of what is wrong, with the gravest: 78 settings,
            77 refused access, 73 schema or topics not as needed, 69 not reachable.

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        switch SettingsCommand.read(
            arguments, console, required: SettingsCommand.requiredToRun)
        {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            let findings = StartUpCheck.findings(
                reading.settings, ProcessFacts(reading.settings),
                owner: SettingsCommand.workerID(console))
            guard console.answer(findings.report) == .success else { return .software }
            return findings.exitCode
        }
    }
}
