/// Text inside a URI (RFC 3986).
enum URIText {
    /// A text as one path segment: all but unreserved characters percent-encoded.
    static func segment(_ text: String) -> String {
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var segment = ""
        for byte in text.utf8 {
            if isUnreserved(byte) {
                segment.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                segment += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return segment
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}
