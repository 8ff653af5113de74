import Glibc
import Worker

/// Tells how far something is: on one line that changes, or, where the output is no terminal, by a
/// line now and then.
struct ProgressTerminal {
    private let write: @Sendable ([UInt8]) -> Bool
    private let isLive: Bool
    private var isLineOpen = false
    private var nextUpdate: ContinuousClock.Instant

    /// To the line's begin, and delete what stands there (ECMA-48, CSI K).
    private static let clearing = "\r\u{1B}[K"
    /// How often a terminal's line changes.
    private static let liveInterval: Duration = .milliseconds(100)
    /// How often a line is added elsewhere.
    private static let lineInterval: Duration = .seconds(1)

    /// - Parameters:
    ///   - isLive: whether a person watches: standard output is a terminal.
    ///   - now: the present moment.
    ///   - write: writes to standard output.
    init(
        isLive: Bool, now: ContinuousClock.Instant, write: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.isLive = isLive
        self.write = write
        nextUpdate = now + Self.lineInterval
    }

    /// Prints a line that stays.
    ///
    /// - Throws: a fault when nobody reads any more.
    mutating func say(_ line: String) throws(SimulationEnd) {
        try put((isLineOpen ? Self.clearing : "") + line + "\n")
        isLineOpen = false
    }

    /// Shows how far something is, if it is time again.
    mutating func update(at now: ContinuousClock.Instant, _ line: () -> String)
        throws(SimulationEnd)
    {
        guard now >= nextUpdate else { return }
        nextUpdate = now + (isLive ? Self.liveInterval : Self.lineInterval)
        guard isLive else { return try say(line()) }
        try put(Self.clearing + line())
        isLineOpen = true
    }

    private func put(_ text: String) throws(SimulationEnd) {
        guard write(Array(text.utf8)) else {
            throw .fault(
                Fault(
                    operation: "write to standard output", code: "output_closed",
                    disposition: .stop(.software), message: "nobody reads it any more"))
        }
    }
}
