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
    /// The members in their order, twins included.
    private let members: [JSONScanner.Member]
    /// The places of members by their names' UTF-8, nil for a name that occurs twice; only of an
    /// object with so many members that looking through them would take longer.
    private let places: [[UInt8]: Int?]?

    /// The most members that are looked through for each name.
    private static let scannedMax = 32

    /// Checks a text and finds its members.
    ///
    /// - Throws: ``NotJSONObject``.
    init(_ bytes: [UInt8], depthMax: Int) throws(NotJSONObject) {
        let scanner = try JSONScanner(bytes, depthMax: depthMax)
        self.bytes = bytes
        flaw = scanner.flaw
        members = scanner.members
        guard members.count > Self.scannedMax else {
            places = nil
            return
        }
        places = Dictionary(
            members.enumerated().map { ($1.name, .some($0)) }, uniquingKeysWith: { _, _ in nil })
    }

    /// What lies under a name.
    private enum Found {
        case nothing
        case member(JSONScanner.Member)
        case twins
    }

    private func find(_ name: String) -> Found {
        if let places {
            guard let place = places[Array(name.utf8)] else { return .nothing }
            return place.map { .member(members[$0]) } ?? .twins
        }
        var found: Int?
        for place in members.indices where members[place].isCalled(name) {
            guard found == nil else { return .twins }
            found = place
        }
        return found.map { .member(members[$0]) } ?? .nothing
    }

    /// What the object says under a name.
    subscript(_ name: String) -> JSONField {
        let member: JSONScanner.Member
        switch find(name) {
        case .nothing: return .absent
        case .twins: return .ambiguous
        case .member(let found): member = found
        }
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
        switch find(name) {
        case .nothing: false
        case .twins: true
        case .member(let member): bytes[member.range].first != UInt8(ascii: "n")
        }
    }
}

extension JSONScanner.Member {
    /// Whether this is its name, byte for byte.
    fileprivate func isCalled(_ text: String) -> Bool {
        // Most names that differ have other lengths.
        name.count == text.utf8.count && name.elementsEqual(text.utf8)
    }
}
