import AppAttest
import KafkaTransport
import Wire
import Worker

/// `attest-worker dead-letters redrive`.
enum DeadLettersRedrive {
    /// How many records are read at a time.
    static let recordsMax = 200
    /// The most records a second that can be asked for.
    static let rateMax = 100_000
    /// The most often that one record may be sent back.
    static let redrivesMax = 1000
    /// How long the records of one read may take to be delivered.
    static let deliveryPatience: Duration = .seconds(60)

    /// What is printed in JSON.
    struct Outcome: Encodable, Equatable {
        var dryRun: Bool
        /// Dead letters that were read.
        var read = 0
        /// Those that belong to the selection.
        var selected = 0
        /// Those that were sent back, or would be.
        var sent = 0
        /// Those that stay, by reason.
        var skipped: [String: Int] = [:]

        /// For a person.
        var lines: [String] {
            let verb = dryRun ? "would be sent back" : "sent back"
            return ["\(read) dead letters read, \(selected) selected, \(sent) \(verb)"]
                + skipped.sorted { $0.key < $1.key }.map { "left alone: \($0.value) \($0.key)" }
        }
    }

    static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: DeadLetterSelection.flags.union(["--redrives-max", "--rate"]),
            switches: ["--all", "--dry-run", "--json"])
        let selection = DeadLetterSelection(&flags)
        let most = flags.number("--redrives-max", in: 1...redrivesMax) ?? Redrive.redrivesMax
        let rate = flags.number("--rate", in: 1...rateMax)
        let isSelected = !DeadLetterSelection.flags.isDisjoint(with: flags.values.keys)
        if isSelected == flags.switches.contains("--all") {
            flags.note("say which: a selection such as --error=CODE, or --all of them")
        }
        return Tool.run("dead-letters redrive", flags, console) { (tool) throws(Fault) in
            let inspector = try tool.inspector()
            var counts: [String: Int] = [:]
            for topic in tool.settings.kafka.topics.requests {
                counts[topic] = try inspector.partitions(of: topic).count
            }
            let outcome = try send(
                try selection.reader(inspector, tool), selection,
                Redrive(partitionCounts: counts, redrivesMax: most), Pace(perSecond: rate), tool)
            return tool.isJSON ? tool.print(outcome) : tool.print(outcome.lines)
        }
    }

    private static func send(
        _ reader: StretchReader, _ selection: DeadLetterSelection, _ redrive: Redrive,
        _ pace: Pace, _ tool: Tool
    ) throws(Fault) -> Outcome {
        let writer = try TopicWriter(settings: tool.kafka, log: tool.clientLog)
        var outcome = Outcome(dryRun: tool.isDryRun)
        while true {
            let records = try reader.next(recordsMax: pace.portion(of: recordsMax))
            guard !records.isEmpty else { return outcome }
            outcome.read += records.count
            for letter in records
            where selection.matches(DeadLetterNote(headers: letter.headers)) {
                outcome.selected += 1
                switch redrive.step(for: letter) {
                case .skip(let reason): outcome.skipped[reason.rawValue, default: 0] += 1
                case .send(let record, let partition, let timestamp):
                    outcome.sent += 1
                    guard !tool.isDryRun else { continue }
                    try writer.write(
                        record, partition: partition, timestampMilliseconds: timestamp)
                }
            }
            try writer.flush(wait: deliveryPatience)
            if !tool.isDryRun { pace.keep(after: outcome.sent) }
        }
    }
}
