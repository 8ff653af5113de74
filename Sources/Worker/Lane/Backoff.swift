/// How long to wait before the next try: doubles from `first` to `most`, with jitter.
///
/// The jitter takes up to half of the pause away, so that a fleet which lost its database at one
/// moment does not come back at one moment.
package struct Backoff: Sendable {
    /// The first pause at the longest.
    package let first: Duration
    /// Every later pause at the longest.
    package let most: Duration
    private var failures = 0

    /// A history without failures.
    package init(first: Duration = .milliseconds(50), most: Duration = .seconds(10)) {
        self.first = first
        self.most = most
    }

    /// How many times in a row it failed.
    package var attempts: Int { failures }

    /// Notes a failure.
    ///
    /// - Parameter random: the source of the jitter.
    /// - Returns: how long to wait: from half of the present pause up to the whole of it.
    package mutating func failed(using random: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(failures, 20)
        failures += 1
        let longest = min(first * (1 << doublings), most)
        let thousandths = Int.random(in: 500...1000, using: &random)
        return longest * thousandths / 1000
    }

    /// Forgets the failures.
    package mutating func succeeded() {
        failures = 0
    }
}
