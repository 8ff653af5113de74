import AppAttest
import LibCrypto
import PostgresStore
import Worker

/// `attest-worker check`: whether `run` would find what it needs; consumes and changes nothing.
enum CheckCommand {
    static let command = Command(
        name: "check", summary: "check settings, PostgreSQL and Kafka without consuming",
        help: {
            """
            Checks what `run` needs, and prints a line for each: settings, the database and its
            schema, the brokers, the topics. Consumes nothing and changes nothing.

            Usage: attest-worker check [SETTINGS]

            Ends with 0 when all is well; else, of what is wrong, with the gravest: 78 settings,
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
            PostgresSettings.adoptPassword(reading.settings)
            var report = CheckReport()
            report.add("settings", .success("\(reading.settings.apps.count) app(s)"))
            checkDatabase(reading.settings, console, &report)
            TopicCheck.check(reading.settings, &report)
            guard console.answer(report.text) == .success else { return .software }
            return report.exitCode
        }
    }

    private static func checkDatabase(
        _ settings: Settings, _ console: Console, _ report: inout CheckReport
    ) {
        let postgres = PostgresSettings(settings, owner: SettingsCommand.workerID(console))
        do throws(Fault) {
            let result = verdict(on: try Migrations.state(postgres))
            report.add("database schema", result)
            if case .success = result { checkSession(postgres, &report) }
        } catch {
            report.add("database", .failure(.init(error)))
        }
    }

    private static func verdict(
        on state: SchemaState
    ) -> Result<String, CheckReport.Failure> {
        switch state {
        case .current:
            .success("as this version needs it")
        case .ahead(let version):
            .success("at step \(version), made by a newer version; this one works with it")
        case .behind(let missing):
            .failure(
                .init(
                    .incompatible,
                    "lacks \(missing.map(\.name).joined(separator: ", ")):"
                        + " run `attest-worker migrate`"))
        case .altered(let version):
            .failure(
                .init(
                    .incompatible,
                    "step \(version) was made from another text: is this the right database?"))
        }
    }

    /// Opens a session as a lane does, locks what isn't there, and rolls back: the server must take
    /// writes and commit them durably, and the role must have its rights.
    private static func checkSession(_ settings: PostgresSettings, _ report: inout CheckReport) {
        let store = PostgresKeyStore(settings)
        defer { store.close() }
        let nothing = SHA256.hash(Array("attest-worker check".utf8))
        let reads = BatchReads(
            partitions: [], keyIDs: [KeyID(nothing)], requests: [RequestIdentity(nothing)])
        do throws(Fault) {
            try store.transact(reads) { _ in (writes: nil, result: ()) }
            report.add(
                "database session", .success("takes writes, commits durably, rights are there"))
        } catch {
            report.add("database session", .failure(.init(error)))
        }
    }
}
