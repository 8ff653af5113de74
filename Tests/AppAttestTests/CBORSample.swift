import AppAttest
import SeededNumbers

/// Random items of the subset.
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
