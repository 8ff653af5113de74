/// Walks a JSON text by the grammar of RFC 8259 and notes where the members of its object lie.
///
/// Foundation's decoder takes more than JSON: a byte order mark, a comma before the closing brace
/// and, worst, a name that occurs twice, of which it believes one. A gateway that believes the
/// other has checked the freshness of a challenge that is not the one verified here. So this walk
/// comes first, and what it does not vouch for is refused.
///
/// It is a loop, not a recursion: input of any depth costs memory in proportion to its length and
/// no stack.
struct JSONScanner {
    /// A value of the outermost object.
    struct Member {
        /// The name's UTF-8, escapes resolved.
        let name: [UInt8]
        /// Where the value's text lies.
        let range: Range<Int>
        /// Whether the value, where it is a string, has no escapes.
        let isPlain: Bool
    }

    private struct Container {
        let isObject: Bool
        var names = JSONNames()
    }

    /// The members of the outermost object, in order, twins included.
    private(set) var members: [Member] = []
    /// The first flaw met.
    private(set) var flaw: JSONFlaw?

    /// A bit for each of blank, tab, line feed and carriage return.
    private static let spaces: UInt64 = 1 << 0x20 | 1 << 0x09 | 1 << 0x0A | 1 << 0x0D

    private let bytes: [UInt8]
    private let depthMax: Int
    private var position = 0
    private var open: [Container] = []
    private var memberName: [UInt8]?
    private var memberStart = 0
    private var isMemberPlain = true

    /// Walks the whole text.
    ///
    /// - Throws: ``NotJSONObject`` where the text is no JSON object in UTF-8.
    init(_ bytes: [UInt8], depthMax: Int) throws(NotJSONObject) {
        self.bytes = bytes
        self.depthMax = depthMax
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw NotJSONObject() }
        skipSpace()
        guard peek() == UInt8(ascii: "{") else { throw NotJSONObject() }
        repeat {
            while try opensContainer() {}
        } while try !endsDocument()
        skipSpace()
        guard position == bytes.count else { throw NotJSONObject() }
    }

    // MARK: - Values

    /// Reads a scalar, an empty container, or the beginning of another one up to its first value.
    ///
    /// - Returns: whether a value must follow.
    private mutating func opensContainer() throws(NotJSONObject) -> Bool {
        skipSpace()
        if open.count == 1 {
            memberStart = position
            isMemberPlain = true
        }
        switch next() {
        case UInt8(ascii: "{"): return try opens(isObject: true)
        case UInt8(ascii: "["): return try opens(isObject: false)
        case UInt8(ascii: "\""): isMemberPlain = try string()
        case UInt8(ascii: "t"): try literal("rue")
        case UInt8(ascii: "f"): try literal("alse")
        case UInt8(ascii: "n"): try literal("ull")
        case UInt8(ascii: "-"): try number(first: next())
        case let digit: try number(first: digit)
        }
        return false
    }

    private mutating func opens(isObject: Bool) throws(NotJSONObject) -> Bool {
        if open.count >= depthMax { note(.tooDeep) }
        open.append(Container(isObject: isObject))
        skipSpace()
        if peek() == closingByte(ofObject: isObject) { return false }
        if isObject { try name() }
        return true
    }

    private func closingByte(ofObject isObject: Bool) -> UInt8 {
        UInt8(ascii: isObject ? "}" : "]")
    }

    /// After a value: closes all containers that end here and steps over the comma to the next.
    ///
    /// - Returns: whether the outermost container was closed.
    private mutating func endsDocument() throws(NotJSONObject) -> Bool {
        while let isObject = open.last?.isObject {
            if open.count == 1, let name = memberName {
                members.append(
                    Member(
                        name: name, range: memberStart..<position, isPlain: isMemberPlain))
                memberName = nil
            }
            skipSpace()
            if skip(UInt8(ascii: ",")) {
                skipSpace()
                if isObject { try name() }
                return false
            }
            guard skip(closingByte(ofObject: isObject)) else { throw NotJSONObject() }
            open.removeLast()
        }
        return true
    }

    private mutating func name() throws(NotJSONObject) {
        let start = position
        guard skip(UInt8(ascii: "\"")) else { throw NotJSONObject() }
        let isPlain = try string()
        let name = JSONString.decodeUTF8(bytes[start..<position], isPlain: isPlain)
        skipSpace()
        guard skip(UInt8(ascii: ":")) else { throw NotJSONObject() }
        // A name with half a surrogate pair is a flaw already, and equal to none of ours.
        guard let name else { return }
        // Names are compared as bytes. As strings they would be normalized, which takes time in
        // proportion to the square of a run of combining marks: 90 seconds for a message of 240 KB.
        // Nothing is lost, as none of our names has a canonical equivalent.
        if !open[open.count - 1].names.insert(name) { note(.duplicateName) }
        if open.count == 1 { memberName = name }
    }

    // MARK: - Scalars

    /// Reads a string after its opening quote.
    ///
    /// - Returns: whether it is free of escapes, so that its bytes are its text.
    private mutating func string() throws(NotJSONObject) -> Bool {
        var isPlain = true
        while true {
            skipPlain()
            switch next() {
            case UInt8(ascii: "\""): return isPlain
            case UInt8(ascii: "\\"):
                isPlain = false
                try escape()
            default: throw NotJSONObject()
            }
        }
    }

    /// Steps over what stands for itself in a string.
    private mutating func skipPlain() {
        let whole = bytes
        let text = whole.span
        while position < text.count, text[position] >= 0x20, text[position] != UInt8(ascii: "\""),
            text[position] != UInt8(ascii: "\\")
        {
            position += 1
        }
    }

    private mutating func escape() throws(NotJSONObject) {
        switch next() {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            try surrogates(first: hexadecimal())
        default:
            throw NotJSONObject()
        }
    }

    /// A high surrogate is followed by a low one, and no low one stands alone.
    private mutating func surrogates(first: UInt16) throws(NotJSONObject) {
        guard (0xD800...0xDFFF).contains(first) else { return }
        let start = position
        guard first < 0xDC00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")),
            (0xDC00...0xDFFF).contains(try hexadecimal())
        else {
            // What follows the half is read again, as an escape of its own.
            position = start
            note(.loneSurrogate)
            return
        }
    }

    private mutating func hexadecimal() throws(NotJSONObject) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next().flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else {
                throw NotJSONObject()
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    private mutating func literal(_ rest: StaticString) throws(NotJSONObject) {
        for character in rest.description.utf8 where !skip(character) {
            throw NotJSONObject()
        }
    }

    private mutating func number(first: UInt8?) throws(NotJSONObject) {
        guard let first, isDigit(first) else { throw NotJSONObject() }
        if first != UInt8(ascii: "0") { skipDigits() }
        if skip(UInt8(ascii: ".")) {
            guard skipDigits() else { throw NotJSONObject() }
        }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            guard skipDigits() else { throw NotJSONObject() }
        }
    }

    // MARK: - Bytes

    private mutating func note(_ new: JSONFlaw) {
        if flaw == nil { flaw = new }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    @discardableResult
    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = peek(), isDigit(byte) { position += 1 }
        return position > start
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte <= 0x20, Self.spaces & 1 << UInt64(byte) != 0 {
            position += 1
        }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    private mutating func next() -> UInt8? {
        guard let byte = peek() else { return nil }
        position += 1
        return byte
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }
}

/// The names that an object has had so far.
private struct JSONNames {
    /// So many are compared one by one, which takes less time than hashing them.
    private static let fewMax = 16

    private var few: [[UInt8]] = []
    private var many: Set<[UInt8]> = []

    /// Adds a name.
    ///
    /// - Returns: whether it is new.
    mutating func insert(_ name: [UInt8]) -> Bool {
        guard many.isEmpty else { return many.insert(name).inserted }
        guard !few.contains(name) else { return false }
        few.append(name)
        if few.count > Self.fewMax { many = Set(few) }
        return true
    }
}
