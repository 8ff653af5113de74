internal import FoundationEssentials

/// A named value on a log line.
struct LogField: Hashable, Sendable {
    /// In snake case.
    let name: String
    var value: LogValue
}

extension [LogField] {
    /// Sets a field: in its place if the name is there already, else at the end.
    ///
    /// A line has a handful of fields, so a walk is cheaper than a dictionary, and keeps the order.
    mutating func set(_ name: String, to value: LogValue) {
        if let position = firstIndex(where: { $0.name == name }) {
            self[position].value = value
        } else {
            append(LogField(name: name, value: value))
        }
    }
}

/// One line of the log, before it is bytes.
struct LogLine {
    let microseconds: Int64
    let level: LogLevel
    let event: String
    let message: String
    let fields: [LogField]

    /// The same line with one more field.
    func with(_ field: LogField) -> LogLine {
        LogLine(
            microseconds: microseconds, level: level, event: event, message: message,
            fields: fields + [field])
    }

    /// A JSON object and a newline: `ts`, `level`, `event`, `msg`, then the fields in their order.
    ///
    /// A field that bears the name of one of those four takes its place rather than appear twice.
    func json() -> [UInt8] {
        var members = [
            LogField(name: "ts", value: .text(timestamp)),
            LogField(name: "level", value: .text(level.rawValue)),
            LogField(name: "event", value: .text(event)),
            LogField(name: "msg", value: .text(message)),
        ]
        for field in fields { members.set(field.name, to: field.value) }
        var text = "{"
        for (position, member) in members.enumerated() {
            if position > 0 { text += "," }
            text += quotedAsJSON(member.name) + ":" + json(member.value)
        }
        return Array((text + "}\n").utf8)
    }

    /// A line for a person: `14:46:07.250 warning broker_down: sentence  topic=a partition=3`.
    func text() -> [UInt8] {
        // 2026-11-30T14:46:07.250000Z: the time of day down to milliseconds is enough to read.
        let time = String(timestamp.dropFirst(11).dropLast(4))
        let padding = String(repeating: " ", count: max(0, 7 - level.rawValue.count))
        var text = "\(time) \(level.rawValue)\(padding) \(event): \(printable(cut(message)))"
        for (position, field) in fields.enumerated() {
            text += (position == 0 ? "  " : " ") + field.name + "=" + plain(field.value)
        }
        return Array((text + "\n").utf8)
    }

    /// RFC 3339 in UTC with microseconds.
    var timestamp: String {
        let (seconds, fraction) = microseconds.flooringQuotientAndRemainder(dividingBy: 1_000_000)
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        let digits = String(fraction)
        let padding = String(repeating: "0", count: 6 - digits.count)
        return date.formatted(.iso8601).dropLast() + "." + padding + digits + "Z"
    }

    private func json(_ value: LogValue) -> String {
        switch value {
        case .text(let text): quotedAsJSON(cut(text))
        case .number(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        }
    }

    private func plain(_ value: LogValue) -> String {
        switch value {
        case .text(let text): text.contains(" ") ? quotedAsJSON(cut(text)) : printable(cut(text))
        case .number(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        }
    }

    private func cut(_ text: String) -> String {
        guard text.utf8.count > LogValue.textBytesMax else { return text }
        // Decoding repairs a character that the cut went through.
        return String(decoding: text.utf8.prefix(LogValue.textBytesMax), as: UTF8.self) + "…"
    }
}

extension Int64 {
    /// Quotient rounded towards minus infinity and the remainder that is never negative, so that
    /// the microseconds before 1970 come out right.
    fileprivate func flooringQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
