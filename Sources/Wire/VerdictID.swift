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
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for position in bytes.indices {
            if position == 4 || position == 6 || position == 8 || position == 10 {
                text.append(UInt8(ascii: "-"))
            }
            text.append(hexDigit(bytes[position] >> 4))
            text.append(hexDigit(bytes[position] & 0x0F))
        }
        self.text = String(decoding: text, as: UTF8.self)
    }
}

/// The digit of four bits, lower case.
private func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
