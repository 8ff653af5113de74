/// Writes log lines: an event with a stable name, a sentence, and fields.
///
/// A copy with further fields costs little; each lane has its own. What is written goes to one
/// closure, a whole line a call, so that lines of several threads don't mix when the closure is a
/// single `write(2)`. Callers never put payloads, raw key ids or secrets into a field.
package struct Log: Sendable {
    /// How a line looks.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// One JSON object a line: for collectors.
        case json
        /// Time, level, event, sentence and fields: for a person at a terminal.
        case text
    }

    /// Takes one line, its newline included.
    ///
    /// It is called on any thread.
    package typealias Sink = @Sendable ([UInt8]) -> Void

    /// The wall clock: microseconds since 1970-01-01T00:00:00Z.
    package typealias Clock = @Sendable () -> Int64

    /// Lines below this level are not written: of this log and of all that were made of it.
    package var level: LogLevel {
        get { threshold.level }
        nonmutating set { threshold.level = newValue }
    }

    private let threshold: LogThreshold
    private let merger = LogMerger()
    private let format: Format
    private let clock: Clock
    private let sink: Sink
    private var fields: [LogField]

    /// A log without fields.
    ///
    /// - Parameters:
    ///   - level: the least level that is written.
    ///   - format: how a line looks.
    ///   - clock: tells the time of each line.
    ///   - sink: takes each line.
    package init(level: LogLevel, format: Format, clock: @escaping Clock, sink: @escaping Sink) {
        threshold = LogThreshold(level)
        self.format = format
        self.clock = clock
        self.sink = sink
        fields = []
    }

    /// A log that writes nothing: for tests and for callers that have nowhere to write.
    package static let silent = Log(level: .error, format: .json, clock: { 0 }, sink: { _ in })

    /// The same log with fields that every line carries.
    ///
    /// - Parameter added: names in snake case; a name that is there already gets the new value.
    /// - Returns: a copy; this log stays as it is.
    package func with(_ added: KeyValuePairs<String, LogValue>) -> Log {
        var log = self
        for (name, value) in added { log.fields.set(name, to: value) }
        return log
    }

    /// Writes one line, if its level is written at all; repeats of some events are merged.
    ///
    /// - Parameters:
    ///   - level: how much it matters.
    ///   - event: what happened, a stable name in snake case that can be searched and counted.
    ///   - message: one sentence for a person.
    ///   - added: fields of this line alone, names in snake case.
    package func callAsFunction(
        _ level: LogLevel, _ event: String, _ message: String,
        _ added: KeyValuePairs<String, LogValue> = [:]
    ) {
        guard threshold.lets(level) else { return }
        var fields = fields
        for (name, value) in added { fields.set(name, to: value) }
        let line = LogLine(
            microseconds: clock(), level: level, event: event, message: message, fields: fields)
        for line in merger.lines(for: line) { write(line) }
    }

    /// Writes what was kept back of lines that repeat: for the end of the process.
    package func flush() {
        for line in merger.rest() { write(line) }
    }

    private func write(_ line: LogLine) {
        switch format {
        case .json: sink(line.json())
        case .text: sink(line.text())
        }
    }

    /// Writes a fault with its operation, code and sentence.
    package func callAsFunction(
        _ level: LogLevel, _ event: String, _ fault: Fault,
        _ added: KeyValuePairs<String, LogValue> = [:]
    ) {
        let described = with([
            "operation": .text(fault.operation), "error_code": .text(fault.code),
        ])
        described(level, event, fault.message, added)
    }
}
