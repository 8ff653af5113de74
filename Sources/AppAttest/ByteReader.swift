/// A cursor over bytes that came from outside: the one place with offsets.
///
/// Every read asks what remains first, and nothing is added to a length that was read.
package struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// A cursor at the first byte.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The number of bytes that were not read yet.
    package var remainingCount: Int {
        bytes.endIndex - position
    }

    /// The bytes that were not read yet.
    package var remaining: ArraySlice<UInt8> {
        bytes[position...]
    }

    /// The next bytes, or nil (and nothing read) when fewer remain.
    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= remainingCount else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// The next byte, or nil at the end.
    package mutating func byte() -> UInt8? {
        guard remainingCount > 0 else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// The next unsigned integer, most significant byte first, or nil when too few bytes remain.
    package mutating func bigEndian<Integer: FixedWidthInteger & UnsignedInteger>(
        _ type: Integer.Type
    ) -> Integer? {
        guard let taken = take(Integer.bitWidth / 8) else { return nil }
        return taken.reduce(0) { value, byte in value << 8 | Integer(byte) }
    }
}

extension Collection<UInt8> {
    /// Whether these are the UTF-8 bytes of a text, byte for byte.
    ///
    /// `String` would call two spellings of an accented letter equal. A literal costs nothing here,
    /// while a `StaticString` would be copied to the heap.
    package func spells(_ text: String) -> Bool {
        count == text.utf8.count && elementsEqual(text.utf8)
    }
}
