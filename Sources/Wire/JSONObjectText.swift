/// The text is not a JSON object, or not in UTF-8.
struct NotJSONObject: Error {}

/// What is wrong with a JSON object that the grammar lets pass.
enum JSONFlaw: Hashable, Sendable {
    /// An object, at any depth, has a name twice.
    case duplicateName
    /// Objects and arrays nest deeper than the limit.
    case tooDeep
    /// A string holds half of a surrogate pair, so it stands for no text.
    case loneSurrogate

    /// One phrase, safe to log.
    var detail: String {
        switch self {
        case .duplicateName: "an object has a name twice"
        case .tooDeep: "objects and arrays nest too deep"
        case .loneSurrogate: "a string holds half of a surrogate pair"
        }
    }
}

/// What an object says under a name.
enum JSONField: Hashable, Sendable {
    /// Nothing, or `null`: many encoders write `null` for what they don't have.
    case absent
    /// A text.
    case text(String)
    /// `true` or `false`.
    case boolean(Bool)
    /// An object; its text.
    case object([UInt8])
    /// A number or an array: no field of ours is one.
    case other
    /// A name that occurs twice, or a string that stands for no text.
    case ambiguous
}

/// A JSON object as text: checked whole, its members found, each decoded when asked for.
///
/// A flawed object is kept, because its request id may be told all the same, and someone waits for
/// the answer.
struct JSONObjectText {
    /// The first flaw, at whatever depth.
    let flaw: JSONFlaw?

    private let bytes: [UInt8]
    /// The member of each name, as UTF-8; nil for a name that occurs twice.
    private let members: [[UInt8]: JSONScanner.Member?]

    /// Checks a text and finds its members.
    ///
    /// - Throws: ``NotJSONObject``.
    init(_ bytes: [UInt8], depthMax: Int) throws(NotJSONObject) {
        let scanner = try JSONScanner(bytes, depthMax: depthMax)
        self.bytes = bytes
        flaw = scanner.flaw
        members = Dictionary(
            scanner.members.map { ($0.name, .some($0)) }, uniquingKeysWith: { _, _ in nil })
    }

    /// What the object says under a name.
    subscript(_ name: String) -> JSONField {
        guard let member = members[Array(name.utf8)] else { return .absent }
        guard let member else { return .ambiguous }
        let value = bytes[member.range]
        switch value.first {
        case UInt8(ascii: "\""):
            return JSONString.decode(value, isPlain: member.isPlain).map(JSONField.text)
                ?? .ambiguous
        case UInt8(ascii: "{"): return .object(Array(value))
        case UInt8(ascii: "t"): return .boolean(true)
        case UInt8(ascii: "f"): return .boolean(false)
        case UInt8(ascii: "n"): return .absent
        default: return .other
        }
    }

    /// Whether the object says something under a name; `null` is nothing.
    func has(_ name: String) -> Bool {
        guard let member = members[Array(name.utf8)] else { return false }
        return member.map { bytes[$0.range].first != UInt8(ascii: "n") } ?? true
    }
}
