/// The headers that a verdict takes over from its request, so that a trace or a flow goes on.
///
/// They are copied byte for byte, and only where they are well-formed and of bounded size: the
/// verdict topic's consumers parse them, and nothing here has proved where they come from. One that
/// occurs twice with different values is left out.
///
/// Source: W3C "Trace Context" §3.2, §3.3; W3C "Baggage" §3; CloudEvents extension "correlation".
enum CorrelationHeaders {
    /// The most bytes of a `tracestate`: what §3.3.1.5 asks everyone to pass on.
    static let tracestateBytesMax = 512
    /// The most bytes of a `baggage`: what §3.3.2 asks everyone to pass on.
    static let baggageBytesMax = 8192
    /// The most bytes of a `ce_correlationid`.
    static let correlationIDBytesMax = 256

    /// The headers to copy: at most one of each name.
    static func copied(from headers: [Header]) -> [Header] {
        var copies: [Header] = []
        func copy(_ name: String, where isWellFormed: (String) -> Bool) -> Bool {
            guard let text = headers.onlyText(named: name), isWellFormed(text) else { return false }
            copies.append(Header(name: name, text: text))
            return true
        }
        // A tracestate without its traceparent means nothing (§3.3).
        if copy("traceparent", where: isTraceparent) {
            _ = copy("tracestate") { isVisible($0, bytesMax: tracestateBytesMax) }
        }
        _ = copy("baggage") { isVisible($0, bytesMax: baggageBytesMax) }
        _ = copy("ce_correlationid") { Request.isLabel($0, bytesMax: correlationIDBytesMax) }
        return copies
    }

    /// Version `00`: `00-<32 hex>-<16 hex>-<2 hex>`, lower case, neither id all zeros.
    private static func isTraceparent(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts.first == "00" else { return false }
        return zip(parts, [2, 32, 16, 2]).allSatisfy { part, length in
            part.utf8.count == length
                && part.utf8.allSatisfy {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
                }
        }
            && parts[1...2].allSatisfy { id in id.utf8.contains { $0 != UInt8(ascii: "0") } }
    }

    /// Text of printable ASCII, blanks and tabs.
    private static func isVisible(_ text: String, bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
    }
}
