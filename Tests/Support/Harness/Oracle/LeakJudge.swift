/// What a worker process holds at a moment.
package struct LeakSample: Hashable, Sendable {
    /// Minutes since the beginning of the load.
    package let minute: Double
    /// Resident memory.
    package let residentKiB: Int
    /// Open file descriptors: files, sockets and pipes.
    package let handles: Int
    /// Threads.
    package let threads: Int
    /// Sessions at the database server; nil where it could not be asked.
    package let sessions: Int?

    /// A sample from its parts.
    package init(minute: Double, residentKiB: Int, handles: Int, threads: Int, sessions: Int?) {
        self.minute = minute
        self.residentKiB = residentKiB
        self.handles = handles
        self.threads = threads
        self.sessions = sessions
    }
}

/// Judges whether a process that was under load all the time keeps what it should have let go.
package enum LeakJudge {
    /// How much of the time, at the beginning, is warm-up: caches fill, connections are made.
    package static let warmUpShare = 0.2
    /// How many more handles the last third of the time may show than the first, in the median: a
    /// client holds connections to those brokers that it happened to need.
    package static let handlesTolerance = 4
    /// How many threads likewise: librdkafka has one per broker that it knows.
    package static let threadsTolerance = 4
    /// How fast resident memory may grow, by least squares over the time after warm-up.
    package static let growthKiBPerMinuteMax = 100.0
    /// From how many minutes after warm-up on the growth of memory can be told from noise.
    package static let growthMinutesMin = 20.0

    /// What is wrong with the samples of one worker, in order of time.
    ///
    /// - Parameters:
    ///   - samples: of one process, without a gap that would hide its restart.
    ///   - lanes: how many lanes it has, each with one session.
    /// - Returns: a sentence for each thing that grows.
    package static func problems(_ samples: [LeakSample], lanes: Int) -> [String] {
        guard let last = samples.last else { return ["there is no sample"] }
        let warm = samples.filter { $0.minute >= last.minute * warmUpShare }
        var problems: [String] = []
        func compare(_ what: String, _ tolerance: Int, _ value: (LeakSample) -> Int) {
            let values = warm.map(value)
            let third = max(1, values.count / 3)
            let (before, after) = (median(values.prefix(third)), median(values.suffix(third)))
            if after > before + tolerance {
                problems.append("\(what) rose from \(before) to \(after), more than \(tolerance)")
            }
        }
        compare("handles", handlesTolerance, \.handles)
        compare("threads", threadsTolerance, \.threads)
        if let sessions = last.sessions, sessions != lanes {
            problems.append("\(sessions) sessions at the end, for \(lanes) lanes")
        }
        if let growth = growthKiBPerMinute(samples), growth > growthKiBPerMinuteMax {
            problems.append(
                "memory grows by \(Int(growth)) KiB a minute, more than \(growthKiBPerMinuteMax)")
        }
        return problems
    }

    /// The growth of resident memory after warm-up; nil where the time is too short to tell.
    package static func growthKiBPerMinute(_ samples: [LeakSample]) -> Double? {
        guard let last = samples.last else { return nil }
        let warm = samples.filter { $0.minute >= last.minute * warmUpShare }
        guard let first = warm.first, last.minute - first.minute >= growthMinutesMin else {
            return nil
        }
        let count = Double(warm.count)
        let meanMinute = warm.reduce(0) { $0 + $1.minute } / count
        let meanMemory = warm.reduce(0) { $0 + Double($1.residentKiB) } / count
        let covariance = warm.reduce(0) {
            $0 + ($1.minute - meanMinute) * (Double($1.residentKiB) - meanMemory)
        }
        let variance = warm.reduce(0) { $0 + ($1.minute - meanMinute) * ($1.minute - meanMinute) }
        return variance > 0 ? covariance / variance : nil
    }

    private static func median(_ values: some Collection<Int>) -> Int {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
