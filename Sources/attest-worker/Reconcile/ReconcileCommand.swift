import AppAttest
import KafkaTransport
import PostgresStore
import Worker

/// `attest-worker reconcile`: sign counts that a database has lost, raised again from verdicts.
enum ReconcileCommand {
    static let command = Command(
        name: "reconcile", summary: "raise sign counts that the database lost from verdicts",
        help: {
            """
            After PostgreSQL was restored to an earlier state, its sign counts are too low, and old
            assertions could be accepted once more. Workers notice it and decide again what the
            request topic still holds. Where it does not reach back far enough they halt with 73.
            Then the verdict topic tells what was accepted: this reads it and raises each sign count
            to the highest one accepted, but for the requests that workers decide again. It never
            lowers one, may be repeated, and workers may run.

            Usage: attest-worker reconcile --from-verdicts [--from=TIME|OFFSET] [--accept-gap]
                                 [--dry-run] [--json] [SETTINGS]

              --from-verdicts  where the truth is taken from; there is no other source yet
              --from=…         reads verdicts from this time, such as 2026-01-31T12:00:00Z, or from
                               this offset of each partition; all there are
              --accept-gap     lets halted partitions go on from where the request topic begins:
                               what it still holds is decided again, with the same outcome. The
                               requests in the gap before were decided, as their verdicts tell; what
                               they registered and the database has lost stays lost
              --dry-run        tells what would be raised, and changes nothing
              --json           prints one JSON object

            Keys that were accepted and are not in the database were registered in the lost time. A
            verdict holds no public key, so they can't be made from it: the apps must attest anew.
            Until then their assertions are answered `unknown_key`.

            Ends with 0 when done, also with keys missing or partitions halted, which it tells; else
            as `attest-worker run`.

            \(SettingsCommand.help)
            """
        }, execute: execute)

    /// How many records are taken at a time.
    static let recordsMax = 10_000

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: ["--from"],
            switches: ["--from-verdicts", "--accept-gap", "--dry-run", "--json"])
        let from = flags.bound("--from")
        if !flags.switches.contains("--from-verdicts") {
            flags.note("--from-verdicts is needed: it names where the truth is taken from")
        }
        return Tool.run("reconcile", flags, console) { (tool) throws(Fault) in
            let inspector = try tool.inspector()
            let store = tool.store()
            defer { store.close() }
            // Where workers would go on is asked before anything is raised: what they decide again
            // meanwhile, they decide by sign counts that were left to them.
            let standings = try Standing.all(inspector, store, tool)
            let (outcome, coveredSince) = try raise(from, standings, inspector, store, tool)
            let gaps = standings.compactMap { $0.gap(coveredSince: coveredSince) }
            let isAccepted = tool.flags.switches.contains("--accept-gap")
            if isAccepted, !tool.isDryRun {
                let places = gaps.map { ($0.topicPartition, $0.low) }
                _ = try store.place(Dictionary(places) { first, _ in first })
            }
            let report = ReconcileReport(
                outcome, gaps: gaps, isGapAccepted: isAccepted, isDryRun: tool.isDryRun)
            return tool.isJSON ? tool.print(report) : tool.print(report.lines)
        }
    }

    /// Reads the verdicts, and raises what they tell.
    ///
    /// - Returns: also since when, in milliseconds since 1970, no verdict is missing among them, as
    ///   far as timestamps tell: since ever, where a log was read from its very first record.
    private static func raise(
        _ from: LogBound?, _ standings: [Standing], _ inspector: TopicInspector,
        _ store: PostgresKeyStore, _ tool: Tool
    ) throws(Fault) -> (outcome: Reconciler<PostgresKeyStore>.Outcome, coveredSince: Int64) {
        let partitions = try inspector.partitions(of: tool.settings.kafka.topics.verdicts)
        let stretches = try inspector.stretches(of: partitions, from: from, to: nil)
        let reader = try StretchReader(stretches, settings: tool.kafka, log: tool.clientLog)
        let again = standings.compactMap { standing in
            standing.position.decidesAgainFrom.map { (standing.partition, $0) }
        }
        var reconciler = Reconciler(
            store: store, decidedAgain: Dictionary(again) { first, _ in first },
            isDryRun: tool.isDryRun, pause: Tool.pause)
        while true {
            let records = try reader.next(recordsMax: recordsMax)
            guard !records.isEmpty else { break }
            try reconciler.take(records)
        }
        try reconciler.flush()
        let outcome = reconciler.outcome
        let since = stretches.map { partition, stretch in
            stretch.lowerBound == 0 ? .min : outcome.oldestMilliseconds[partition] ?? .max
        }
        return (outcome, since.max() ?? .max)
    }
}
