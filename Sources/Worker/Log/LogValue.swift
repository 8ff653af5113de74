/// The value of a log field: text, a whole number or a flag.
///
/// There is no case for bytes, so that no payload can slip into a log by way of a field.
package enum LogValue: Hashable, Sendable {
    /// The most bytes of UTF-8 of a text that are logged; the rest is cut off.
    package static let textBytesMax = 2048

    /// Text.
    case text(String)
    /// A whole number.
    case number(Int64)
    /// True or false.
    case flag(Bool)

    /// Text.
    package init(_ text: String) {
        self = .text(text)
    }

    /// A whole number; one that does not fit 64 signed bits is logged as the nearest that does.
    package init(_ number: some BinaryInteger) {
        self = .number(Int64(clamping: number))
    }

    /// A duration in whole milliseconds, for fields named `…_ms`.
    package init(milliseconds duration: Duration) {
        self = .number(duration.wholeMilliseconds)
    }

    /// A flag.
    package init(_ flag: Bool) {
        self = .flag(flag)
    }
}

extension LogValue: ExpressibleByStringInterpolation {
    /// A text literal, interpolated or not.
    package init(stringLiteral text: String) {
        self = .text(text)
    }
}

extension LogValue: ExpressibleByIntegerLiteral {
    /// A number literal.
    package init(integerLiteral number: Int64) {
        self = .number(number)
    }
}

extension LogValue: ExpressibleByBooleanLiteral {
    /// A flag literal.
    package init(booleanLiteral flag: Bool) {
        self = .flag(flag)
    }
}
