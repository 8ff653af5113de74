import Worker

/// Why a demo ends before its report.
enum DemoEnd: Error, Sendable {
    /// A signal asked for it.
    case interrupted
    /// A part of it can't do its work.
    case fault(Fault)
    /// The lanes ended by themselves.
    case lanesEnded(ExitCode)
    /// A deadline passed; what was waited for, in words.
    case overdue(String)
}
