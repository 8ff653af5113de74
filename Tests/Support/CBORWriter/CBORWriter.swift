package import AppAttest

/// Writes items of the strict subset in their one form; shares nothing with the reader.
package enum CBORWriter {
    /// The item's bytes: RFC 8949, 3, with the shortest heads of 4.2.1.
    package static func encode(_ item: CBORItem) -> [UInt8] {
        switch item {
        case .unsigned(let value): return head(0, value)
        case .negative(let value): return head(1, value)
        case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
        case .text(let bytes): return head(3, UInt64(bytes.count)) + bytes
        case .array(let items): return head(4, UInt64(items.count)) + items.flatMap(encode)
        case .map(let map):
            return map.entries.reduce(into: head(5, UInt64(map.entries.count))) { bytes, entry in
                bytes += encode(entry.key) + encode(entry.value)
            }
        case .boolean(let value): return [value ? 0xF5 : 0xF4]
        case .null: return [0xF6]
        }
    }

    private static func encode(_ key: CBORMap.Key) -> [UInt8] {
        switch key {
        case .unsigned(let value): encode(CBORItem.unsigned(value))
        case .negative(let value): encode(CBORItem.negative(value))
        case .text(let text): encode(CBORItem.text(text))
        }
    }

    private static func head(_ major: UInt8, _ value: UInt64) -> [UInt8] {
        let (information, count): (UInt8, Int) =
            switch value {
            case 0..<24: (UInt8(value), 0)
            case 24..<0x100: (24, 1)
            case 0x100..<0x1_0000: (25, 2)
            case 0x1_0000..<0x1_0000_0000: (26, 4)
            default: (27, 8)
            }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        return [major << 5 | information] + bytes.reversed()
    }
}
