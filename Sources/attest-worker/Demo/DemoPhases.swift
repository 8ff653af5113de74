/// How long each part of the demo took.
struct DemoPhases {
    private(set) var all: [(name: String, duration: Duration)] = []
    private var start: ContinuousClock.Instant

    /// The first part begins now.
    init(start: ContinuousClock.Instant) {
        self.start = start
    }

    /// A part ends, and the next one begins.
    ///
    /// - Returns: how long it took.
    mutating func end(_ name: String, at now: ContinuousClock.Instant) -> Duration {
        let duration = start.duration(to: now)
        all.append((name, duration))
        start = now
        return duration
    }
}
