internal import CCrypto

extension P256PublicKey {
    /// The number of bytes of a signature of JSON Web Tokens: r ‖ s, 32 each.
    package static let jwsSignatureByteCount = 64

    /// Whether a signature of a JSON Web Token was made with this key's private half: ES256.
    ///
    /// Source: RFC 7518, 3.4.
    ///
    /// - Parameters:
    ///   - signature: r ‖ s, big-endian; of another length than ``jwsSignatureByteCount`` it is a
    ///     false one.
    ///   - message: the bytes that were signed, not their digest.
    /// - Returns: true only when libcrypto says exactly 1.
    package func isValidJWSSignature(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard signature.count == Self.jwsSignatureByteCount else { return false }
        return isValidSignature(derSignature(signature), over: message)
    }
}

/// ECDSA-Sig-Value of two numbers of 32 bytes.
private func derSignature(_ signature: [UInt8]) -> [UInt8] {
    let halves = [Array(signature.prefix(32)), Array(signature.suffix(32))]
    guard let pair = ECDSA_SIG_new(), let r = BN_bin2bn(halves[0], 32, nil),
        let s = BN_bin2bn(halves[1], 32, nil), ECDSA_SIG_set0(pair, r, s) == 1
    else { preconditionFailure("out of memory") }
    // It owns r and s now.
    defer { ECDSA_SIG_free(pair) }
    var encoded = [UInt8](repeating: 0, count: P256PublicKey.derSignatureByteCountMax)
    let count = encoded.withUnsafeMutableBufferPointer { bytes -> Int32 in
        var position = bytes.baseAddress
        return i2d_ECDSA_SIG(pair, &position)
    }
    return Array(encoded.prefix(Int(count)))
}
