internal import CCrypto

/// The hash functions that signatures of this field are made with (FIPS 180-4).
package enum HashFunction: Hashable, Sendable, CaseIterable {
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384

    /// How many bytes a digest has.
    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        }
    }

    private var name: String {
        switch self {
        case .sha256: "SHA2-256"
        case .sha384: "SHA2-384"
        }
    }

    /// The digest of a message.
    package func digest(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        var digestByteCount = 0
        let isDone = EVP_Q_digest(
            nil, name, nil, message, message.count, &digest, &digestByteCount)
        precondition(
            isDone == 1 && digestByteCount == byteCount, "libcrypto has SHA-2 and memory for it")
        return digest
    }

    /// HMAC (RFC 2104) of a message under a key.
    package func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: byteCount)
        var codeByteCount = 0
        let isDone = EVP_Q_mac(
            nil, "HMAC", nil, name, nil, key, key.count, message, message.count, &code,
            code.count, &codeByteCount)
        precondition(
            isDone != nil && codeByteCount == byteCount, "libcrypto has HMAC and memory for it")
        return code
    }
}
