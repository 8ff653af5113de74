import SeededNumbers

/// Rows that choose one value of each of several knobs, so that every two values of different knobs
/// stand together in a row at least once.
///
/// Greedy: each row begins with a pair that is still missing, and each other knob takes the value
/// that adds most of the missing pairs. Few flaws need three knobs at once, and all triples would
/// be too many. Source: Cohen et al., "The AETG System", IEEE TSE 23 (1997), simplified.
struct AllPairs {
    private let counts: [Int]
    /// Of each two knobs, lower one first, whether a pair of their values is still missing.
    private var isMissing: [[Bool]]
    private var random: SplitMix64

    /// Makes the rows.
    ///
    /// - Parameters:
    ///   - counts: how many values each knob has, at least one.
    ///   - random: decides among values that are as good.
    /// - Returns: in each row, the number of a value for each knob.
    static func rows(_ counts: [Int], using random: inout SplitMix64) -> [[Int]] {
        var pairs = AllPairs(counts, random)
        var rows: [[Int]] = []
        for lower in counts.indices {
            for upper in counts.indices.dropFirst(lower + 1) {
                for value in 0..<counts[lower] {
                    for other in 0..<counts[upper]
                    where pairs.isMissing(lower, value, upper, other) {
                        rows.append(pairs.row([lower: value, upper: other]))
                    }
                }
            }
        }
        random = pairs.random
        return rows
    }

    private init(_ counts: [Int], _ random: SplitMix64) {
        self.counts = counts
        self.random = random
        isMissing = counts.indices.flatMap { lower in
            counts.indices.map { upper in
                [Bool](repeating: true, count: lower < upper ? counts[lower] * counts[upper] : 0)
            }
        }
    }

    private func isMissing(_ knob: Int, _ value: Int, _ other: Int, _ otherValue: Int) -> Bool {
        knob < other
            ? isMissing[knob * counts.count + other][value * counts[other] + otherValue]
            : isMissing[other * counts.count + knob][otherValue * counts[knob] + value]
    }

    /// A row with two values that are given; its pairs are no longer missing.
    private mutating func row(_ given: [Int: Int]) -> [Int] {
        var chosen = given
        for knob in counts.indices where given[knob] == nil {
            // Any of them to begin with, so that one that adds nothing is not always the first.
            let first = Int.random(in: 0..<counts[knob], using: &random)
            var best = (value: first, added: -1)
            for step in 0..<counts[knob] {
                let value = (first + step) % counts[knob]
                let added = chosen.count { isMissing(knob, value, $0.key, $0.value) }
                if added > best.added { best = (value, added) }
            }
            chosen[knob] = best.value
        }
        let row = counts.indices.map { chosen[$0] ?? 0 }
        for upper in row.indices {
            for lower in 0..<upper {
                isMissing[lower * counts.count + upper][row[lower] * counts[upper] + row[upper]] =
                    false
            }
        }
        return row
    }
}
