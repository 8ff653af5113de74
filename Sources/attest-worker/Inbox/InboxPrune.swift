import PostgresStore
import Worker

/// `attest-worker inbox prune`.
enum InboxPrune {
    /// How many rows one transaction deletes.
    static let rowsMax = 1000
    /// The longest retention there is, in days.
    static let daysMax: Int64 = 3650

    /// What is printed in JSON.
    struct Outcome: Encodable, Equatable {
        /// How many days rows are kept.
        var olderThanDays: Int
        /// Whether rows are only counted.
        var dryRun: Bool
        /// Rows that were deleted, or would be.
        var rows: Int64
        /// In a dry run: rows by the day of their decision.
        var days: [String: Int64]?
    }

    static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: ["--older-than"], switches: ["--dry-run", "--json", "--shorten"])
        let days = flags.value("--older-than", mustBe: "whole days, from 1d to \(daysMax)d") {
            text -> Int64? in
            let day: Int64 = 86_400_000
            guard let milliseconds = SettingUnits.durations.parse(text),
                milliseconds.isMultiple(of: day), (1...daysMax).contains(milliseconds / day)
            else { return nil }
            return milliseconds / day
        }
        return Tool.run("inbox prune", flags, console, required: []) { (tool) throws(Fault) in
            let retention = PostgresSettings(tool.settings, owner: "").inboxRetentionDays
            let days = days.map { Int($0) } ?? retention
            guard days >= retention || tool.flags.switches.contains("--shorten") else {
                throw Fault(
                    operation: "prune the inbox", code: "within_retention",
                    disposition: .stop(.usage),
                    message: """
                        \(days) days are less than postgres.inboxRetention, \(retention) days: \
                        requests that are delivered again would get `stale_request` instead of \
                        their verdict. Add --shorten to do it all the same
                        """)
            }
            return try prune(days, tool)
        }
    }

    private static func prune(_ days: Int, _ tool: Tool) throws(Fault) -> ExitCode {
        let store = tool.store(inboxRetentionDays: days)
        defer { store.close() }
        var outcome = Outcome(olderThanDays: days, dryRun: tool.isDryRun, rows: 0)
        if tool.isDryRun {
            let found = try store.expiredInboxRows()
            outcome.rows = found.reduce(0) { $0 + $1.rows }
            outcome.days = Dictionary(found.map { ($0.day, $0.rows) }) { $0 + $1 }
        } else {
            var deleted = rowsMax
            while deleted == rowsMax {
                deleted = try store.pruneInbox(rowsMax: rowsMax)
                outcome.rows += Int64(deleted)
            }
        }
        guard !tool.isJSON else { return tool.print(outcome) }
        let days = (outcome.days ?? [:]).sorted { $0.key < $1.key }
        let verb = tool.isDryRun ? "would be deleted" : "deleted"
        return tool.print(
            days.map { "\($0.key)  \($0.value)" } + [
                "\(outcome.rows) rows older than \(outcome.olderThanDays) days \(verb)"
            ])
    }
}
