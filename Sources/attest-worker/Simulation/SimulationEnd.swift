import Worker

/// Why a demo or a simulation ends before its report.
enum SimulationEnd: Error, Sendable {
    /// A signal asked for it.
    case interrupted
    /// A part of it can't do its work.
    case fault(Fault)
    /// The lanes ended by themselves.
    case lanesEnded(ExitCode)
    /// A deadline passed; what was waited for, in words.
    case overdue(String)
}

extension SimulationEnd {
    /// Does something whose fault ends all.
    static func unlessFault<Result>(
        _ body: () throws(Fault) -> Result
    ) throws(SimulationEnd) -> Result {
        do {
            return try body()
        } catch {
            throw .fault(error)
        }
    }
}
