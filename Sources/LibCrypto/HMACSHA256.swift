internal import CCrypto

/// HMAC with SHA-256 (RFC 2104) by libcrypto.
public enum HMACSHA256 {
    /// The code of a message under a key.
    ///
    /// Compare codes as ``Digest32`` values: that takes the same time wherever they differ.
    ///
    /// - Parameters:
    ///   - message: any bytes.
    ///   - key: the secret, any number of bytes; fewer than 32 are weaker than the code.
    /// - Returns: 32 bytes.
    public static func code(for message: [UInt8], key: [UInt8]) -> Digest32 {
        var code = [UInt8](repeating: 0, count: Digest32.byteCount)
        var count: UInt32 = 0
        // Fails without memory, or where libcrypto is configured without its default provider: then
        // the zeros of before must not pass for a code.
        guard
            HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &count) != nil,
            let value = Digest32(code)
        else {
            preconditionFailure("libcrypto has HMAC with SHA-256 and memory for it")
        }
        return value
    }
}
