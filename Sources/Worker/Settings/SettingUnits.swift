/// A number with a unit behind it, as durations and sizes are written: `45s`, `1MiB`.
package struct SettingUnits: Sendable {
    /// Names and factors, the smallest first.
    private let units: [(name: String, factor: Int64)]

    /// `ms`, `s`, `m`, `h`, `d`; counted in milliseconds.
    package static let durations = SettingUnits(units: [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ])

    /// `B`, `KiB`, `MiB`, `GiB`; counted in bytes.
    static let sizes = SettingUnits(units: [
        ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ])

    /// Reads digits and a unit, with nothing before, between or after them.
    ///
    /// - Returns: the number in the smallest unit; nil if it is written otherwise or too large.
    package func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text.dropFirst(digits.count)
        guard let number = Int64(digits), let unit = units.first(where: { $0.name == name }) else {
            return nil
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit.factor)
        return overflow ? nil : product
    }

    /// Writes a number in the largest unit that leaves no remainder.
    func format(_ number: Int64) -> String {
        let unit = units.last { number != 0 && number.isMultiple(of: $0.factor) } ?? units[0]
        return String(number / unit.factor) + unit.name
    }
}

extension Duration {
    /// As a setting is written: `500ms`, `45s`, `7d`.
    var written: String {
        SettingUnits.durations.format(wholeMilliseconds)
    }
}
