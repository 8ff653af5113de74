import AppAttest

extension Console {
    /// The present moment.
    var instant: Instant {
        Instant(milliseconds: clock() / 1000)
    }
}
