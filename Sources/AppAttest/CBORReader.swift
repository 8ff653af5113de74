// Verifiers of this format were bypassed where two decoders read one object differently: a key that
// occurs twice, a length of unknown end, an integer with leading zeros. So there is one reader, and
// it takes only what has one reading. Apple's objects are all of that kind.

/// A strict reader of the definite-length subset of CBOR (RFC 8949).
///
/// | major type | taken | refused |
/// | ---------: | ----- | ------- |
/// | 0, 1 | integers in their shortest form | longer forms |
/// | 2, 3 | byte strings, text in UTF-8 | indefinite length, other text |
/// | 4, 5 | arrays, maps with text or integer keys | indefinite length, repeated keys |
/// | 6 | | tags |
/// | 7 | false, true, null | floats, other simple values, break |
package struct CBORReader {
    /// The deepest nesting: a top-level map is at depth 1, Apple's certificates' array at 3.
    package static let depthMax = 8

    /// The most items in one object, keys and values counted alike; Apple's objects have up to 30.
    package static let itemCountMax = 256

    private var reader: ByteReader
    private var itemCount = 0

    /// A reader at the first byte.
    package init(_ bytes: ArraySlice<UInt8>) {
        reader = ByteReader(bytes)
    }

    /// Reads bytes that are exactly one item.
    ///
    /// - Parameter bytes: the item, with nothing after it.
    /// - Returns: the item.
    /// - Throws: what makes the bytes no item of the subset, or that bytes follow it.
    package static func readWhole(_ bytes: ArraySlice<UInt8>) throws(CBORFault) -> CBORItem {
        var reader = CBORReader(bytes)
        let item = try reader.readItem()
        guard reader.remaining.isEmpty else {
            throw .trailingBytes(count: reader.remaining.count)
        }
        return item
    }

    /// The bytes after the items read so far.
    package var remaining: ArraySlice<UInt8> {
        reader.remaining
    }

    /// Reads the next item.
    ///
    /// - Returns: the item.
    /// - Throws: what makes the bytes no item of the subset.
    package mutating func readItem() throws(CBORFault) -> CBORItem {
        try readItem(depth: 1)
    }

    private mutating func readItem(depth: Int) throws(CBORFault) -> CBORItem {
        guard depth <= Self.depthMax else { throw .tooDeep }
        itemCount += 1
        guard itemCount <= Self.itemCountMax else { throw .tooManyItems }
        guard let initial = reader.byte() else { throw .truncated }
        let information = initial & 0x1F
        switch initial >> 5 {
        case 0: return .unsigned(try readArgument(information))
        case 1: return .negative(try readArgument(information))
        case 2: return .bytes(try readString(information))
        case 3: return .text(try readText(information))
        case 4: return .array(try readArray(information, depth: depth))
        case 5: return .map(try readMap(information, depth: depth))
        case 6: throw .tag
        default: return try simpleValue(information)
        }
    }

    /// An integer or a length: RFC 8949, 3; shortest form: 4.2.1.
    private mutating func readArgument(_ information: UInt8) throws(CBORFault) -> UInt64 {
        switch information {
        case 0...23: return UInt64(information)
        case 24: return try shortest(reader.bigEndian(UInt8.self), atLeast: 24)
        case 25: return try shortest(reader.bigEndian(UInt16.self), atLeast: 1 << 8)
        case 26: return try shortest(reader.bigEndian(UInt32.self), atLeast: 1 << 16)
        case 27: return try shortest(reader.bigEndian(UInt64.self), atLeast: 1 << 32)
        case 31: throw .indefiniteLength
        default: throw .reserved
        }
    }

    private func shortest(
        _ value: (some UnsignedInteger)?, atLeast smallest: UInt64
    ) throws(CBORFault) -> UInt64 {
        guard let value else { throw .truncated }
        guard UInt64(value) >= smallest else { throw .notShortest }
        return UInt64(value)
    }

    private mutating func readString(_ information: UInt8) throws(CBORFault) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: try readArgument(information)),
            let string = reader.take(count)
        else { throw .truncated }
        return string
    }

    private mutating func readText(_ information: UInt8) throws(CBORFault) -> ArraySlice<UInt8> {
        let text = try readString(information)
        do {
            _ = try UTF8Span(validating: text.span)
        } catch {
            throw .invalidUTF8
        }
        return text
    }

    /// The number of items that follow a head; each has at least one byte.
    private mutating func readCount(
        _ information: UInt8, bytesEach: Int
    ) throws(CBORFault) -> Int {
        guard let count = Int(exactly: try readArgument(information)),
            count <= reader.remainingCount / bytesEach
        else { throw .truncated }
        return count
    }

    private mutating func readArray(
        _ information: UInt8, depth: Int
    ) throws(CBORFault) -> [CBORItem] {
        var items: [CBORItem] = []
        for _ in 0..<(try readCount(information, bytesEach: 1)) {
            items.append(try readItem(depth: depth + 1))
        }
        return items
    }

    private mutating func readMap(_ information: UInt8, depth: Int) throws(CBORFault) -> CBORMap {
        var map = CBORMap()
        for _ in 0..<(try readCount(information, bytesEach: 2)) {
            let key: CBORMap.Key
            switch try readItem(depth: depth + 1) {
            case .unsigned(let value): key = .unsigned(value)
            case .negative(let value): key = .negative(value)
            case .text(let text): key = .text(text)
            case .bytes, .array, .map, .boolean, .null: throw .keyType
            }
            let value = try readItem(depth: depth + 1)
            guard map.add(key, value) else { throw .duplicateKey }
        }
        return map
    }

    private func simpleValue(_ information: UInt8) throws(CBORFault) -> CBORItem {
        switch information {
        case 20: return .boolean(false)
        case 21: return .boolean(true)
        case 22: return .null
        case 28...30: throw .reserved
        case 31: throw .indefiniteLength
        default: throw .floatOrSimpleValue
        }
    }
}
