/// Writes one JSON object, member by member, in the order of the calls.
///
/// Written by hand because the bytes of a verdict must be the same with each version of Foundation.
struct JSONWriter {
    /// Room for a usual verdict, so that the bytes are not moved while they grow.
    private static let usualByteCount = 640

    private var bytes: [UInt8] = []

    /// An object without members.
    init() {
        bytes.reserveCapacity(Self.usualByteCount)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Closes the object; nothing may be added after it.
    ///
    /// - Returns: the bytes of the whole object.
    mutating func close() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Adds a text; nothing where it is nil.
    mutating func add(_ name: String, _ text: String?) {
        guard let text else { return }
        begin(name)
        append(text)
    }

    /// Adds a number; nothing where it is nil.
    mutating func add(_ name: String, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        begin(name)
        bytes += number.description.utf8
    }

    /// Adds `true` or `false`; nothing where it is nil.
    mutating func add(_ name: String, _ flag: Bool?) {
        guard let flag else { return }
        begin(name)
        bytes += (flag ? "true" : "false").utf8
    }

    /// Adds a list of texts; nothing where it is empty.
    mutating func add(_ name: String, _ texts: [String]) {
        guard !texts.isEmpty else { return }
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (place, text) in texts.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            append(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Adds an object, whose members `write` adds.
    mutating func add(_ name: String, _ write: (inout JSONWriter) -> Void) {
        begin(name)
        bytes.append(UInt8(ascii: "{"))
        write(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func begin(_ name: String) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes += name.utf8
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Escapes what RFC 8259 §7 demands and nothing else.
    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        // Nearly no text has anything to escape: it is copied whole, and looked through then.
        bytes += text.utf8
        if hasToEscape(from: start) {
            bytes.removeSubrange(start...)
            appendEscaped(text)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private func hasToEscape(from start: Int) -> Bool {
        let bytes = bytes.span
        for place in start..<bytes.count where mustBeEscaped(bytes[place]) { return true }
        return false
    }

    private func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ text: String) {
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
    }
}
