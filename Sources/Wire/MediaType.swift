/// A media type as it stands in a `content-type` header (RFC 9110 §8.3.1).
enum MediaType {
    /// Type and subtype in lower case, without parameters.
    static func essence(of text: String) -> String {
        let essence = text.prefix { $0 != ";" }.split(whereSeparator: \.isWhitespace)
        return essence.joined(separator: " ").lowercased()
    }
}
