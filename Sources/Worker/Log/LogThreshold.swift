import Synchronization

/// The least level that is written, shared by a log and all that were made of it.
final class LogThreshold: Sendable {
    private let number: Atomic<Int>

    /// A threshold that lets this level pass.
    init(_ level: LogLevel) {
        number = Atomic(level.weight)
    }

    /// The least level that is written.
    var level: LogLevel {
        get {
            let weight = number.load(ordering: .relaxed)
            return LogLevel.allCases.first { $0.weight == weight } ?? .debug
        }
        set { number.store(newValue.weight, ordering: .relaxed) }
    }

    /// Whether lines of this level are written.
    func lets(_ level: LogLevel) -> Bool {
        level.weight >= number.load(ordering: .relaxed)
    }
}
