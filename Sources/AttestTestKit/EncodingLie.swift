public import AppAttest

/// Ways to break the encoding of an object; its parts are genuine.
///
/// Each must be refused with `malformed_cbor`, in attestations as in assertions.
public enum EncodingLie: String, Hashable, Sendable, CaseIterable {
    /// No byte at all.
    case empty
    /// The last byte is missing.
    case truncated
    /// One byte follows the map.
    case trailingByte
    /// The first key stands there again, with the same value, at the end.
    case repeatedKey
    /// The map has no length, but an end mark.
    case indefiniteMap
    /// The last byte string has no length, but one chunk and an end mark.
    case indefiniteBytes
    /// The number of entries takes a byte of its own though it is small.
    case longerMapHead
    /// The length of the last byte string takes eight bytes.
    case longerBytesHead
    /// A tag (self-described CBOR, 55799) stands before the map.
    case taggedObject
    /// A tag (encoded CBOR, 24) stands before the last byte string.
    case taggedBytes
    /// A further key is not UTF-8.
    case invalidText
    /// A further value begins with a head that RFC 8949 reserves.
    case reservedHead
    /// A further value is a float.
    case float
    /// A further key is a byte string.
    case keyNotText
    /// A further value is an array of 512 arrays, each in the other.
    case nestedTooDeep
    /// A further value claims to have more entries than bytes could follow.
    case countTooLarge
    /// A further value is an array of 1,000 numbers.
    case tooManyItems
    /// A further value of 64 KiB.
    case tooLarge

    /// What a verifier must say.
    public var rejection: RejectionCode {
        .malformedCBOR
    }

    /// Encodes the parts of an object, of which the last is a byte string, and breaks them.
    func encode(_ entries: [(key: CBOR, value: CBOR)]) -> [UInt8] {
        let honest = CBOR.map(entries).encoded
        return switch self {
        case .empty: []
        case .truncated: honest.dropLast()
        case .trailingByte: honest + [0x00]
        case .repeatedKey: CBOR.map(entries + entries.prefix(1)).encoded
        case .indefiniteMap: [0xBF] + honest.dropFirst() + [0xFF]
        case .indefiniteBytes:
            CBOR.map(changeLast(entries) { [0x5F] + CBOR.bytes($0).encoded + [0xFF] }).encoded
        case .longerMapHead: [0xB8, UInt8(entries.count)] + honest.dropFirst()
        case .longerBytesHead:
            CBOR.map(changeLast(entries) { [0x5B] + UInt64($0.count).bigEndianBytes + $0 }).encoded
        case .taggedObject: CBOR.tag(55799, .verbatim(honest)).encoded
        case .taggedBytes:
            CBOR.map(changeLast(entries) { CBOR.tag(24, .bytes($0)).encoded }).encoded
        case .invalidText: CBOR.map([(.verbatim([0x61, 0xFF]), .unsigned(0))] + entries).encoded
        case .reservedHead: add(.verbatim([0x1C]), to: entries)
        case .float: add(.verbatim([0xF9, 0x3C, 0x00]), to: entries)
        case .keyNotText: CBOR.map([(.bytes([1]), .unsigned(0))] + entries).encoded
        case .nestedTooDeep:
            add(.verbatim([UInt8](repeating: 0x81, count: 512) + [0x80]), to: entries)
        case .countTooLarge: add(.verbatim([0x9B] + UInt64.max.bigEndianBytes), to: entries)
        case .tooManyItems:
            add(.array([CBOR](repeating: .unsigned(0), count: 1000)), to: entries)
        case .tooLarge: add(.bytes([UInt8](repeating: 0, count: 65536)), to: entries)
        }
    }

    /// Puts an entry that verifiers ignore before the others.
    private func add(_ value: CBOR, to entries: [(key: CBOR, value: CBOR)]) -> [UInt8] {
        CBOR.map([(.text("further"), value)] + entries).encoded
    }

    /// Writes the last byte string in another form.
    private func changeLast(
        _ entries: [(key: CBOR, value: CBOR)], _ change: ([UInt8]) -> [UInt8]
    ) -> [(key: CBOR, value: CBOR)] {
        guard let last = entries.last, case .bytes(let bytes) = last.value else {
            preconditionFailure("an object ends with a byte string")
        }
        return entries.dropLast() + [(last.key, .verbatim(change(bytes)))]
    }
}
