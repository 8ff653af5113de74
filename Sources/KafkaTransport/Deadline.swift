/// An instant until which something may take, and what is left of it.
///
/// The monotonic clock of the system, as a timeout of a C call counts by it too.
struct Deadline {
    private let instant: ContinuousClock.Instant

    /// The instant that lies so far ahead.
    init(after duration: Duration) {
        instant = ContinuousClock.now + duration
    }

    /// What is left; never negative.
    var remaining: Duration {
        max(.zero, ContinuousClock.now.duration(to: instant))
    }

    /// Whether nothing is left.
    var isOver: Bool {
        remaining == .zero
    }
}

extension Duration {
    /// Whole milliseconds for a C call: rounded up, so that a short wait does not spin; 0 for none.
    var millisecondsForC: Int32 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let attosecondsInMillisecond: Int64 = 1_000_000_000_000_000
        let fraction = (attoseconds + attosecondsInMillisecond - 1) / attosecondsInMillisecond
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000)
        return isTooLong ? .max : Int32(clamping: whole + fraction)
    }
}
