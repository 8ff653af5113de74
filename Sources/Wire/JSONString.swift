internal import FoundationEssentials

/// A string inside a JSON text that a scanner has passed.
enum JSONString {
    /// The text of a string.
    ///
    /// - Parameter quoted: the string with its quotes, valid by the grammar and in UTF-8.
    /// - Returns: the text; nil where half a surrogate pair makes it none.
    static func decode(_ quoted: ArraySlice<UInt8>) -> String? {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? JSONDecoder().decode(String.self, from: Data(quoted))
    }
}
