import Worker

/// What `check` prints: a line for each finding.
extension [Finding] {
    /// The lines, each with a newline: `ok`, `warn` or `FAIL`, the subject and what was found.
    var report: String {
        map { finding in
            let mark =
                switch finding.weight {
                case .fine: "ok  "
                case .warning: "warn"
                case .error: "FAIL"
                }
            return "\(mark)  \(finding.subject): \(finding)\n"
        }.joined()
    }
}

extension Log {
    /// Writes the findings of the start: errors and warnings as such, what is fine for debugging.
    func write(_ findings: [Finding]) {
        for finding in findings {
            let level: LogLevel =
                switch finding.weight {
                case .fine: .debug
                case .warning: .warning
                case .error(let code): code == .unavailable ? .warning : .error
                }
            self(
                level, "start_up_check", "\(finding.subject): \(finding)",
                ["subject": LogValue(finding.subject)])
        }
    }
}
