/// What a simulation tells in the end.
struct SimulateReport {
    /// What was sent and what came, and what of it was wrong.
    let tables: TallyTables
    /// How long requests were sent and answers awaited.
    let duration: Duration
    /// How many requests a second were asked for; nil for a canary.
    let rate: Int?

    /// The whole report.
    var lines: [String] {
        let parts: [(title: String, lines: [String])] = [
            ("What was sent, and how much of it got the right answer", tables.kinds),
            ("Verdicts", tables.verdicts), ("Speed", speed), ("What is wrong", tables.wrong),
        ]
        return parts.filter { !$0.lines.isEmpty }.flatMap { ["", $0.title, ""] + $0.lines }
            + ["", conclusion]
    }

    private var speed: [String] {
        let tally = tables.tally
        let count = Int64(tally.answeredCount)
        let perSecond = count * 1_000_000 / max(1, duration.microseconds)
        let asked = rate.map { ", \($0) asked for" } ?? ""
        return [
            "\(count) records answered in \(duration.readable): \(perSecond) a second\(asked)",
            "latency: \(Latency(tally.latencies.durations).summary)"
                + (tally.latencies.count > LatencySample.durationsMax
                    ? " (of a sample; the longest of all \(tally.latencies.longest.readable))"
                    : ""),
        ]
    }

    private var conclusion: String {
        tables.failureCount == 0
            ? "Every answer was the right one."
            : "WRONG: \(tables.failureCount) answers were not the right ones; see above."
    }
}
