import PostgresStore
import Worker

/// `attest-worker migrate`: brings the database's schema to what this version needs.
enum MigrateCommand {
    static let command = Command(
        name: "migrate", summary: "create or update the tables in PostgreSQL",
        help: {
            """
            Creates the tables, or adds what this version needs. Steps only ever add, so workers of
            the version before go on working; a second run finds nothing to do. The role needs the
            right to create a schema in the database.

            Usage: attest-worker migrate [--dry-run] [SETTINGS]

              --dry-run  does all steps, tells them, and rolls them back

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        switch SettingsCommand.read(arguments, console, switches: ["--dry-run"], required: []) {
        case .failure(let invalid): invalid.exitCode
        case .success(let reading): migrate(reading, console)
        }
    }

    private static func migrate(
        _ reading: SettingsReader.Reading, _ console: Console
    ) -> ExitCode {
        let settings = PostgresSettings(
            reading.settings, owner: SettingsCommand.workerID(console))
        let isDryRun = reading.switches.contains("--dry-run")
        do throws(Fault) {
            let steps = try Migrations.apply(settings, dryRun: isDryRun)
            guard !steps.isEmpty else { return console.answer("nothing to do\n") }
            let verb = isDryRun ? "would apply" : "applied"
            return console.answer(steps.map { "\(verb) \($0.name)\n" }.joined())
        } catch {
            console.complain("attest-worker migrate: \(error)\n")
            return error.exitCode
        }
    }
}
