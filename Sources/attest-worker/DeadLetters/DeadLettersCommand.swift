import KafkaTransport
import Wire
import Worker

/// `attest-worker dead-letters`: what was set aside, shown and sent back.
enum DeadLettersCommand {
    static let command = Command(
        name: "dead-letters", summary: "list, show or send back what was set aside",
        help: {
            """
            Records in which no request can be read are set aside on kafka.topics.deadLetters.
            `list` tells where each came from and why it is there, never what is in it. `show` tells
            all about one. `redrive` sends them back to the request topic they came from, once what
            was wrong is mended: key, value and headers byte for byte but for the worker's own
            headers, to the same partition, with the same timestamp. So a request that waited for
            longer than worker.maxRequestAge is answered `request_too_old`. Dead letters stay on
            their topic: to send them back twice, say so twice.

            Usage: attest-worker dead-letters list [SELECTION] [--limit=N] [--json] [SETTINGS]
                   attest-worker dead-letters show PARTITION:OFFSET [--payload] [--json] [SETTINGS]
                   attest-worker dead-letters redrive SELECTION|--all [--redrives-max=N] [--rate=N]
                                              [--dry-run] [--json] [SETTINGS]

            SELECTION, all of it counts
              --from=TIME|OFFSET  on the dead-letter topic: from this time on, such as
                                  2026-01-31T12:00:00Z, or from this offset of each partition
              --to=TIME|OFFSET    up to there; this one does not belong to it
              --partition=N,…     partitions of the dead-letter topic
              --error=CODE        the error_code, such as not_a_json_object
              --source=TOPIC      the request topic it came from

              --limit=N           how many are listed; \(DeadLettersList.limit)
              --payload           shows key, value and header values too, in base64. They may be
                                  personal data
              --redrives-max=N    how often one record is sent back; \(Redrive.redrivesMax). The
                                  header attest-redrives counts
              --rate=N            records a second at the most
              --dry-run           tells what would be sent back, and sends nothing
              --json              list: one JSON object a dead letter, a line each; else one

            Ends with 0 when done; 1 when `show` finds nothing there; else as `attest-worker run`.

            \(SettingsCommand.help)
            """
        },
        execute: Subcommands(
            name: "dead-letters",
            all: [
                ("list", DeadLettersList.execute), ("show", DeadLettersShow.execute),
                ("redrive", DeadLettersRedrive.execute),
            ]
        ).execute)
}

/// Which dead letters are meant.
struct DeadLetterSelection {
    static let flags: Set<String> = ["--from", "--to", "--partition", "--error", "--source"]

    private let from: LogBound?
    private let to: LogBound?
    private let partitions: Set<Int32>?
    private let error: String?
    private let source: String?

    /// Reads the flags.
    init(_ flags: inout CommandFlags) {
        from = flags.bound("--from")
        to = flags.bound("--to")
        partitions = flags.partitions()
        error = flags.values["--error"]
        source = flags.values["--source"]
    }

    /// Whether a dead letter that lies in the stretch belongs to it.
    func matches(_ note: DeadLetterNote) -> Bool {
        func agrees(_ wanted: String?, _ found: String?) -> Bool {
            wanted.map { $0 == found } ?? true
        }
        return agrees(error, note.code) && agrees(source, note.sourceTopic)
    }

    /// Starts to read the stretch in which they lie.
    func reader(_ inspector: TopicInspector, _ tool: Tool) throws(Fault) -> StretchReader {
        let found = try inspector.partitions(
            of: [tool.settings.kafka.topics.deadLetters], only: partitions)
        return try StretchReader(
            try inspector.stretches(of: found, from: from, to: to), settings: tool.kafka,
            log: tool.clientLog)
    }
}
