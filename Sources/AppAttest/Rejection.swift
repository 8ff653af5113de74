public import LibCrypto

/// Why an object is refused: one case a fact.
///
/// The first failing step is the answer. ``code`` is the stable text for the wire; a rejection's
/// description is that code and facts that hold no byte of the object, so it is safe to log.
public enum Rejection: Error, Hashable, Sendable {
    /// Not one CBOR item of the strict subset, or too large.
    case malformedCBOR(CBORFault)
    /// The attestation's format is another one.
    case wrongFormat
    /// A part of the attestation object is not as it must be.
    case malformedAttestation(AttestationFault)
    /// The certificates do not chain to the app's trust anchor.
    case chainInvalid(ChainFault)
    /// A certificate's validity had ended.
    case certificateExpired(CertificatePosition)
    /// A certificate's validity had not begun.
    case certificateNotYetValid(CertificatePosition)
    /// The credential certificate's key is not an uncompressed P-256 point.
    case leafKeyNotP256
    /// The credential certificate has no nonce extension.
    case nonceMissing
    /// The nonce extension occurs so many times, or once but not as the exact DER of 38 bytes.
    case nonceMalformed(occurrences: Int)
    /// The nonce is not SHA-256 of authenticator data and client data hash.
    case nonceMismatch
    /// The key id is not SHA-256 of the credential certificate's key.
    case keyIDMismatch
    /// The authenticator data is not as it must be.
    case malformedAuthData(AuthenticatorDataFault)
    /// The relying party id hash is none of the allowed apps'.
    case appIDMismatch(found: RelyingPartyIDHash)
    /// An attestation's sign count is not 0.
    case counterNotZero(UInt32)
    /// The AAGUID is neither of Apple's two.
    case unknownAAGUID
    /// The app does not allow keys of this environment.
    case environmentMismatch(found: AttestationEnvironment)
    /// The credential id is not the key id.
    case credentialIDMismatch
    /// The COSE key is not the credential certificate's key.
    case coseKeyMismatch
    /// The credential certificate names another app.
    case leafAppIDMismatch
    /// The key's access control is not Apple's constant for macOS.
    case aclMismatch
    /// A part of the assertion object is not as it must be.
    case malformedAssertion(AssertionFault)
    /// The signature does not verify with the key.
    case signatureInvalid
    /// The receipt is refused.
    case receiptInvalid(ReceiptFault)

    /// The stable code.
    public var code: RejectionCode {
        switch self {
        case .malformedCBOR: .malformedCBOR
        case .wrongFormat: .wrongFormat
        case .malformedAttestation: .malformedAttestation
        case .chainInvalid: .chainInvalid
        case .certificateExpired: .certificateExpired
        case .certificateNotYetValid: .certificateNotYetValid
        case .leafKeyNotP256: .leafKeyNotP256
        case .nonceMissing: .nonceMissing
        case .nonceMalformed: .nonceMalformed
        case .nonceMismatch: .nonceMismatch
        case .keyIDMismatch: .keyIDMismatch
        case .malformedAuthData: .malformedAuthData
        case .appIDMismatch: .appIDMismatch
        case .counterNotZero: .counterNotZero
        case .unknownAAGUID: .unknownAAGUID
        case .environmentMismatch: .environmentMismatch
        case .credentialIDMismatch: .credentialIDMismatch
        case .coseKeyMismatch: .coseKeyMismatch
        case .leafAppIDMismatch: .leafAppIDMismatch
        case .aclMismatch: .aclMismatch
        case .malformedAssertion: .malformedAssertion
        case .signatureInvalid: .signatureInvalid
        case .receiptInvalid(let fault): fault.code
        }
    }
}

extension Rejection: CustomStringConvertible {
    /// The code, and the facts where there are any; safe to log.
    public var description: String {
        guard let detail else { return code.rawValue }
        return "\(code.rawValue): \(detail)"
    }

    private var detail: String? {
        switch self {
        case .malformedCBOR(let fault): "\(fault)"
        case .malformedAttestation(let fault): "\(fault)"
        case .chainInvalid(let fault): "\(fault)"
        case .certificateExpired(let position), .certificateNotYetValid(let position):
            "\(position)"
        case .nonceMalformed(let occurrences): "\(occurrences) occurrences"
        case .malformedAuthData(let fault): "\(fault)"
        case .counterNotZero(let signCount): "\(signCount)"
        case .environmentMismatch(let found): "\(found)"
        case .malformedAssertion(let fault): "\(fault)"
        case .receiptInvalid(let fault): "\(fault)".isEmpty ? nil : "\(fault)"
        case .wrongFormat, .leafKeyNotP256, .nonceMissing, .nonceMismatch, .keyIDMismatch,
            .appIDMismatch, .unknownAAGUID, .credentialIDMismatch, .coseKeyMismatch,
            .leafAppIDMismatch, .aclMismatch, .signatureInvalid:
            nil
        }
    }
}
