/// A duration as App Check's contract writes it.
package enum ProtobufDuration {
    /// Decimal seconds with an `s` behind them: `300s`, `3.500s`.
    ///
    /// Source: google.protobuf.Duration, JSON mapping: no, 3, 6 or 9 digits of a fraction.
    ///
    /// - Parameter duration: not negative; what is below a millisecond is left out.
    /// - Returns: the text, with three digits of a fraction or none.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { return "\(seconds)s" }
        let digits = String(milliseconds)
        return "\(seconds).\(String(repeating: "0", count: 3 - digits.count))\(digits)s"
    }
}
