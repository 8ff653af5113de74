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

    /// The UTF-8 of a string, for comparing byte by byte; parameters and nil as in ``decode``.
    static func decodeUTF8(_ quoted: ArraySlice<UInt8>, isPlain: Bool) -> [UInt8]? {
        if isPlain { return Array(quoted.dropFirst().dropLast()) }
        return decode(quoted, isPlain: false).map { Array($0.utf8) }
    }
}
