import Synchronization

/// Keeps the last log lines of the lanes, to be shown only if something goes wrong.
final class RecentLog: Sendable {
    private let lines = Mutex<[[UInt8]]>([])

    /// How many lines are kept.
    static let linesMax = 100

    /// Takes a line, a newline at its end.
    func add(_ line: [UInt8]) {
        lines.withLock { lines in
            lines.append(line)
            if lines.count > Self.linesMax { lines.removeFirst() }
        }
    }

    /// What was kept, in order.
    var bytes: [UInt8] {
        lines.withLock { Array($0.joined()) }
    }
}
