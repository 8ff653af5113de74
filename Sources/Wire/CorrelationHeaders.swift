/// The headers that a verdict takes over from its request, so that a trace or a flow goes on.
///
/// They are taken only where they are well-formed and of bounded size: the verdict topic's
/// consumers parse them, and nothing here has proved where they come from. One that occurs twice
/// with different values is left out.
///
/// Source: W3C "Baggage" §3; CloudEvents extension "correlation".
enum CorrelationHeaders {
    /// The most bytes of a `baggage`: what §3.3.2 asks everyone to pass on.
    static let baggageBytesMax = 8192
    /// The most bytes of a `ce_correlationid`.
    static let correlationIDBytesMax = 256

    /// Chooses the headers to send.
    ///
    /// - Parameters:
    ///   - headers: those of the request.
    ///   - trace: the trace that the verdict belongs to, if there is one.
    /// - Returns: at most one of each name.
    static func following(_ headers: [Header], trace: RequestTrace?) -> [Header] {
        var copies = trace?.headers ?? []
        if headers.isEmpty { return copies }
        func copy(_ name: String, where isWellFormed: (String) -> Bool) {
            guard let text = headers.onlyText(named: name), isWellFormed(text) else { return }
            copies.append(Header(name: name, text: text))
        }
        copy("baggage") { HeaderText.isVisible($0, bytesMax: baggageBytesMax) }
        copy("ce_correlationid") { Request.isLabel($0, bytesMax: correlationIDBytesMax) }
        return copies
    }
}

/// What a header's text may be.
enum HeaderText {
    /// Text of printable ASCII, blanks and tabs.
    static func isVisible(_ text: String, bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
    }
}
