import Glibc
import Worker

/// The program: finds the command, hands it the rest of the line, ends with its code.
///
/// `main` is not isolated to the main actor: closures written there would be, and would end the
/// process when a C library calls them on a thread of its own.
@main
enum AttestWorker {
    nonisolated static func main() {
        // A reader that goes away is an error of write(2), not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        exit(run(Array(CommandLine.arguments.dropFirst()), console: .process).rawValue)
    }

    /// Runs a command line without the program's name.
    static func run(_ arguments: [String], console: Console) -> ExitCode {
        guard let name = arguments.first else {
            console.complain(overview)
            return .usage
        }
        if ["--help", "-h", "help"].contains(name) { return console.answer(overview) }
        if name == "--version" { return console.answer("attest-worker \(Version.text)\n") }
        guard let command = Command.all.first(where: { $0.name == name }) else {
            let suggestion = closest(to: name, among: Command.all.map(\.name))
            console.complain(
                "attest-worker: there is no command \"\(name)\""
                    + (suggestion.map { "; did you mean \($0)?" } ?? "") + "\n\n" + overview)
            return .usage
        }
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
            return console.answer(command.help())
        }
        return command.execute(rest, console)
    }

    private static var overview: String {
        let width = Command.all.map(\.name.count).max() ?? 0
        let lines = Command.all.map { command in
            let padding = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(padding)  \(command.summary)"
        }
        return """
            attest-worker \(Version.text): verifies Apple App Attest requests from Kafka topics.

            Usage: attest-worker COMMAND [FLAGS]

            \(lines.joined(separator: "\n"))

            `attest-worker COMMAND --help` tells more.

            """
    }
}
