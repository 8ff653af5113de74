/// Base64 (RFC 4648 §4 and §5) of which bytes have one spelling per alphabet and padding.
///
/// Foundation's decoder takes `QUJD=`, text behind the padding, and stray bits. Then many texts
/// name one key, and whoever compares texts (a gateway's deny list, say) is passed by.
package enum Base64 {
    /// The bytes a text stands for.
    ///
    /// The text is in either alphabet, but not in both; padded whole or not at all; without white
    /// space; and the bits left over at its end are zero.
    ///
    /// - Parameter text: base64; the empty text stands for no bytes.
    /// - Returns: the bytes; nil when the text breaks a rule.
    package static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        return decode(characters.span)
    }

    /// The bytes that a text in UTF-8 stands for; rules and nil as for one that is a `String`.
    package static func decode(utf8 text: [UInt8]) -> [UInt8]? {
        decode(text.span)
    }

    /// The text of bytes: standard alphabet, padded.
    package static func encode(_ bytes: [UInt8]) -> String {
        let bytes = bytes.span
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var position = 0
        while bytes.count - position >= 3 {
            append(
                UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8
                    | UInt32(bytes[position + 2]), characters: 4, to: &text)
            position += 3
        }
        switch bytes.count - position {
        case 1: append(UInt32(bytes[position]) << 16, characters: 2, to: &text)
        case 2:
            append(
                UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8, characters: 3,
                to: &text)
        default: break
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the first characters of 24 bits, and padding up to four.
    private static func append(_ bits: UInt32, characters: Int, to text: inout [UInt8]) {
        for place in 0..<4 {
            let value = UInt8(truncatingIfNeeded: bits >> UInt32(18 - 6 * place)) & 0x3F
            text.append(place < characters ? character(of: value) : UInt8(ascii: "="))
        }
    }

    /// The character of six bits, in the standard alphabet.
    private static func character(of value: UInt8) -> UInt8 {
        switch value {
        case ..<26: UInt8(ascii: "A") + value
        case ..<52: UInt8(ascii: "a") + (value - 26)
        case ..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    /// The text of bytes as JSON Web Tokens have it: the alphabet for URLs, no padding.
    ///
    /// Source: RFC 7515, 2.
    package static func encodeForURL(_ bytes: [UInt8]) -> String {
        String(
            encode(bytes).compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    private static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let length = unpaddedLength(text) else { return nil }
        let values = sextets
        var bytes = [UInt8](repeating: 0, count: length / 4 * 3)
        var end = 0
        var bits: UInt32 = 0
        var marks: UInt8 = 0
        for position in 0..<length {
            let value = values[Int(text[position])]
            marks |= value
            bits = bits << 6 | UInt32(value & 0x3F)
            if position & 3 == 3 {
                bytes[end] = UInt8(truncatingIfNeeded: bits >> 16)
                bytes[end + 1] = UInt8(truncatingIfNeeded: bits >> 8)
                bytes[end + 2] = UInt8(truncatingIfNeeded: bits)
                end += 3
            }
        }
        // One look at the end suffices: a mark once set stays set.
        guard marks & standardMark == 0 || marks & urlMark == 0, marks & invalidMark != invalidMark
        else { return nil }
        return appendRest(of: length & 3, bits: bits, to: &bytes) ? bytes : nil
    }

    private static func appendRest(
        of characters: Int, bits: UInt32, to bytes: inout [UInt8]
    ) -> Bool {
        switch characters {
        case 0:
            return true
        case 2:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            return bits & 0x0F == 0
        case 3:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
            return bits & 0x03 == 0
        default:
            return false
        }
    }

    /// The number of characters before the padding; nil where there is some, but not the right one.
    private static func unpaddedLength(_ text: Span<UInt8>) -> Int? {
        var length = text.count
        while length > 0, text.count - length < 2, text[length - 1] == UInt8(ascii: "=") {
            length -= 1
        }
        return length == text.count || text.count % 4 == 0 ? length : nil
    }

    // The two marks tell which alphabet a character is of; both together say that it is of none.
    private static let standardMark: UInt8 = 0x40
    private static let urlMark: UInt8 = 0x80
    private static let invalidMark: UInt8 = standardMark | urlMark

    /// For each byte its six bits and its marks.
    private static let sextets: [UInt8] = {
        var values = [UInt8](repeating: invalidMark, count: 256)
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for (value, character) in common.utf8.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        values[Int(UInt8(ascii: "+"))] = 62 | standardMark
        values[Int(UInt8(ascii: "/"))] = 63 | standardMark
        values[Int(UInt8(ascii: "-"))] = 62 | urlMark
        values[Int(UInt8(ascii: "_"))] = 63 | urlMark
        return values
    }()
}
