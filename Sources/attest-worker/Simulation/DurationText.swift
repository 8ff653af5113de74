extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    /// Three figures or more, with the unit that suits: `840 µs`, `12.3 ms`, `4.20 s`.
    var readable: String {
        let microseconds = microseconds
        switch microseconds {
        case ..<1_000: return "\(microseconds) µs"
        case ..<1_000_000: return "\(decimal(microseconds / 100, digits: 1)) ms"
        default: return "\(decimal(microseconds / 10_000, digits: 2)) s"
        }
    }

    /// A whole number with a point before its last digits.
    private func decimal(_ value: Int64, digits: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<digits { scale *= 10 }
        let fraction = String(value % scale)
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(value / scale).\(zeros)\(fraction)"
    }
}

extension String {
    /// The text with blanks before it, so that it has so many characters at least.
    func padded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
