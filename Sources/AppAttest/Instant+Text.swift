extension Instant {
    /// A time as receipts spell it: `2020-11-21T22:16:05.466Z`.
    ///
    /// RFC 3339 in UTC with up to three digits of a fraction. Apple leaves out zeros at its end, so
    /// that every tenth time has two digits; a whole second is taken without any, too.
    ///
    /// - Parameter text: the UTF-8 bytes. Nil when they are no such time: other offsets, lower-case
    ///   letters, leap seconds and days that a month does not have are refused.
    package init?(receiptText text: ArraySlice<UInt8>) {
        var reader = ByteReader(text)
        guard let year = reader.digits(4), reader.byte() == UInt8(ascii: "-"),
            let month = reader.digits(2), (1...12).contains(month),
            reader.byte() == UInt8(ascii: "-"), let day = reader.digits(2),
            (1...dayCount(ofMonth: month, inYear: year)).contains(day),
            reader.byte() == UInt8(ascii: "T"), let hour = reader.digits(2), hour < 24,
            reader.byte() == UInt8(ascii: ":"), let minute = reader.digits(2), minute < 60,
            reader.byte() == UInt8(ascii: ":"), let second = reader.digits(2), second < 60,
            let fraction = reader.fraction(), reader.byte() == UInt8(ascii: "Z"),
            reader.remainingCount == 0
        else { return nil }
        let minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute
        self.init(milliseconds: (minutes * 60 + second) * 1000 + fraction)
    }

    /// The moment so much later; stays at the ends of the range.
    package func advanced(by duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1000)
        let (step, isStepBeyond) = whole.addingReportingOverflow(
            attoseconds / 1_000_000_000_000_000)
        let (sum, isSumBeyond) = milliseconds.addingReportingOverflow(step)
        guard isBeyond || isStepBeyond || isSumBeyond else { return Instant(milliseconds: sum) }
        return Instant(milliseconds: duration < .zero ? .min : .max)
    }
}

extension ByteReader {
    /// So many decimal digits, as a number.
    fileprivate mutating func digits(_ count: Int) -> Int64? {
        guard let digits = take(count), digits.allSatisfy({ isDigit($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// A point and one to three digits, as milliseconds; 0 where there is no point.
    fileprivate mutating func fraction() -> Int64? {
        guard remaining.first == UInt8(ascii: ".") else { return 0 }
        _ = byte()
        let count = remaining.prefix { isDigit($0) }.count
        guard (1...3).contains(count), let value = digits(count) else { return nil }
        return count == 1 ? value * 100 : count == 2 ? value * 10 : value
    }
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

private func dayCount(ofMonth month: Int64, inYear year: Int64) -> Int64 {
    switch month {
    case 2 where year.isMultiple(of: 400): 29
    case 2 where year.isMultiple(of: 4) && !year.isMultiple(of: 100): 29
    case 2: 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

/// Days of the Gregorian calendar from 1970-01-01 on, for years from 0 to 9999.
///
/// Years are counted from March, so that the day that is sometimes there is the last one. Month m
/// of those begins on day (153 m + 2) / 5. 719,468 days lie between 0000-03-01 and 1970-01-01.
private func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    // A whole cycle of 400 years more, so that no division is of a negative number.
    let years = year + 400 - (month <= 2 ? 1 : 0)
    let months = (month + 9) % 12
    return years * 365 + years / 4 - years / 100 + years / 400
        + (153 * months + 2) / 5 + day - 1 - 719_468 - 146_097
}
