import FoundationEssentials
import Glibc
import KafkaTransport
import PostgresStore
import Worker

/// What operators' commands have in common: settings, the database, the way they end.
struct Tool {
    /// What it is called in complaints: `offsets reset`.
    let name: String
    /// The settings, the same as the workers'.
    let settings: Settings
    /// The flags that are the command's own.
    let flags: CommandFlags
    /// Where it prints.
    let console: Console

    /// Reads the settings, and does it.
    ///
    /// - Parameters:
    ///   - name: the command with its second word.
    ///   - flags: the command line, in which the command has noted what is wrong.
    ///   - console: where it prints.
    ///   - required: keys that must have been set.
    ///   - body: does it.
    /// - Returns: the body's code, or that of what is wrong.
    static func run(
        _ name: String, _ flags: CommandFlags, _ console: Console,
        required: [String] = ["kafka.bootstrapServers"],
        _ body: (Tool) throws(Fault) -> ExitCode
    ) -> ExitCode {
        guard flags.problems.isEmpty else {
            for problem in flags.problems {
                console.complain("attest-worker \(name): \(problem)\n")
            }
            let command = name.prefix { $0 != " " }
            console.complain("`attest-worker \(command) --help` tells more.\n")
            return .usage
        }
        switch SettingsCommand.read(flags.rest, console, required: required) {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            let tool = Tool(name: name, settings: reading.settings, flags: flags, console: console)
            do throws(Fault) {
                return try body(tool)
            } catch {
                console.complain("attest-worker \(name): \(error)\n")
                return error.exitCode
            }
        }
    }

    /// Whether it only tells what it would do.
    var isDryRun: Bool { flags.switches.contains("--dry-run") }

    /// Whether it answers in JSON.
    var isJSON: Bool { flags.switches.contains("--json") }

    /// How to reach the cluster.
    var kafka: KafkaSettings { KafkaSettings(settings.kafka) }

    /// The database, with another retention of the inbox than the settings' if one is given.
    func store(inboxRetentionDays: Int? = nil) -> PostgresKeyStore {
        var postgres = PostgresSettings(
            settings, owner: "\(SettingsCommand.workerID(console)) \(name)")
        postgres.inboxRetentionDays = inboxRetentionDays ?? postgres.inboxRetentionDays
        return PostgresKeyStore(postgres)
    }

    /// Where topics and the group's offsets are looked at.
    func inspector() throws(Fault) -> TopicInspector {
        try TopicInspector(settings: kafka, log: clientLog)
    }

    /// Writes what librdkafka warns of to standard error.
    var clientLog: KafkaLog {
        let log = SettingsCommand.log(settings, console)
        return { line in
            if line.level <= 4 { log.write(line) }
        }
    }

    /// Prints a value as one line of JSON, names sorted.
    func print(_ value: some Encodable) -> ExitCode {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let text = try? encoder.encode(value) else { return .software }
        return console.writeOutput(Array(text) + [UInt8(ascii: "\n")]) ? .success : .software
    }

    /// Prints lines for a person.
    func print(_ lines: [String]) -> ExitCode {
        console.answer(lines.map { $0 + "\n" }.joined())
    }

    /// Sleeps on this thread.
    static func pause(_ duration: Duration) {
        var rest = duration.wholeMilliseconds
        while rest > 0 {
            let milliseconds = min(rest, 1000)
            usleep(UInt32(milliseconds) * 1000)
            rest -= milliseconds
        }
    }
}
