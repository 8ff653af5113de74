import Worker

/// `attest-worker config`: what the settings come out as, and from where.
enum ConfigCommand {
    static let command = Command(
        name: "config", summary: "print the settings as they come out, secrets masked",
        help: {
            """
            Prints the settings as a JSON5 file, secrets masked, with the origin of each value that
            is not the default. Connects to nothing.

            Usage: attest-worker config [--reference] [SETTINGS]

              --reference  print the reference page of all settings (Markdown) and end

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        switch SettingsCommand.read(arguments, console, switches: ["--reference"], required: []) {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            let isReference = reading.switches.contains("--reference")
            return console.answer(isReference ? SettingsPage.reference() : reading.file)
        }
    }
}
