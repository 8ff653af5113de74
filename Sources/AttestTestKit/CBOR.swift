/// A CBOR item (RFC 8949) to be written: the genuine forms, and some that a verifier must refuse.
indirect enum CBOR: Sendable {
    /// Major type 0.
    case unsigned(UInt64)
    /// Major type 1: the value -1 - n.
    case negative(UInt64)
    /// Major type 2.
    case bytes([UInt8])
    /// Major type 3.
    case text(String)
    /// Major type 4.
    case array([CBOR])
    /// Major type 5, in the order given; keys may repeat.
    case map([(key: CBOR, value: CBOR)])
    /// Major type 6.
    case tag(UInt64, CBOR)
    /// Bytes that are put in as they are: the door for what is not well-formed.
    case verbatim([UInt8])

    /// The encoded item: definite lengths, shortest heads.
    var encoded: [UInt8] {
        switch self {
        case .unsigned(let value): Self.head(0, value)
        case .negative(let value): Self.head(1, value)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
        case .map(let pairs):
            Self.head(5, UInt64(pairs.count))
                + pairs.flatMap { $0.key.encoded + $0.value.encoded }
        case .tag(let number, let item): Self.head(6, number) + item.encoded
        case .verbatim(let bytes): bytes
        }
    }

    /// A head in its shortest form.
    private static func head(_ majorType: UInt8, _ argument: UInt64) -> [UInt8] {
        let type = majorType << 5
        if argument < 24 { return [type | UInt8(argument)] }
        if let short = UInt8(exactly: argument) { return [type | 24, short] }
        if let short = UInt16(exactly: argument) { return [type | 25] + short.bigEndianBytes }
        if let short = UInt32(exactly: argument) { return [type | 26] + short.bigEndianBytes }
        return [type | 27] + argument.bigEndianBytes
    }
}
