import AppAttest

/// Random items of the subset, and a writer for them that shares nothing with the reader.
enum CBORSample {
    /// An item, up to four levels deep.
    static func item(depth: Int, using generator: inout SplitMix64) -> CBORItem {
        switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &generator) {
        case 0: return .unsigned(number(using: &generator))
        case 1: return .negative(number(using: &generator))
        case 2: return .bytes(string(using: &generator)[...])
        case 3: return .text(Array(text(using: &generator).utf8)[...])
        case 4: return .boolean(Bool.random(using: &generator))
        case 5: return .null
        case 6:
            return .array(
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                    item(depth: depth + 1, using: &generator)
                })
        default:
            // Keys differ by their position, so none occurs twice.
            let entries = (0..<UInt64.random(in: 0..<4, using: &generator)).map { position in
                let key: CBORMap.Key =
                    switch UInt64.random(in: 0..<3, using: &generator) {
                    case 0: .unsigned(position)
                    case 1: .negative(position)
                    default: .text(Array("key \(position)".utf8)[...])
                    }
                return CBORMap.Entry(key: key, value: item(depth: depth + 1, using: &generator))
            }
            return .map(CBORMap(entries: entries))
        }
    }

    /// The item's bytes.
    static func encode(_ item: CBORItem) -> [UInt8] {
        switch item {
        case .unsigned(let value): return head(0, value)
        case .negative(let value): return head(1, value)
        case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
        case .text(let bytes): return head(3, UInt64(bytes.count)) + bytes
        case .array(let items): return head(4, UInt64(items.count)) + items.flatMap(encode)
        case .map(let map):
            return head(5, UInt64(map.entries.count))
                + map.entries.flatMap { entry in
                    let key: CBORItem =
                        switch entry.key {
                        case .unsigned(let value): .unsigned(value)
                        case .negative(let value): .negative(value)
                        case .text(let text): .text(text)
                        }
                    return encode(key) + encode(entry.value)
                }
        case .boolean(let value): return [value ? 0xF5 : 0xF4]
        case .null: return [0xF6]
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

    /// A number whose length in bits is random, so that every size of head occurs.
    private static func number(using generator: inout SplitMix64) -> UInt64 {
        generator.next() >> UInt64.random(in: 0..<64, using: &generator)
    }

    private static func string(using generator: inout SplitMix64) -> [UInt8] {
        (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
    }

    private static func text(using generator: inout SplitMix64) -> String {
        String(
            (0..<Int.random(in: 0..<30, using: &generator)).compactMap { _ in
                "aü€😀\0".randomElement(using: &generator)
            })
    }
}
