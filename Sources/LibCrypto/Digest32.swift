/// Thirty-two bytes, compared whole: a SHA-256 digest or something as long.
///
/// Held as four words, so that hashing and comparing cost a few instructions and need no heap.
public struct Digest32: Hashable, Sendable {
    @usableFromInline let words: (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes, 32.
    public static let byteCount = 32

    /// Takes 32 bytes as they are.
    ///
    /// Inlinable, as a generic initializer that is not costs more than the digest itself.
    ///
    /// - Parameter bytes: exactly 32 bytes; any other count gives nil.
    @inlinable
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for byte in bytes {
            // All four shift by one byte, each taking in what falls off the next.
            words.0 = words.0 << 8 | words.1 >> 56
            words.1 = words.1 << 8 | words.2 >> 56
            words.2 = words.2 << 8 | words.3 >> 56
            words.3 = words.3 << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// The 32 bytes in their order.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            // Four stores instead of 32 appends: some ten digests are written out a request.
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.storeBytes(of: words.0.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: words.1.bigEndian, toByteOffset: 8, as: UInt64.self)
            bytes.storeBytes(of: words.2.bigEndian, toByteOffset: 16, as: UInt64.self)
            bytes.storeBytes(of: words.3.bigEndian, toByteOffset: 24, as: UInt64.self)
            count = Self.byteCount
        }
    }

    /// Exactly 32 bytes that lie somewhere in memory.
    init(copying bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == Self.byteCount)
        words = (
            UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        )
    }

    /// Whole-value equality.
    public static func == (left: Digest32, right: Digest32) -> Bool {
        (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1)
            | (left.words.2 ^ right.words.2) | (left.words.3 ^ right.words.3) == 0
    }

    /// Feeds the four words to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

extension Digest32: Comparable {
    /// Orders as the bytes do, first byte first: the order of `bytea` in PostgreSQL.
    public static func < (left: Digest32, right: Digest32) -> Bool {
        left.words < right.words
    }
}
