import FoundationEssentials
import Harness

/// What a soak tells.
struct SoakReport {
    let sight: SoakWatch.Sight
    let striker: SoakStriker
    let sampler: SoakSampler

    /// Log events that tell of what the faults have led to.
    private static let events = [
        "partitions_assigned", "partitions_revoked", "partitions_claimed", "partition_fenced",
        "retried", "recovered", "claim_retried", "commit_refused", "database_regression",
        "topic_recreated", "records_expired", "reports_missing", "lane_failed", "worker_started",
    ]

    /// The live line.
    static func line(
        _ sight: SoakWatch.Sight, _ striker: SoakStriker, workers: Int, minutes: Double
    ) -> String {
        let strikes = striker.struck.values.reduce(0, +)
        let now = striker.now.map(\.rawValue).joined(separator: " ")
        return "\(fixed(minutes)) min: \(sight.records) records, \(sight.unanswered) open, "
            + "\(sight.verdicts) verdicts, \(workers) workers, \(strikes) faults"
            + (now.isEmpty ? "" : ", now \(now)")
    }

    /// The counts at the end.
    func text(minutes: Double) -> String {
        let answers = sight.verdicts + sight.deadLetters
        let faults = striker.struck.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", ")
        let reasons = sight.byReason.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        var lines = [
            "", "after \(Self.fixed(minutes)) minutes:",
            "requests: \(sight.requests), in \(sight.records) records; unanswered "
                + "\(sight.unanswered)",
            "verdicts: \(sight.verdicts), dead letters: \(sight.deadLetters); repeats: "
                + "\(max(0, answers - sight.requests))",
            "verdicts by reason: \(reasons)", "faults: \(faults.isEmpty ? "none" : faults)",
            "looks at committed offsets: \(sight.wholeLooks), given up for a fault: "
                + "\(sight.cutLooks)",
        ]
        lines.append("workers:")
        lines += sampler.lines()
        if let growth = LeakJudge.growthKiBPerMinute(sampler.survivor) {
            lines.append(
                "  \(SoakFleet.survivor) grows by \(Self.fixed(growth)) KiB a minute after warm-up;"
                    + " \(LeakJudge.growthKiBPerMinuteMax) are tolerated")
        } else {
            lines.append("  too short to tell whether memory grows")
        }
        return lines.joined(separator: "\n")
    }

    /// How often the workers' logs tell of events.
    func logCounts(in folder: Folder) -> String {
        var counts: [String: Int] = [:]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix("worker-") && name.hasSuffix(".err") {
            let text = FileManager.default.contents(atPath: folder.path(name)) ?? Data()
            for line in text.split(separator: UInt8(ascii: "\n")) {
                let line = String(decoding: line, as: UTF8.self)
                for event in Self.events where line.contains("\"event\":\"\(event)\"") {
                    counts[event, default: 0] += 1
                }
            }
        }
        return "log: "
            + Self.events.map { "\($0) \(counts[$0] ?? 0)" }.joined(separator: ", ")
    }

    /// One digit behind the point, without Foundation's formats.
    private static func fixed(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
