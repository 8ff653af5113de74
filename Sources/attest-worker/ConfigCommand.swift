import Worker

/// `attest-worker config`: what the settings come out as, and from where.
enum ConfigCommand {
    static let command = Command(
        name: "config", summary: "print the settings as they come out, secrets masked",
        help: {
            """
            Prints the settings as a JSON5 file, secrets masked, with the origin of each value that
            is not the default. Connects to nothing.

            Usage: attest-worker config [--reference | --log-events] [SETTINGS]

              --reference   print the reference page of all settings (Markdown) and end
              --log-events  print the reference page of all log events (Markdown) and end

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        switch SettingsCommand.read(
            arguments, console, switches: ["--reference", "--log-events"], required: [])
        {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            if reading.switches.contains("--reference") {
                return console.answer(SettingsPage.reference())
            }
            if reading.switches.contains("--log-events") {
                return console.answer(LogEventsPage.reference())
            }
            return console.answer(reading.file)
        }
    }
}
