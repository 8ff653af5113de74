/// Writes one JSON object, member by member, in the order of the calls.
///
/// Written by hand because the bytes of a verdict must be the same with each version of Foundation.
struct JSONWriter {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// The bytes of the object, closed.
    var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Adds a text; nothing where it is nil.
    mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        append(text)
    }

    /// Adds a number; nothing where it is nil.
    mutating func add(_ name: StaticString, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        begin(name)
        bytes += number.description.utf8
    }

    /// Adds `true` or `false`; nothing where it is nil.
    mutating func add(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        begin(name)
        bytes += flag.description.utf8
    }

    /// Adds a list of texts; nothing where it is empty.
    mutating func add(_ name: StaticString, _ texts: [String]) {
        guard !texts.isEmpty else { return }
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (place, text) in texts.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            append(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Adds an object.
    mutating func add(_ name: StaticString, _ object: JSONWriter) {
        begin(name)
        bytes += object.closed
    }

    private mutating func begin(_ name: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        append(name.description)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Escapes what RFC 8259 §7 demands and nothing else.
    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += (byte < 0x10 ? "\\u000" : "\\u00").utf8
                bytes += digits.utf8
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
