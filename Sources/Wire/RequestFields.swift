internal import AppAttest
internal import LibCrypto

/// The fields of a request's object, each checked when asked for.
struct RequestFields {
    private let object: JSONObjectText

    /// The fields of an object.
    init(_ object: JSONObjectText) {
        self.object = object
    }

    /// Whether there is something under a name; `null` is nothing.
    func has(_ name: String) -> Bool {
        object.has(name)
    }

    /// A text; nil where there is nothing under the name.
    func text(_ name: String) throws(RequestProblem) -> String? {
        switch object[name] {
        case .absent: return nil
        case .text(let text): return text
        case .boolean, .object, .other: throw .malformed("\(name) is not a string")
        case .ambiguous: throw .malformed("\(name) stands for no text")
        }
    }

    /// A text that must be there and not be empty.
    func requiredText(_ name: String) throws(RequestProblem) -> String {
        guard let text = try text(name) else { throw .malformed("\(name) is missing") }
        guard !text.isEmpty else { throw .malformed("\(name) is empty") }
        return text
    }

    /// A text of 1 to ``Request/textBytesMax`` bytes without control characters; nil where there is
    /// nothing under the name.
    func label(_ name: String) throws(RequestProblem) -> String? {
        guard let text = try text(name) else { return nil }
        guard Request.isLabel(text, bytesMax: Request.textBytesMax) else {
            throw .malformed("\(name) is empty, too long or has control characters")
        }
        return text
    }

    /// 1 to `bytesMax` bytes, given as base64.
    func bytes(_ name: String, bytesMax: Int) throws(RequestProblem) -> [UInt8] {
        guard let bytes = Base64.decode(try requiredText(name)) else {
            throw .malformed("\(name) is not base64")
        }
        guard bytes.count <= bytesMax else { throw .malformed("\(name) is too long") }
        return bytes
    }

    /// A key id: 32 bytes, given as base64.
    func keyID(_ name: String) throws(RequestProblem) -> KeyID {
        guard let bytes = Base64.decode(try requiredText(name)) else {
            throw .malformed("\(name) is not base64")
        }
        guard let digest = Digest32(bytes) else { throw .malformed("\(name) is not 32 bytes") }
        return KeyID(digest)
    }

    /// Insists that there is nothing under these names.
    func refuse(_ names: [String]) throws(RequestProblem) {
        for name in names where has(name) {
            throw .malformed("\(name) does not go with the other fields")
        }
    }

    /// `true`, `false`, or false where there is nothing under either spelling of a name.
    func flag(_ camel: String, orSpelled snake: String) throws(RequestProblem) -> Bool {
        guard !has(camel) || !has(snake) else {
            throw .malformed("\(camel) is given in both spellings")
        }
        let name = has(snake) ? snake : camel
        switch object[name] {
        case .absent: return false
        case .boolean(let flag): return flag
        case .text, .object, .other, .ambiguous: throw .malformed("\(name) is not a boolean")
        }
    }
}
