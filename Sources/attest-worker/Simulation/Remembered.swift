/// Answered requests that are not forgotten yet: the latest ones, in two generations.
///
/// When the younger generation is full, the older one is forgotten as a whole: that costs next to
/// nothing a request, and remembers one to two times as many as asked for.
struct Remembered {
    private let max: Int
    private var younger: [String] = []
    private var older: [String] = []
    /// How many were forgotten.
    private(set) var forgottenCount = 0

    /// - Parameter max: how many are remembered at the least.
    init(max: Int) {
        self.max = max
    }

    /// Adds a request that was answered.
    ///
    /// - Returns: the requests to forget now.
    mutating func add(_ id: String) -> [String] {
        guard max < .max else { return [] }
        younger.append(id)
        guard younger.count >= max else { return [] }
        let forgotten = older
        older = younger
        younger = []
        forgottenCount += forgotten.count
        return forgotten
    }
}
