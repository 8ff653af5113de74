/// What the demo tells in the end.
struct DemoReport {
    /// What was sent and what came.
    let tally: Tally
    /// What was wrong: nothing, as a rule.
    let failures: [WrongAnswer]
    /// How long each part took.
    let phases: [(name: String, duration: Duration)]
    /// How long the exchange took that throughput is counted over.
    let exchange: Duration

    /// A longer example is cut.
    static let exampleCharactersMax = 700

    private var tables: TallyTables {
        TallyTables(tally: tally, failures: failures)
    }

    /// The whole report.
    var lines: [String] {
        let parts: [(title: String, lines: [String])] = [
            // The longest first: what counts is on the screen in the end.
            ("An example of each answer", examples),
            ("What was sent, and how much of it got the right answer", tables.kinds),
            ("Verdicts", tables.verdicts), ("Dead letters", deadLetters), ("Speed", speed),
            ("Time", times), ("What is wrong", tables.wrong),
        ]
        return parts.filter { !$0.lines.isEmpty }.flatMap { ["", $0.title, ""] + $0.lines }
            + ["", conclusion]
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
        let latencies = tally.latencies.durations.dropFirst()
        let rate = Int64(latencies.count) * 1_000_000 / microseconds
        return [
            "\(latencies.count) records answered in \(exchange.readable): \(rate) a second",
            "latency: " + Latency(Array(latencies)).summary,
            "(from handing a record to the producer to reading its answer, waiting in line"
                + " included: up to \(Exchange.demoLimits.unansweredMax) are under way at once)",
        ]
    }

    private var times: [String] {
        var table = TextTable([("", .left), ("", .right)])
        for (name, duration) in phases { table.add([name, duration.readable]) }
        return Array(table.lines.dropFirst(2))
    }

    private var conclusion: String {
        failures.isEmpty
            ? "Every answer was the right one."
            : "WRONG: \(failures.count) answers were not the right ones; see above."
    }
}
