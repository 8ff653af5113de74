public import AppAttest
import LibCrypto

/// Ways to sign an assertion that the device's key did not.
///
/// Each must be refused with `signature_invalid`.
public enum SignatureLie: String, Hashable, Sendable, CaseIterable {
    /// Another key signs.
    case otherKey
    /// The nonce enters ECDSA as the digest, not as the message: hashed once, not twice.
    case hashedOnce
    /// Other client data is signed.
    case otherClientData
    /// The last bit of the authenticator data is changed afterwards.
    case authenticatorDataChanged
    /// The last bit of the signature is another.
    case changed
    /// The signature is empty.
    case empty
    /// The signature is two numbers without DER.
    case notDER
    /// A byte follows the signature.
    case trailingByte
    /// Both numbers of the signature are zero.
    case zeroNumbers
    /// The numbers of the signature stand in the other order.
    case swappedNumbers

    /// What a verifier must say.
    public var rejection: RejectionCode {
        .signatureInvalid
    }

    /// A signature in the place of the device's.
    func signature(of device: SimulatedDevice, nonce: Nonce) -> [UInt8] {
        let key = device.key
        let (r, s) = key.signature(for: nonce.bytes, hash: .sha256)
        let honest = DER.sequence(DER.integer(r), DER.integer(s))
        switch self {
        case .otherKey: return device.otherKey.encodedSignature(nonce.bytes, hash: .sha256)
        case .hashedOnce:
            // The message whose one hash is the nonce.
            return key.encodedSignature(
                nonce.authenticatorData + nonce.clientDataHash, hash: .sha256)
        case .otherClientData:
            return key.encodedSignature(nonce.withOtherClientData.bytes, hash: .sha256)
        case .authenticatorDataChanged:
            return key.encodedSignature(nonce.withOtherAuthenticatorData.bytes, hash: .sha256)
        case .changed:
            var changed = honest
            changed.flipLastBit()
            return changed
        case .empty: return []
        case .notDER: return r + s
        case .trailingByte: return honest + [0x00]
        case .zeroNumbers: return DER.sequence(DER.integer(0), DER.integer(0))
        case .swappedNumbers: return DER.sequence(DER.integer(s), DER.integer(r))
        }
    }
}
