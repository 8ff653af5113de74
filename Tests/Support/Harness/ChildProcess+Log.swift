extension ChildProcess {
    /// How many log lines tell of this event.
    package func count(of event: String) -> Int {
        errors.split(separator: "\n").count { $0.contains("\"event\":\"\(event)\"") }
    }

    /// Waits until a log line tells of this event; in vain once the process has ended.
    package func waitFor(_ event: String, count: Int = 1, within limit: Duration) async throws {
        try await eventually("\(event) in the log of \(self)", within: limit) {
            let hasEnded = ended != nil
            if self.count(of: event) >= count { return true }
            guard !hasEnded else { throw HarnessFailure("no \(event) before the end of \(self)") }
            return false
        }
    }
}
