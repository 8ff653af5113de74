/// How much a log line matters, from least to most.
package enum LogLevel: String, Hashable, Sendable, CaseIterable, Comparable {
    /// For one who looks into a single request.
    case debug
    /// What a run consists of: start, assignment, stop.
    case info
    /// Something failed and is tried again, or a setting weakens what is promised.
    case warning
    /// Something failed and needs a person.
    case error

    /// Orders by weight.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.weight < right.weight
    }

    /// Its place in the order.
    var weight: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}
