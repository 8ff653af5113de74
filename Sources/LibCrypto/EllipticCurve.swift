internal import CCrypto

/// The curves that App Attest keys and certificates lie on.
package enum EllipticCurve: Hashable, Sendable, CaseIterable {
    /// NIST P-256: attested keys.
    case p256
    /// NIST P-384: certificate authorities.
    case p384

    /// How many bytes a scalar, and each coordinate of a point, takes.
    package var scalarByteCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }

    /// libcrypto's number for the curve.
    var numericID: Int32 {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p384: NID_secp384r1
        }
    }
}
