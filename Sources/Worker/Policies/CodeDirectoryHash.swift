internal import AppAttest

/// A code directory hash with the kind of its digest: `sha256:` and the bytes in hexadecimal.
package struct CodeDirectoryHash: Hashable, Sendable {
    /// How many bytes such a hash has: 20 and 32 were seen, and digests have up to 64.
    static let byteCounts = 20...SignedExtensions.cdHashByteCountMax

    /// The kinds that have a name.
    ///
    /// Source: Apple, `kern/cs_blobs.h`, `CS_HASHTYPE_…`.
    private static let names: [(name: String, type: UInt8)] = [
        ("sha1", 1), ("sha256", 2), ("sha256-truncated", 3), ("sha384", 4), ("sha512", 5),
    ]

    /// The digest: 2 is SHA-256.
    package let type: UInt8
    /// The hash.
    package let bytes: [UInt8]

    /// A hash as a device signed it; nil unless both its parts are there.
    init?(_ extensions: SignedExtensions) {
        guard let bytes = extensions.cdHash, let type = extensions.cdHashType else { return nil }
        self.type = type
        self.bytes = bytes
    }

    /// By its text: the digest's name or number, a colon, 40 to 128 hexadecimal digits.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = parts.first, let digits = parts.last,
            let type = Self.names.first(where: { $0.name == kind })?.type ?? UInt8(kind),
            digits.utf8.count.isMultiple(of: 2)
        else { return nil }
        var bytes: [UInt8] = []
        var rest = digits.utf8[...]
        while !rest.isEmpty {
            guard let byte = hexadecimalByte(rest.prefix(2)) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard Self.byteCounts.contains(bytes.count) else { return nil }
        self.type = type
        self.bytes = bytes
    }

    /// Its text, digits in lower case.
    package var text: String {
        let kind = Self.names.first { $0.type == type }?.name ?? String(type)
        return bytes.reduce(into: "\(kind):") { text, byte in
            text += (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

/// The byte that two ASCII digits write; nil if one of them is no hexadecimal digit.
private func hexadecimalByte(_ digits: Substring.UTF8View) -> UInt8? {
    digits.reduce(UInt8?.some(0)) { value, digit in
        guard let value else { return nil }
        let half: UInt8
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): half = digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): half = digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): half = digit - UInt8(ascii: "A") + 10
        default: return nil
        }
        return value << 4 | half
    }
}
