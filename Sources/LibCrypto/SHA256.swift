internal import CCrypto

/// SHA-256 (FIPS 180-4) by libcrypto.
public enum SHA256 {
    /// The digest of the parts, one after the other as if they were one.
    ///
    /// - Parameter parts: any number of byte strings; they are not separated.
    /// - Returns: 32 bytes.
    public static func hash(_ parts: [UInt8]...) -> Digest32 {
        hash(parts: parts)
    }

    /// The digest of the parts, one after the other as if they were one.
    ///
    /// - Parameter parts: any number of byte strings; they are not separated.
    /// - Returns: 32 bytes.
    public static func hash(parts: [[UInt8]]) -> Digest32 {
        var joined: [UInt8] = []
        if let only = parts.first, parts.count == 1 {
            joined = only
        } else {
            joined.reserveCapacity(parts.reduce(0) { $0 + $1.count })
            for part in parts { joined.append(contentsOf: part) }
        }
        return withUnsafeTemporaryAllocation(byteCount: Digest32.byteCount, alignment: 8) {
            (digest) -> Digest32 in
            // Fails without memory, or where libcrypto is configured without its default provider:
            // then what was in memory before must not pass for a digest.
            guard
                EVP_Digest(
                    joined, joined.count, digest.baseAddress, nil, Algorithms.sha256, nil) == 1
            else { preconditionFailure("libcrypto has SHA-256 and memory for it") }
            return Digest32(copying: UnsafeRawBufferPointer(digest))
        }
    }
}
