/// The identity of a trace: 16 bytes, not all zero.
package struct TraceID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// From 32 digits.
    init?(hexadecimal digits: some StringProtocol) {
        guard digits.utf8.count == 32, let high = UInt64(hexadecimal: digits.prefix(16)),
            let low = UInt64(hexadecimal: digits.suffix(16)), high != 0 || low != 0
        else { return nil }
        self.high = high
        self.low = low
    }

    /// A new one.
    package init(using random: inout some RandomNumberGenerator) {
        high = .random(in: 1 ... .max, using: &random)
        low = .random(in: 0 ... .max, using: &random)
    }

    /// 32 digits, lower case.
    package var hexadecimal: String {
        high.hexadecimal + low.hexadecimal
    }
}

/// The identity of a span within its trace: 8 bytes, not all zero.
package struct SpanID: Hashable, Sendable {
    private let number: UInt64

    /// From 16 digits.
    init?(hexadecimal digits: some StringProtocol) {
        guard digits.utf8.count == 16, let number = UInt64(hexadecimal: digits), number != 0
        else { return nil }
        self.number = number
    }

    /// A new one.
    package init(using random: inout some RandomNumberGenerator) {
        number = .random(in: 1 ... .max, using: &random)
    }

    /// 16 digits, lower case.
    package var hexadecimal: String {
        number.hexadecimal
    }
}

/// A span and its trace: what `traceparent` says.
///
///     00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
///     version - trace id - span id - flags; 0x01 = sampled
///
/// Source: W3C "Trace Context" (Level 2), §3.2.
package struct TraceContext: Hashable, Sendable {
    /// The trace, which goes on.
    package let traceID: TraceID
    /// The span, of which another may be the child.
    package let spanID: SpanID
    /// Of 8 bits, two have a meaning: 0x01, the trace is recorded; 0x02, its id is random.
    package let flags: UInt8

    /// The most bytes that are looked at: later versions may be longer than version 00.
    private static let bytesMax = 512
    /// What version 00 has.
    private static let byteCount = 55
    private static let knownFlags: UInt8 = 0x03

    /// A context from its parts.
    package init(traceID: TraceID, spanID: SpanID, flags: UInt8) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
    }

    /// Reads a header's value; nil where it is malformed: then there is no trace.
    ///
    /// Of a version after 00 the same four parts are read, and what follows them is not (§3.2.4).
    package init?(traceparent text: String) {
        let count = text.utf8.count
        let parts = text.split(
            separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard count <= Self.bytesMax, parts.count >= 4,
            parts[0].utf8.count == 2, let version = UInt8(hexadecimal: parts[0]), version != 0xFF,
            version == 0 ? count == Self.byteCount && parts.count == 4 : count >= Self.byteCount,
            let traceID = TraceID(hexadecimal: parts[1]),
            let spanID = SpanID(hexadecimal: parts[2]),
            parts[3].utf8.count == 2, let flags = UInt8(hexadecimal: parts[3])
        else { return nil }
        self.init(traceID: traceID, spanID: spanID, flags: flags)
    }

    /// Whether somebody records the trace.
    package var isSampled: Bool {
        flags & 0x01 != 0
    }

    /// The header's value, in version 00.
    package var traceparent: String {
        let digits = String(flags, radix: 16)
        return "00-\(traceID.hexadecimal)-\(spanID.hexadecimal)-"
            + (digits.utf8.count == 1 ? "0" : "") + digits
    }

    /// Another span of the same trace, recorded if this one is; flags without a meaning are 0.
    package func child(_ spanID: SpanID) -> TraceContext {
        TraceContext(traceID: traceID, spanID: spanID, flags: flags & Self.knownFlags)
    }
}

extension FixedWidthInteger {
    /// From digits, lower case only and nothing else.
    fileprivate init?(hexadecimal digits: some StringProtocol) {
        let isWellFormed = digits.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        guard isWellFormed, let number = Self(digits, radix: 16) else { return nil }
        self = number
    }
}

extension UInt64 {
    /// 16 digits, lower case.
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
