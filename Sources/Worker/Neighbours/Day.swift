package import AppAttest

/// A day in UTC, counted from 1970-01-01.
package struct Day: Hashable, Sendable, Comparable {
    private static let milliseconds: Int64 = 86_400_000

    /// Days since 1970-01-01; clamped to what 32 bits hold.
    package let number: Int32

    /// A day by its number.
    package init(number: Int32) {
        self.number = number
    }

    /// The day of an instant.
    package init(_ instant: Instant) {
        let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(
            dividingBy: Self.milliseconds)
        number = Int32(clamping: remainder < 0 ? quotient - 1 : quotient)
    }

    /// The day's first instant.
    package var start: Instant {
        Instant(milliseconds: Int64(number) * Self.milliseconds)
    }

    /// How many days lie between; negative where the other one is later.
    func days(since other: Day) -> Int {
        Int(number) - Int(other.number)
    }

    /// The earlier day is the lesser.
    package static func < (left: Day, right: Day) -> Bool {
        left.number < right.number
    }
}
