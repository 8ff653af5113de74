/// Writes DER (ITU-T X.690): each function gives one encoded element.
enum DER {
    /// An element of any tag, given by its identifier octets.
    static func element(tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
        tag + length(content.count) + content
    }

    /// SEQUENCE of encoded elements.
    static func sequence(_ elements: [UInt8]...) -> [UInt8] {
        sequence(elements)
    }

    /// SEQUENCE of encoded elements.
    static func sequence(_ elements: [[UInt8]]) -> [UInt8] {
        element(tag: [0x30], elements.concatenated)
    }

    /// SET of encoded elements, which are not sorted.
    static func set(_ members: [UInt8]) -> [UInt8] {
        element(tag: [0x31], members)
    }

    /// INTEGER, not negative, from big-endian bytes.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        var magnitude = Array(bytes.drop { $0 == 0 })
        if magnitude.first.map({ $0 >= 0x80 }) ?? true { magnitude.insert(0, at: 0) }
        return element(tag: [0x02], magnitude)
    }

    /// INTEGER, not negative.
    static func integer(_ value: UInt64) -> [UInt8] {
        integer(value.bigEndianBytes)
    }

    /// BOOLEAN TRUE.
    static let yes = element(tag: [0x01], [0xFF])

    /// NULL.
    static let null = element(tag: [0x05], [])

    /// OCTET STRING.
    static func octetString(_ bytes: [UInt8]) -> [UInt8] {
        element(tag: [0x04], bytes)
    }

    /// BIT STRING of whole bytes.
    static func bitString(_ bytes: [UInt8]) -> [UInt8] {
        element(tag: [0x03], [0x00] + bytes)
    }

    /// UTF8String.
    static func utf8String(_ text: String) -> [UInt8] {
        element(tag: [0x0C], Array(text.utf8))
    }

    /// OBJECT IDENTIFIER from its arcs, of which the first is below 3 and the second below 40.
    static func objectIdentifier(_ arcs: [UInt64]) -> [UInt8] {
        guard arcs.count >= 2 else { preconditionFailure("an object identifier has two arcs") }
        let content = base128(arcs[0] * 40 + arcs[1]) + arcs.dropFirst(2).flatMap(base128)
        return element(tag: [0x06], content)
    }

    /// An explicit, constructed, context-specific tag around an encoded element.
    static func explicit(_ number: UInt64, _ inner: [UInt8]) -> [UInt8] {
        let tag: [UInt8] =
            number < 31 ? [0xA0 | UInt8(number)] : [0xBF] + base128(number)
        return element(tag: tag, inner)
    }

    /// Length octets in their shortest form.
    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let bytes = UInt64(count).bigEndianBytes.drop { $0 == 0 }
        return [0x80 | UInt8(bytes.count)] + bytes
    }

    /// Seven bits a byte, most significant first, all but the last marked.
    private static func base128(_ value: UInt64) -> [UInt8] {
        var bytes = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }
}

extension FixedWidthInteger {
    /// The bytes of the integer, most significant first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: self >> Self($0))
        }
    }
}
