import Glibc
import Testing

/// Asks workers to end, and checks that each does so cleanly.
func stop(_ workers: [ChildProcess]) async throws {
    for worker in workers { worker.send(SIGTERM) }
    for worker in workers {
        let end = try await worker.waitForEnd(within: .seconds(30))
        #expect(end == .exited(0), "\(worker)")
    }
}

extension ChildProcess {
    /// How many log lines tell of this event.
    func count(of event: String) -> Int {
        errors.split(separator: "\n").count { $0.contains("\"event\":\"\(event)\"") }
    }

    /// Waits until a log line tells of this event; in vain once the process has ended.
    func waitFor(_ event: String, count: Int = 1, within limit: Duration) async throws {
        try await eventually("\(event) in the log of \(self)", within: limit) {
            let hasEnded = ended != nil
            if self.count(of: event) >= count { return true }
            guard !hasEnded else { throw HarnessFailure("no \(event) before the end of \(self)") }
            return false
        }
    }
}
