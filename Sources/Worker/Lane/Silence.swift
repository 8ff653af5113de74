/// How long something has been waited for, and when to tell so.
struct Silence {
    private let start: Duration
    private let most: Duration
    private var lastTold: Duration
    /// Whether it was told at least once.
    var wasTold: Bool { lastTold != start }

    /// A silence that begins now.
    ///
    /// - Parameters:
    ///   - start: a monotonic clock's present reading.
    ///   - most: how long to be silent before the first telling, and between tellings.
    init(from start: Duration, most: Duration) {
        self.start = start
        self.most = most
        lastTold = start
    }

    /// How long it has lasted, if it is time to tell.
    mutating func toTell(at now: Duration) -> Duration? {
        guard now - lastTold >= most else { return nil }
        lastTold = now
        return now - start
    }
}
