/// A cursor over DER (ITU-T X.690, 10): definite lengths in their shortest form, nothing else.
///
/// It knows the four elements that a receipt's content has. Every read is nil, with nothing to be
/// read after it, when the bytes are anything else.
package struct DERReader {
    private var bytes: ByteReader

    /// A cursor at the first byte.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = ByteReader(bytes)
    }

    /// Whether every byte was read.
    package var isAtEnd: Bool {
        bytes.remainingCount == 0
    }

    /// The elements of the next SET; their order is not looked at.
    package mutating func set() -> DERReader? {
        element(0x31).map(DERReader.init)
    }

    /// The elements of the next SEQUENCE.
    package mutating func sequence() -> DERReader? {
        element(0x30).map(DERReader.init)
    }

    /// The content of the next OCTET STRING.
    package mutating func octetString() -> ArraySlice<UInt8>? {
        element(0x04)
    }

    /// The next INTEGER, from 0 to 2^31 - 1, in its shortest form (X.690, 8.3.2).
    package mutating func integer() -> UInt32? {
        guard let content = element(0x02), (1...4).contains(content.count),
            let first = content.first
        else { return nil }
        // A zero in front is there only where the number would be negative without it.
        let isPadded = content.count > 1 && first == 0
        guard first < 0x80, !isPadded || content.dropFirst().first.map({ $0 >= 0x80 }) ?? false
        else { return nil }
        return content.reduce(0) { value, byte in value << 8 | UInt32(byte) }
    }

    private mutating func element(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard bytes.byte() == tag, let count = bytes.derLength() else { return nil }
        return bytes.take(count)
    }
}

extension ByteReader {
    /// A definite length of up to two bytes in its shortest form: X.690, 10.1.
    mutating func derLength() -> Int? {
        guard let first = byte() else { return nil }
        switch first {
        case 0..<0x80: return Int(first)
        case 0x81: return byte().flatMap { $0 >= 0x80 ? Int($0) : nil }
        case 0x82: return bigEndian(UInt16.self).flatMap { $0 >= 0x100 ? Int($0) : nil }
        default: return nil
        }
    }
}
