import AppAttest
import FoundationEssentials

extension Instant {
    /// A time as RFC 3339 §5.6 writes it, seconds with or without a fraction.
    ///
    /// - Parameter text: such as `2026-01-31T12:00:00Z` or `2026-01-31T13:00:00.5+01:00`.
    init?(rfc3339 text: String) {
        // The parser stops where a time ends, whatever follows; so the end is looked at first.
        let isUTC = text.hasSuffix("Z") || text.hasSuffix("z")
        let offset = text.suffix(6)
        let isOffset =
            (offset.hasPrefix("+") || offset.hasPrefix("-")) && offset.dropFirst(3).hasPrefix(":")
        let body = text.dropLast(isUTC ? 1 : 6)
        guard isUTC || isOffset, body.utf8.count >= 19, let last = body.utf8.last,
            body.utf8.allSatisfy({ $0 != UInt8(ascii: "Z") && $0 != UInt8(ascii: "+") }),
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last), isDate(text.prefix(10)),
            let date = try? Date(text, strategy: .iso8601)
        else { return nil }
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard let whole = Int64(exactly: milliseconds) else { return nil }
        self.init(milliseconds: whole)
    }

    /// The moment as RFC 3339 §5.6 writes it, in UTC, without a fraction.
    var rfc3339: String {
        let seconds = (Double(milliseconds) / 1000).rounded(.down)
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}

/// Whether a calendar has a day: the parser takes February 30th for March 2nd.
private func isDate(_ text: Substring) -> Bool {
    let parts = text.split(separator: "-").map { Int($0) ?? 0 }
    guard parts.count == 3, (1...12).contains(parts[1]), parts[2] >= 1 else { return false }
    let (year, month, day) = (parts[0], parts[1], parts[2])
    let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
    switch month {
    case 2: return day <= (isLeap ? 29 : 28)
    case 4, 6, 9, 11: return day <= 30
    default: return day <= 31
    }
}
