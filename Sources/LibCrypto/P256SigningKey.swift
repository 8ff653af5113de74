internal import CCrypto

/// A private key on the curve P-256 that signs as JSON Web Tokens want it: ES256.
///
/// For keys that are really secret: libcrypto does the arithmetic, in constant time and with random
/// nonces. Instances may be shared between threads.
package final class P256SigningKey: @unchecked Sendable {
    // `@unchecked`: libcrypto counts references to an EVP_PKEY atomically, and nothing here writes
    // to one after `init`.

    private let key: OpaquePointer
    /// The key's public half.
    package let publicKey: P256PublicKey

    /// Takes a key as Apple hands it out in a file `AuthKey_….p8`: PKCS#8 in PEM, not encrypted.
    ///
    /// Source: RFC 7468, 10; PEM_read_bio_PrivateKey(3).
    ///
    /// - Parameter pem: the file. Nil when there is no private key in it, or it is encrypted, or
    ///   lies on another curve.
    package init?(pem: [UInt8]) {
        defer { OpenSSLErrorQueue.clear() }
        guard let key = PrivateKeyFile.read(pem) else { return nil }
        guard let point = pointOnP256(key), let publicKey = P256PublicKey(x963: point) else {
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
        self.publicKey = publicKey
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Signs a message: ECDSA with SHA-256.
    ///
    /// Source: RFC 7518, 3.4.
    ///
    /// - Parameter message: any bytes; they are hashed here.
    /// - Returns: 64 bytes, r ‖ s, 32 each, big-endian: not DER.
    package func jwsSignature(over message: [UInt8]) -> [UInt8] {
        defer { OpenSSLErrorQueue.clear() }
        let encoded = derSignature(over: message)
        let parsed = encoded.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &position, bytes.count)
        }
        guard let parsed else { preconditionFailure("libcrypto reads its own signatures") }
        defer { ECDSA_SIG_free(parsed) }
        return padded(ECDSA_SIG_get0_r(parsed)) + padded(ECDSA_SIG_get0_s(parsed))
    }

    private func derSignature(over message: [UInt8]) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: P256PublicKey.derSignatureByteCountMax)
        var count = signature.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { preconditionFailure("libcrypto signs with a key that it has read") }
        return Array(signature.prefix(count))
    }

    /// A number below the group's order in 32 bytes.
    private func padded(_ number: OpaquePointer?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard BN_bn2binpad(number, &bytes, 32) == 32 else {
            preconditionFailure("no half of a signature is longer than the order")
        }
        return bytes
    }
}

/// The key's public point, uncompressed; nil when it is no key of this curve.
private func pointOnP256(_ key: OpaquePointer) -> [UInt8]? {
    var name = [CChar](repeating: 0, count: 64)
    var nameCount = 0
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
        EVP_PKEY_get_group_name(key, &name, name.count, &nameCount) == 1,
        name.prefix(nameCount).elementsEqual("prime256v1".utf8.map(CChar.init))
    else { return nil }
    var point = [UInt8](repeating: 0, count: 133)
    var count = 0
    guard
        EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", &point, point.count, &count) == 1
    else { return nil }
    return Array(point.prefix(count))
}
