import Synchronization

/// Keeps a fault that repeats from filling the log.
///
/// Of lines of one kind in one stretch of time only the first few are written; the others become
/// one line that tells how many they were. Lines are of one kind if they agree in event, level and
/// the fields that tell where and why; which events are merged, ``LogEvents`` tells. The stretch is
/// told by the times of the lines, and a line of any kind brings out what came to its end before.
final class LogMerger: Sendable {
    /// How long a stretch is, in microseconds.
    static let window: Int64 = 10_000_000
    /// How many lines of one kind are written in a stretch: the first tries tell most.
    static let linesMax = 3
    /// How many kinds are kept count of; lines of further kinds are written as they are.
    static let kindsMax = 256
    /// Fields of which each value makes a kind of its own.
    static let distinguishing = [
        "lane", "error_code", "rdkafka_code", "operation", "topic", "partition", "subject", "app",
    ]

    private struct Kind: Hashable {
        let event: String
        let level: LogLevel
        let values: [LogValue?]
    }

    private struct Stretch {
        let start: Int64
        var written = 0
        var kept = 0
        /// The latest of those that were kept back.
        var latest: LogLine?

        /// The latest, with the number of those before it that were kept back; nil if none was.
        var summary: LogLine? {
            latest.map { $0.with(LogField(name: "suppressed", value: LogValue(kept - 1))) }
        }
    }

    private let stretches = Mutex<[Kind: Stretch]>([:])

    /// What is to be written when a line comes in: what has waited long enough, then the line,
    /// unless it is one too many.
    func lines(for line: LogLine) -> [LogLine] {
        stretches.withLock { stretches in
            var lines = Self.takeEnded(from: &stretches, at: line.microseconds)
            // Who asks for debug lines wants all of them.
            guard line.level > .debug, LogEvents.isMerged(line.event) else { return lines + [line] }
            let kind = Kind(
                event: line.event, level: line.level,
                values: Self.distinguishing.map { name in
                    line.fields.first { $0.name == name }?.value
                })
            if stretches[kind] == nil, stretches.count >= Self.kindsMax { return lines + [line] }
            var stretch = stretches[kind] ?? Stretch(start: line.microseconds)
            if stretch.written < Self.linesMax {
                stretch.written += 1
                lines.append(line)
            } else {
                stretch.kept += 1
                stretch.latest = line
            }
            stretches[kind] = stretch
            return lines
        }
    }

    /// Everything that was kept back: for the end of the process.
    func rest() -> [LogLine] {
        stretches.withLock { stretches in
            let lines = stretches.values.compactMap(\.summary)
            stretches = [:]
            return lines.sorted { $0.microseconds < $1.microseconds }
        }
    }

    /// A clock that was set back ends every stretch too.
    private static func takeEnded(
        from stretches: inout [Kind: Stretch], at now: Int64
    ) -> [LogLine] {
        let ended = stretches.filter { stretch in
            let (age, isBeyond) = now.subtractingReportingOverflow(stretch.value.start)
            return isBeyond || age < 0 || age >= window
        }
        for kind in ended.keys { stretches[kind] = nil }
        return ended.values.compactMap(\.summary).sorted { $0.microseconds < $1.microseconds }
    }
}
