import AppAttest
import KafkaTransport
import PostgresStore
import Worker

/// `attest-worker replay`: verdicts of a stretch of the request topics, published once more.
enum ReplayCommand {
    static let command = Command(
        name: "replay", summary: "publish the verdicts on a stretch of requests once more",
        help: {
            """
            For readers of the verdict topic that have lost verdicts: reads the requests of a
            stretch of the request topics again, looks each up in the inbox, and publishes its
            verdict once more, the same bytes, with the header `attest-redelivered: 1`. Nothing is
            decided, no sign count and no offset moves, and workers may run. Readers drop repeats by
            verdictId; of one key, a repeat may follow on newer verdicts.

            Requests that the inbox does not know, as they are not decided yet or were decided
            longer than postgres.inboxRetention ago, are counted and left alone. So are those whose
            request id was used before for other content, and records that became dead letters.

            Usage: attest-worker replay --from=TIME|OFFSET [--to=TIME|OFFSET] [--partition=N,…]
                                 [--rate=N] [--dry-run] [--json] [SETTINGS]

              --from=…         the first record that is not older than this time, such as
                               2026-01-31T12:00:00Z, or this offset of each partition
              --to=…           where to stop, likewise; this record is not replayed. The present end
              --partition=N,…  these partitions only
              --rate=N         verdicts a second at the most; \(rateMax) and no limit by default
              --dry-run        counts what would be published, and publishes nothing
              --json           prints one JSON object

            Ends with 0 when all is published; else as `attest-worker run`.

            \(SettingsCommand.help)
            """
        }, execute: execute)

    /// The most verdicts a second that can be asked for.
    static let rateMax = 100_000
    /// How many records are looked up at a time.
    static let recordsMax = 200
    /// How long the verdicts of one look-up may take to be delivered.
    static let deliveryPatience: Duration = .seconds(60)

    /// What is printed in JSON.
    struct Outcome: Encodable, Equatable {
        var dryRun: Bool
        /// Records that were read.
        var records = 0
        /// Verdicts that were published, or would be.
        var verdicts = 0
        /// Requests that the inbox does not know.
        var notDecided = 0
        /// Records whose request id was used before for other content.
        var conflicts = 0
        /// Records in which there is no request.
        var unreadable = 0

        /// For a person.
        var lines: [String] {
            let verb = dryRun ? "would be published" : "published"
            return [
                "\(records) records read, \(verdicts) verdicts \(verb)",
                "left alone: \(notDecided) that the inbox does not know, \(conflicts) conflicts,"
                    + " \(unreadable) without a request",
            ]
        }
    }

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: ["--from", "--to", "--partition", "--rate"],
            switches: ["--dry-run", "--json"])
        let from = flags.bound("--from")
        let to = flags.bound("--to")
        let numbers = flags.partitions()
        let rate = flags.number("--rate", in: 1...rateMax)
        if from == nil, flags.problems.isEmpty {
            flags.note("--from=TIME|OFFSET is needed")
        }
        return Tool.run("replay", flags, console) { (tool) throws(Fault) in
            let inspector = try tool.inspector()
            let partitions = try inspector.partitions(
                of: tool.settings.kafka.topics.requests, only: numbers)
            let stretches = try inspector.stretches(of: partitions, from: from, to: to)
            let outcome = try replay(stretches, pace: Pace(perSecond: rate), tool)
            return tool.isJSON ? tool.print(outcome) : tool.print(outcome.lines)
        }
    }

    private static func replay(
        _ stretches: [TopicPartition: Range<Int64>], pace: Pace, _ tool: Tool
    ) throws(Fault) -> Outcome {
        let store = tool.store()
        defer { store.close() }
        let replayer = Replayer(
            store: store, verdictTopic: tool.settings.kafka.topics.verdicts,
            groupID: tool.settings.kafka.groupID, messageLimits: tool.settings.worker.messageLimits)
        let reader = try StretchReader(stretches, settings: tool.kafka, log: tool.clientLog)
        let writer = try TopicWriter(settings: tool.kafka, log: tool.clientLog)
        var outcome = Outcome(dryRun: tool.isDryRun)
        while true {
            let records = try reader.next(recordsMax: pace.portion(of: recordsMax))
            guard !records.isEmpty else { return outcome }
            outcome.records += records.count
            for finding in try replayer.find(records) {
                switch finding {
                case .notDecided: outcome.notDecided += 1
                case .conflict: outcome.conflicts += 1
                case .unreadable: outcome.unreadable += 1
                case .verdict(let record):
                    outcome.verdicts += 1
                    if !tool.isDryRun { try writer.write(record) }
                }
            }
            try writer.flush(wait: deliveryPatience)
            if !tool.isDryRun { pace.keep(after: outcome.verdicts) }
        }
    }
}
