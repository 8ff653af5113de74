package import AppAttest

extension Instant {
    /// How much later it is than another; below zero where it is earlier.
    package func since(_ earlier: Instant) -> Duration {
        let (difference, isBeyond) = milliseconds.subtractingReportingOverflow(
            earlier.milliseconds)
        return .milliseconds(isBeyond ? (self < earlier ? .min : .max) : difference)
    }

    /// The day in UTC, counted from 1970.
    package var day: Int32 {
        let (days, rest) = wholeSeconds.quotientAndRemainder(dividingBy: 86_400)
        return Int32(clamping: rest < 0 ? days - 1 : days)
    }
}
