/// How long requests waited for their verdicts.
struct Latency {
    private let sorted: [Duration]

    init(_ durations: [Duration]) {
        sorted = durations.sorted()
    }

    /// The smallest duration that so many of a hundred did not exceed (nearest rank); nil if there
    /// are none.
    func percentile(_ percent: Int) -> Duration? {
        let rank = (sorted.count * percent + 99) / 100
        return sorted.dropFirst(max(0, rank - 1)).first
    }

    /// The percentiles that matter: `p50 12.3 ms, p95 …, p99 …, max …`.
    var summary: String {
        [("p50", 50), ("p95", 95), ("p99", 99), ("max", 100)]
            .map { name, percent in "\(name) \(percentile(percent)?.readable ?? "-")" }
            .joined(separator: ", ")
    }
}
