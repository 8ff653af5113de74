public import AppAttest
import LibCrypto

/// Ways to issue a credential certificate that Apple never would; its signature is genuine.
///
/// | lies | a verifier must say |
/// | --- | --- |
/// | ``rsaKey`` to ``compressedPoint`` | `leaf_key_not_p256` |
/// | ``explicitCurve``, ``pointOffCurve`` | `chain_invalid`: no certificate may have such a key |
/// | ``noNonce`` | `nonce_missing` |
/// | ``nonceTwice`` to ``nonceTrailingByte`` | `nonce_malformed` |
/// | ``nonceOfOtherClientData``, ``nonceOfOtherAuthenticatorData`` | `nonce_mismatch` |
/// | ``otherKey`` | `key_id_mismatch` |
/// | ``otherApp`` | `leaf_app_id_mismatch` |
/// | ``macWithoutAccessControl``, ``macWithoutSystemIntegrity`` | `acl_mismatch` |
public enum CredentialCertificateLie: String, Hashable, Sendable, CaseIterable {
    /// The key is an RSA key of 2,048 bits.
    case rsaKey
    /// The key lies on P-384.
    case p384Key
    /// The device's key, but the point is compressed: 33 bytes.
    case compressedPoint
    /// The device's key, but the curve is spelled out in the place of its name.
    case explicitCurve
    /// A P-256 point whose second coordinate is off by one bit.
    case pointOffCurve
    /// The nonce extension is missing.
    case noNonce
    /// The nonce extension stands there twice.
    case nonceTwice
    /// The nonce has context tag 0 in the place of 1.
    case nonceOtherTag
    /// The nonce has 31 bytes.
    case nonceTooShort
    /// The nonce has 33 bytes.
    case nonceTooLong
    /// A length in the nonce extension takes two bytes where one would do.
    case nonceLongerLength
    /// A byte follows the nonce inside its extension.
    case nonceTrailingByte
    /// The nonce is that of another client data hash.
    case nonceOfOtherClientData
    /// The nonce is that of authenticator data whose last bit is another.
    case nonceOfOtherAuthenticatorData
    /// The key is that of another device.
    case otherKey
    /// The app id in extension 100.8.5 is another app's.
    case otherApp
    /// A Mac whose certificate tells no access control.
    case macWithoutAccessControl
    /// A Mac whose key works without system integrity.
    case macWithoutSystemIntegrity

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .rsaKey, .p384Key, .compressedPoint: .leafKeyNotP256
        case .explicitCurve, .pointOffCurve: .chainInvalid
        case .noNonce: .nonceMissing
        case .nonceTwice, .nonceOtherTag, .nonceTooShort, .nonceTooLong, .nonceLongerLength,
            .nonceTrailingByte:
            .nonceMalformed
        case .nonceOfOtherClientData, .nonceOfOtherAuthenticatorData: .nonceMismatch
        case .otherKey: .keyIDMismatch
        case .otherApp: .leafAppIDMismatch
        case .macWithoutAccessControl, .macWithoutSystemIntegrity: .aclMismatch
        }
    }

    /// Changes a certificate that has its genuine nonce.
    func apply(to draft: inout CertificateDraft, of device: SimulatedDevice, nonce: Nonce) {
        switch self {
        case .rsaKey: draft.publicKeyInfo = Self.rsaPublicKeyInfo(seed: device.seed)
        case .p384Key:
            draft.publicKeyInfo =
                SeededBytes(seed: device.seed).key("P-384 key", .p384).publicKeyInfo
        case .explicitCurve:
            draft.publicKeyInfo = DER.sequence(
                DER.sequence(ObjectIdentifiers.ecPublicKey, P256Parameters.encoded),
                DER.bitString(device.key.publicPoint))
        case .compressedPoint:
            draft.publicKeyInfo = CertificateDraft.publicKeyInfo(
                point: device.key.compressedPublicPoint, on: .p256)
        case .pointOffCurve: draft.publicKeyInfo.flipLastBit()
        case .otherKey: draft.publicKeyInfo = device.otherKey.publicKeyInfo
        case .otherApp:
            draft.replace(
                CredentialCertificate.appAttributes(
                    appID: device.appID + ".other", shape: device.shape))
        case .macWithoutAccessControl:
            draft.replace(CredentialCertificate.operatingSystem(.macOS27))
            draft.remove(ObjectIdentifiers.accessControl)
        case .macWithoutSystemIntegrity:
            draft.replace(CredentialCertificate.operatingSystem(.macOS27))
            draft.replace(AccessControl.macWithoutSystemIntegrity.certificateExtension)
        case .noNonce: draft.remove(ObjectIdentifiers.nonce)
        case .nonceTwice: draft.extensions.append(CredentialCertificate.nonce(nonce.bytes))
        case .nonceOfOtherClientData:
            draft.replace(CredentialCertificate.nonce(nonce.withOtherClientData.bytes))
        case .nonceOfOtherAuthenticatorData:
            draft.replace(CredentialCertificate.nonce(nonce.withOtherAuthenticatorData.bytes))
        case .nonceTooShort:
            draft.replace(CredentialCertificate.nonce(nonce.bytes.dropLast()))
        case .nonceTooLong: draft.replace(CredentialCertificate.nonce(nonce.bytes + [0]))
        case .nonceOtherTag: draft.replaceNonce(DER.sequence(DER.explicit(0, nonce.octetString)))
        case .nonceLongerLength:
            let string = [0x04, 0x81, UInt8(nonce.bytes.count)] + nonce.bytes
            draft.replaceNonce(DER.sequence(DER.explicit(1, string)))
        case .nonceTrailingByte:
            draft.replaceNonce(DER.sequence(DER.explicit(1, nonce.octetString)) + [0x00])
        }
    }

    /// An RSA public key whose modulus is any odd number: nobody has its private key.
    private static func rsaPublicKeyInfo(seed: UInt64) -> [UInt8] {
        let middle = SeededBytes(seed: seed).bytes("RSA modulus", count: 254)
        let modulus = [0x80] + middle + [0x01]
        return DER.sequence(
            DER.sequence(ObjectIdentifiers.rsaEncryption, DER.null),
            DER.bitString(DER.sequence(DER.integer(modulus), DER.integer(65537))))
    }
}

extension CertificateDraft {
    /// Puts other content into the nonce extension.
    fileprivate mutating func replaceNonce(_ content: [UInt8]) {
        replace(CertificateExtension(ObjectIdentifiers.nonce, content))
    }
}
