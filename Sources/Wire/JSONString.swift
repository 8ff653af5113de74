internal import FoundationEssentials

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
        return try? JSONDecoder().decode(String.self, from: Data(quoted))
    }
}
