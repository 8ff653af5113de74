internal import CCrypto

/// A private RSA key that signs as JSON Web Tokens want it: RS256.
///
/// Signing the same message again gives the same bytes. Instances may be shared between threads.
package final class RSASigningKey: @unchecked Sendable {
    // `@unchecked`: libcrypto counts references to an EVP_PKEY atomically, locks the blinding that
    // it keeps with an RSA key, and nothing here writes to one after `init`.

    /// The sizes that are taken: RFC 7518, 3.3, wants 2048 bits or more, and with more than 8192
    /// one signature takes longer than a batch.
    package static let modulusBits = 2048...8192

    /// The modulus, big-endian, no zero before it.
    package let modulus: [UInt8]
    /// The public exponent, big-endian, no zero before it.
    package let exponent: [UInt8]
    private let key: OpaquePointer

    /// Takes a key: PKCS#8 or PKCS#1 in PEM, not encrypted.
    ///
    /// - Parameter pem: the file. Nil when there is no private key in it, it is encrypted, none for
    ///   RSA (one that only RSA-PSS may use is none either), or of another size than
    ///   ``modulusBits``.
    package init?(pem: [UInt8]) {
        defer { OpenSSLErrorQueue.clear() }
        guard let key = PrivateKeyFile.read(pem) else { return nil }
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA,
            Self.modulusBits.contains(Int(EVP_PKEY_get_bits(key))),
            let modulus = number(OSSL_PKEY_PARAM_RSA_N, of: key),
            let exponent = number(OSSL_PKEY_PARAM_RSA_E, of: key)
        else {
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
        self.modulus = modulus
        self.exponent = exponent
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Signs a message: RSASSA-PKCS1-v1_5 with SHA-256.
    ///
    /// Source: RFC 7518, 3.3; RFC 8017, 8.2.
    ///
    /// - Parameter message: any bytes; they are hashed here.
    /// - Returns: as many bytes as the modulus has.
    package func jwsSignature(over message: [UInt8]) -> [UInt8] {
        defer { OpenSSLErrorQueue.clear() }
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
        var count = signature.count
        guard EVP_DigestSignInit(context, nil, Algorithms.sha256, nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { preconditionFailure("libcrypto signs with a key that it has read") }
        return Array(signature.prefix(count))
    }

    /// Whether this key made a signature over a message.
    ///
    /// - Parameters:
    ///   - signature: as ``jwsSignature(over:)`` gives it; of another length it is a false one.
    ///   - message: the bytes that were signed, not their digest.
    /// - Returns: true only when libcrypto says exactly 1.
    package func isValidJWSSignature(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard signature.count == modulus.count else { return false }
        defer { OpenSSLErrorQueue.clear() }
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, Algorithms.sha256, nil, key) == 1 else {
            preconditionFailure("libcrypto can't begin a verification")
        }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// A number of a key's; nil if it has none of this name.
private func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { return nil }
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: Int((BN_num_bits(number) + 7) / 8))
    guard BN_bn2bin(number, &bytes) == Int32(bytes.count) else { return nil }
    return bytes
}
