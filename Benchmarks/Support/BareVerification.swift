internal import CCrypto

/// One ECDSA verification by libcrypto alone, key and digest algorithm prepared: the limit.
package final class BareVerification {
    private let key: OpaquePointer
    private let digest: OpaquePointer
    private let context: OpaquePointer
    private let signature: [UInt8]
    private let message: [UInt8]

    /// Prepares a verification.
    ///
    /// - Parameters:
    ///   - publicKey: SubjectPublicKeyInfo, DER.
    ///   - signature: DER.
    ///   - message: what was signed; SHA-256 is taken of it in each run.
    package init?(publicKey: [UInt8], signature: [UInt8], message: [UInt8]) {
        let key = publicKey.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            return d2i_PUBKEY(nil, &position, bytes.count)
        }
        guard let key, let digest = EVP_MD_fetch(nil, "SHA256", nil),
            let context = EVP_MD_CTX_new()
        else { return nil }
        self.key = key
        self.digest = digest
        self.context = context
        self.signature = signature
        self.message = message
    }

    /// Prepares a verification with a key of P-256.
    ///
    /// - Parameters:
    ///   - point: 65 bytes, X9.63 uncompressed.
    ///   - signature: DER.
    ///   - message: what was signed; SHA-256 is taken of it in each run.
    package convenience init?(point: [UInt8], signature: [UInt8], message: [UInt8]) {
        self.init(
            publicKey: Self.informationOfP256 + point, signature: signature, message: message)
    }

    /// What stands before the point in its SubjectPublicKeyInfo, DER: RFC 5480, 2.
    private static let informationOfP256: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(digest)
        EVP_PKEY_free(key)
    }

    /// Whether the signature is the key's.
    package func run() -> Bool {
        EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
            && EVP_DigestVerify(
                context, signature, signature.count, message, message.count) == 1
    }
}

/// The parts of a certificate that the verification of its signature needs.
package struct SignedCertificate {
    /// The part that is signed, DER.
    package let signedPart: [UInt8]
    /// DER.
    package let signature: [UInt8]
    /// SubjectPublicKeyInfo, DER.
    package let publicKey: [UInt8]

    /// Reads a certificate, DER.
    package init?(_ der: [UInt8]) {
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            return d2i_X509(nil, &position, bytes.count)
        }
        guard let parsed else { return nil }
        defer { X509_free(parsed) }
        var value: UnsafePointer<ASN1_BIT_STRING>?
        X509_get0_signature(&value, nil, parsed)
        guard let value, let start = ASN1_STRING_get0_data(value) else { return nil }
        signature = Array(
            UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(value))))
        guard let signedPart = encoded({ i2d_re_X509_tbs(parsed, $0) }),
            let publicKey = encoded({ i2d_X509_PUBKEY(X509_get_X509_PUBKEY(parsed), $0) })
        else { return nil }
        self.signedPart = signedPart
        self.publicKey = publicKey
    }
}

/// What an `i2d` function writes.
private func encoded(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt
) -> [UInt8]? {
    let count = encode(nil)
    guard count > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    bytes.withUnsafeMutableBufferPointer { buffer in
        var position = buffer.baseAddress
        _ = encode(&position)
    }
    return bytes
}

/// Whether libcrypto alone reads a certificate, DER, whatever it says.
package func isReadByLibcrypto(_ der: [UInt8]) -> Bool {
    let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
        var position = bytes.baseAddress
        return d2i_X509(nil, &position, bytes.count)
    }
    X509_free(parsed)
    return parsed != nil
}
