import SeededNumbers

/// Durations, all of them while they are few; of more a fair sample.
///
/// Reservoir sampling. Source: Vitter, "Random Sampling with a Reservoir", ACM TOMS 11 (1985),
/// algorithm R.
struct LatencySample {
    /// More are not kept.
    static let durationsMax = 100_000

    /// Those that are kept, in no order once there were too many.
    private(set) var durations: [Duration] = []
    /// How many were added.
    private(set) var count = 0
    /// The longest that was added.
    private(set) var longest: Duration = .zero
    private var random = SplitMix64(seed: 0)

    /// Adds a duration.
    mutating func add(_ duration: Duration) {
        count += 1
        longest = max(longest, duration)
        guard durations.count >= Self.durationsMax else {
            durations.append(duration)
            return
        }
        let place = Int.random(in: 0..<count, using: &random)
        if place < durations.count { durations[place] = duration }
    }
}
