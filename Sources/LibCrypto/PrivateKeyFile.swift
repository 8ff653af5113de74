internal import CCrypto

/// Private keys as files have them: PEM, not encrypted.
package enum PrivateKeyFile {
    /// The most bytes of a file with a key; one of RSA with 8192 bits has some 6,400.
    package static let byteCountMax = 16_384

    /// The key in a file, which the caller owns.
    ///
    /// Source: RFC 7468, 10 and 11; PEM_read_bio_PrivateKey(3).
    ///
    /// - Parameter pem: the file.
    /// - Returns: nil when there is none in it, or a password would be needed.
    static func read(_ pem: [UInt8]) -> OpaquePointer? {
        guard pem.count <= byteCountMax, let input = BIO_new_mem_buf(pem, Int32(pem.count)) else {
            return nil
        }
        defer { BIO_free(input) }
        // Without a function of ours libcrypto would ask for the password on the terminal.
        return PEM_read_bio_PrivateKey(input, nil, refusePassword, nil)
    }
}

/// A file-level function: a closure could be isolated to an actor.
private func refusePassword(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 {
    -1
}
