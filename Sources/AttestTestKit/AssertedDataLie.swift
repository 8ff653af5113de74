public import AppAttest
import LibCrypto

/// Ways to lie in an assertion's authenticator data; the signature is made over the lie.
///
/// Each must be refused with `malformed_auth_data`, but for ``otherApp``: `app_id_mismatch`.
public enum AssertedDataLie: String, Hashable, Sendable, CaseIterable {
    /// A genuine assertion of another app's.
    case otherApp
    /// No authenticator data.
    case empty
    /// The head lacks its last byte.
    case cutInHead
    /// The attested credential of an attestation follows the head.
    case attestedCredential

    /// What a verifier must say.
    public var rejection: RejectionCode {
        self == .otherApp ? .appIDMismatch : .malformedAuthData
    }

    /// Changes authenticator data.
    func apply(to draft: inout AuthenticatorDataDraft, of device: SimulatedDevice) {
        switch self {
        case .otherApp:
            draft.relyingPartyIDHash =
                RelyingPartyIDHash(appID: device.otherAppID).digest.bytes
        case .empty: draft.byteCountMax = 0
        case .cutInHead: draft.byteCountMax = 36
        case .attestedCredential:
            draft.attestedCredential = AuthenticatorDataDraft.AttestedCredential(of: device)
        }
    }
}
