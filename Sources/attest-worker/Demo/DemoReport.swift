/// What the demo tells in the end.
struct DemoReport {
    /// What was sent and what came.
    let tally: DemoTally
    /// What was wrong: nothing, as a rule.
    let failures: [DemoFailure]
    /// How long each part took.
    let phases: [(name: String, duration: Duration)]
    /// How long the exchange took that throughput is counted over.
    let exchange: Duration

    /// More failures than these are only counted.
    static let failuresShownMax = 50
    /// A longer example is cut.
    static let exampleCharactersMax = 700

    /// The whole report.
    var lines: [String] {
        let parts: [(title: String, lines: [String])] = [
            // The longest first: what counts is on the screen in the end.
            ("An example of each answer", examples),
            ("What was sent, and how much of it got the right answer", kinds),
            ("Verdicts", verdicts), ("Dead letters", deadLetters), ("Speed", speed),
            ("Time", times), ("What is wrong", wrong),
        ]
        return parts.filter { !$0.lines.isEmpty }.flatMap { ["", $0.title, ""] + $0.lines }
            + ["", conclusion]
    }

    private var kinds: [String] {
        var table = TextTable([
            ("kind of request", .left), ("must come", .left), ("sent", .right), ("right", .right),
        ])
        for kind in DemoKind.allCases {
            guard let score = tally.scores[kind] else { continue }
            table.add([kind.rawValue, kind.answer, "\(score.sent)", "\(score.right)"])
        }
        return table.lines
    }

    private var verdicts: [String] {
        var table = TextTable([
            ("type", .left), ("outcome", .left), ("reason", .left), ("requests", .right),
            ("repeats", .right),
        ])
        let rows = tally.verdicts.sorted { $0.key < $1.key }
        for (row, answers) in rows {
            table.add([
                row.type, row.outcome, row.reason, "\(answers.requests)", "\(answers.repeats)",
            ])
        }
        let sums = (rows.map(\.value.requests).reduce(0, +), rows.map(\.value.repeats).reduce(0, +))
        table.add(["all", "", "", "\(sums.0)", "\(sums.1)"])
        return table.lines
    }

    private var deadLetters: [String] {
        guard !tally.deadLetters.isEmpty else { return [] }
        var table = TextTable([("cause", .left), ("records", .right)])
        for (cause, answers) in tally.deadLetters.sorted(by: { $0.key < $1.key }) {
            table.add([cause, "\(answers.requests + answers.repeats)"])
        }
        return table.lines
    }

    private var examples: [String] {
        let verdicts = tally.verdicts.sorted { $0.key < $1.key }.map { row, answers in
            ("\(row.type), \(row.outcome)" + (row.reason == "-" ? "" : ", \(row.reason)"), answers)
        }
        let deadLetters = tally.deadLetters.sorted { $0.key < $1.key }.map { cause, answers in
            ("dead letter, \(cause)", answers)
        }
        return (verdicts + deadLetters).flatMap { title, answers in
            let text = answers.example
            let isLong = text.count > Self.exampleCharactersMax
            return [
                title, "    " + (isLong ? text.prefix(Self.exampleCharactersMax) + " …" : text),
            ]
        }
    }

    private var speed: [String] {
        let microseconds = max(1, exchange.microseconds)
        // The first record waited for the lanes to join their group.
        let latencies = tally.latencies.dropFirst()
        let rate = Int64(latencies.count) * 1_000_000 / microseconds
        return [
            "\(latencies.count) records answered in \(exchange.readable): \(rate) a second",
            "latency: " + DemoLatency(Array(latencies)).summary,
            "(from handing a record to the producer to reading its answer, waiting in line"
                + " included: up to \(DemoExchange.unansweredMax) are under way at once)",
        ]
    }

    private var times: [String] {
        var table = TextTable([("", .left), ("", .right)])
        for (name, duration) in phases { table.add([name, duration.readable]) }
        return Array(table.lines.dropFirst(2))
    }

    private var wrong: [String] {
        let shown = failures.prefix(Self.failuresShownMax).map { "- \($0)" }
        let rest = failures.count - shown.count
        return rest > 0 ? shown + ["- and \(rest) more"] : shown
    }

    private var conclusion: String {
        failures.isEmpty
            ? "Every answer was the right one."
            : "WRONG: \(failures.count) answers were not the right ones; see above."
    }
}
