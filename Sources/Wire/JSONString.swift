/// A string inside a JSON text that the scanner has passed.
enum JSONString {
    /// The text of a string.
    ///
    /// - Parameters:
    ///   - quoted: the string with its quotes, valid by the grammar and in UTF-8.
    ///   - isPlain: whether it is free of escapes.
    /// - Returns: the text; nil where half a surrogate pair makes it none.
    static func decode(_ quoted: ArraySlice<UInt8>, isPlain: Bool) -> String? {
        if isPlain { return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self) }
        return unescaped(quoted.dropFirst().dropLast()).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The UTF-8 of a string, for comparing byte by byte; parameters and nil as in ``decode``.
    static func decodeUTF8(_ quoted: ArraySlice<UInt8>, isPlain: Bool) -> [UInt8]? {
        let text = quoted.dropFirst().dropLast()
        return isPlain ? Array(text) : unescaped(text)
    }

    /// Resolves the escapes of RFC 8259 §7.
    ///
    /// A payload is most often JSON itself, with an escape at every name: asking a decoder for each
    /// took as long as all the rest of a message.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let escape = rest.firstIndex(of: UInt8(ascii: "\\")) {
            bytes += rest[..<escape]
            rest = rest[(escape + 1)...]
            guard let letter = rest.popFirst() else { return nil }
            guard letter == UInt8(ascii: "u") else {
                bytes.append(character(escapedAs: letter))
                continue
            }
            guard let scalar = scalar(&rest) else { return nil }
            bytes += scalar.utf8
        }
        return bytes + rest
    }

    /// What a letter behind a backslash stands for; itself, where it is a quote or a slash.
    private static func character(escapedAs letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// The character of four digits, or of two halves of a pair; nil where a half stands alone.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = codeUnit(&rest) else { return nil }
        guard UTF16.isSurrogate(first) else { return Unicode.Scalar(first) }
        guard UTF16.isLeadSurrogate(first), rest.popFirst() == UInt8(ascii: "\\"),
            rest.popFirst() == UInt8(ascii: "u"), let second = codeUnit(&rest),
            UTF16.isTrailSurrogate(second)
        else { return nil }
        return Unicode.Scalar(
            0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
    }

    private static func codeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        return digits.count == 4 ? UInt16(String(decoding: digits, as: UTF8.self), radix: 16) : nil
    }
}
