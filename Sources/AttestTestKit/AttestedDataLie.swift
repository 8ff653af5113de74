public import AppAttest
import LibCrypto

/// Ways to lie about app, environment and key in an attestation's authenticator data, or in the
/// key id that goes with it; the nonce is made over the lie.
///
/// | lies | a verifier must say |
/// | --- | --- |
/// | ``keyIDOfOtherKey`` | `key_id_mismatch` |
/// | ``empty`` to ``cutInCOSEKey`` | `malformed_auth_data` |
/// | ``otherApp`` | `app_id_mismatch` |
/// | ``signCountOne``, ``signCountMax`` | `counter_not_zero` |
/// | ``sandboxAAGUID``, ``zeroAAGUID`` | `unknown_aaguid` |
/// | ``otherEnvironment`` | `environment_mismatch` |
/// | ``otherCredentialID`` to ``noCredentialID`` | `credential_id_mismatch` |
public enum AttestedDataLie: String, Hashable, Sendable, CaseIterable {
    /// The key id that is sent along is that of another key.
    case keyIDOfOtherKey
    /// No authenticator data.
    case empty
    /// The head lacks its last byte.
    case cutInHead
    /// Nothing follows the head.
    case noAttestedCredential
    /// The credential id lacks its last byte, and nothing follows.
    case cutInCredentialID
    /// The COSE key lacks its last byte.
    case cutInCOSEKey
    /// A genuine attestation of another app.
    case otherApp
    /// The sign count is 1.
    case signCountOne
    /// The sign count is the largest there is.
    case signCountMax
    /// The AAGUID is `appattestsandbox`, which one page of Apple's names.
    case sandboxAAGUID
    /// The AAGUID is zero.
    case zeroAAGUID
    /// The AAGUID is that of the environment which the device does not belong to.
    case otherEnvironment
    /// The credential id is that of another key.
    case otherCredentialID
    /// The credential id is the first 16 bytes of the genuine one.
    case shortCredentialID
    /// The credential id is the genuine one and a byte.
    case longCredentialID
    /// The credential id has no bytes.
    case noCredentialID

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .keyIDOfOtherKey: .keyIDMismatch
        case .empty, .cutInHead, .noAttestedCredential, .cutInCredentialID, .cutInCOSEKey:
            .malformedAuthData
        case .otherApp: .appIDMismatch
        case .signCountOne, .signCountMax: .counterNotZero
        case .sandboxAAGUID, .zeroAAGUID: .unknownAAGUID
        case .otherEnvironment: .environmentMismatch
        case .otherCredentialID, .shortCredentialID, .longCredentialID, .noCredentialID:
            .credentialIDMismatch
        }
    }

    /// Changes authenticator data; the first two lies are told elsewhere.
    func apply(to draft: inout AuthenticatorDataDraft, of device: SimulatedDevice) {
        let keyID = device.keyID.bytes
        switch self {
        case .keyIDOfOtherKey, .otherApp: break
        case .empty: draft.byteCountMax = 0
        case .cutInHead: draft.byteCountMax = 36
        case .noAttestedCredential: draft.byteCountMax = 37
        case .cutInCredentialID: draft.byteCountMax = 86
        case .cutInCOSEKey: draft.byteCountMax = 163
        case .signCountOne: draft.signCount = 1
        case .signCountMax: draft.signCount = .max
        case .sandboxAAGUID: draft.attestedCredential?.aaguid = Array("appattestsandbox".utf8)
        case .zeroAAGUID: draft.attestedCredential?.aaguid = [UInt8](repeating: 0, count: 16)
        case .otherEnvironment:
            draft.attestedCredential?.aaguid =
                (device.environment == .production
                ? AttestationEnvironment.development : .production).aaguid
        case .otherCredentialID:
            draft.attestedCredential?.credentialID = device.otherKeyID.bytes
        case .shortCredentialID: draft.attestedCredential?.credentialID = Array(keyID.prefix(16))
        case .longCredentialID: draft.attestedCredential?.credentialID = keyID + [0]
        case .noCredentialID: draft.attestedCredential?.credentialID = []
        }
    }
}
