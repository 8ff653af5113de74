/// What was sent and what came, as tables for a person to read.
struct TallyTables {
    /// The counts.
    let tally: Tally
    /// What was wrong.
    let failures: [WrongAnswer]

    /// More failures than these are only counted.
    static let failuresShownMax = 50

    /// How many answers were wrong.
    var failureCount: Int {
        failures.count + tally.unlistedFailureCount
    }

    /// What was sent, kind by kind.
    var kinds: [String] {
        var table = TextTable([
            ("kind of request", .left), ("must come", .left), ("sent", .right), ("right", .right),
        ])
        for kind in PlannedKind.allCases {
            guard let score = tally.scores[kind] else { continue }
            table.add([kind.rawValue, kind.answer, "\(score.sent)", "\(score.right)"])
        }
        return table.lines
    }

    /// The verdicts, counted by type, outcome and reason.
    var verdicts: [String] {
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

    /// The failures, one a line.
    var wrong: [String] {
        let shown = failures.prefix(Self.failuresShownMax).map { "- \($0)" }
        let rest = failureCount - shown.count
        return rest > 0 ? shown + ["- and \(rest) more"] : shown
    }
}
