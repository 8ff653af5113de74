import Worker

/// Keeps a count from rising faster than a rate.
struct Pace {
    private let perSecond: Int?
    private let start = ContinuousClock.now

    /// A pace that begins now; nil is none.
    init(perSecond: Int?) {
        self.perSecond = perSecond
    }

    /// How many to take at a time, so that a low rate is no row of bursts.
    func portion(of most: Int) -> Int {
        min(most, perSecond ?? most)
    }

    /// Sleeps until the count is due.
    func keep(after count: Int) {
        guard let perSecond else { return }
        Tool.pause(due(count, perSecond) - (ContinuousClock.now - start))
    }

    private func due(_ count: Int, _ perSecond: Int) -> Duration {
        .milliseconds(Int64(count) * 1000 / Int64(perSecond))
    }
}
