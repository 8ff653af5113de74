internal import CCrypto

/// A private key that makes byte-reproducible ECDSA signatures, for tests only.
///
/// The arithmetic is not constant-time: whoever can time it can learn the key. Nothing that
/// verifies imports this type; it exists so that simulated devices can be replayed from a seed.
///
/// Immutable, and libcrypto only reads the handles after they are made, so threads may share a key.
package final class ECPrivateKey: @unchecked Sendable {
    /// The curve the key lies on.
    package let curve: EllipticCurve
    /// The public key in X9.62 form, uncompressed: 04, then both coordinates.
    package let publicPoint: [UInt8]
    /// The public key in X9.62 form, compressed: 02 or 03, then the first coordinate.
    package let compressedPublicPoint: [UInt8]

    private let group: CurveGroup
    private let scalar: BigNumber

    /// A key from its scalar.
    ///
    /// - Parameters:
    ///   - bytes: the scalar, big-endian, exactly as many bytes as
    ///     ``EllipticCurve/scalarByteCount``, above 0 and below the order of the group; nil
    ///     otherwise.
    ///   - curve: the curve.
    package init?(scalar bytes: [UInt8], curve: EllipticCurve) {
        guard bytes.count == curve.scalarByteCount else { return nil }
        let group = CurveGroup(curve)
        let scalar = BigNumber(bytes)
        guard !scalar.isZero, BN_cmp(scalar.pointer, group.order) < 0 else { return nil }
        let point = CurvePoint(scalar, in: group)
        publicPoint = point.encoded(
            POINT_CONVERSION_UNCOMPRESSED, in: group, byteCount: 1 + 2 * curve.scalarByteCount)
        compressedPublicPoint = point.encoded(
            POINT_CONVERSION_COMPRESSED, in: group, byteCount: 1 + curve.scalarByteCount)
        self.curve = curve
        self.group = group
        self.scalar = scalar
    }

    /// Signs a message: ECDSA (FIPS 186-4) with the secret number of RFC 6979.
    ///
    /// - Parameters:
    ///   - message: any bytes; they are hashed once.
    ///   - hash: the hash function.
    /// - Returns: both numbers big-endian, each as many bytes as a scalar has.
    package func signature(
        for message: [UInt8], hash: HashFunction
    ) -> (r: [UInt8], s: [UInt8]) {
        let context = BigNumberContext()
        // The leftmost bits of the digest, as many as the order has: whole bytes on both curves.
        let digest = BigNumber(Array(hash.digest(message).prefix(curve.scalarByteCount)))
        succeeded(BN_nnmod(digest.pointer, digest.pointer, group.order, context.pointer))
        var nonces = DeterministicNonces(
            hash: hash, scalar: scalar.bytes(count: curve.scalarByteCount),
            reducedDigest: digest.bytes(count: curve.scalarByteCount))
        while true {
            let nonce = BigNumber(nonces.next())
            if let signature = signature(for: digest, nonce: nonce, context) { return signature }
            nonces.refuse()
        }
    }

    /// r = x(nonce · G) mod n, s = nonce⁻¹ · (digest + r · scalar) mod n; nil when one is 0 or the
    /// nonce is out of range.
    private func signature(
        for digest: borrowing BigNumber, nonce: borrowing BigNumber,
        _ context: borrowing BigNumberContext
    ) -> (r: [UInt8], s: [UInt8])? {
        guard !nonce.isZero, BN_cmp(nonce.pointer, group.order) < 0 else { return nil }
        let order = group.order
        let point = CurvePoint(nonce, in: group)
        let r = BigNumber()
        succeeded(
            EC_POINT_get_affine_coordinates(
                group.pointer, point.pointer, r.pointer, nil, context.pointer))
        succeeded(BN_nnmod(r.pointer, r.pointer, order, context.pointer))
        let s = BigNumber()
        succeeded(BN_mod_mul(s.pointer, r.pointer, scalar.pointer, order, context.pointer))
        succeeded(BN_mod_add(s.pointer, s.pointer, digest.pointer, order, context.pointer))
        let inverse = BigNumber()
        _ = owned(BN_mod_inverse(inverse.pointer, nonce.pointer, order, context.pointer))
        succeeded(BN_mod_mul(s.pointer, s.pointer, inverse.pointer, order, context.pointer))
        guard !r.isZero, !s.isZero else { return nil }
        return (
            r.bytes(count: curve.scalarByteCount), s.bytes(count: curve.scalarByteCount)
        )
    }
}
