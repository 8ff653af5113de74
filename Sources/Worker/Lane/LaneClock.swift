package import AppAttest

/// The clocks of a lane, handed in so that tests can set them.
package struct LaneClock: Sendable {
    /// The wall clock: bounds the timestamps of records, and nothing else.
    package let wall: @Sendable () -> Instant
    /// Time since some fixed moment, never set back: measures pauses and deadlines.
    package let monotonic: @Sendable () -> Duration

    /// Clocks from their parts.
    package init(
        wall: @escaping @Sendable () -> Instant, monotonic: @escaping @Sendable () -> Duration
    ) {
        self.wall = wall
        self.monotonic = monotonic
    }
}
