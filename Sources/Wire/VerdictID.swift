package import LibCrypto

/// A verdict's identity: 16 bytes, a fixed function of the request's identity.
package struct VerdictID: Hashable, Sendable {
    /// Lower-case UUID text of 36 characters (version 8, RFC 9562 §5.8).
    package let text: String

    /// The first 16 bytes of a digest, with version and variant set.
    package init(_ digest: Digest32) {
        var bytes = Array(digest.bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Array("0123456789abcdef")
        var text = ""
        for (position, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(position) { text.append("-") }
            text.append(hex[Int(byte >> 4)])
            text.append(hex[Int(byte & 0x0F)])
        }
        self.text = text
    }
}
