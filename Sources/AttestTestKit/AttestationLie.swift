public import AppAttest

/// One thing that is wrong with an attestation while everything else is right.
///
/// Whatever the lie is about, all that depends on it is hashed and signed anew, so that exactly
/// the check of its name refuses the object. ``rejection`` tells what a verifier must say.
///
/// | group | what lies |
/// | --- | --- |
/// | ``EncodingLie`` | the CBOR of the object |
/// | ``AttestationStructureLie`` | which parts there are, and of which type |
/// | ``ChainLie`` | signatures, names, constraints and validity of the certificates |
/// | ``CredentialCertificateLie`` | key, nonce, app and access control in the certificate |
/// | ``AttestedDataLie`` | app, sign count, environment and key id |
/// | ``COSEKeyLie`` | the key in authenticator data |
/// | ``SignedExtensionsLie`` | the extensions of OS 27 |
public enum AttestationLie: Hashable, Sendable, CaseIterable {
    /// The encoding is broken.
    case encoding(EncodingLie)
    /// A part is missing or is of another type.
    case structure(AttestationStructureLie)
    /// The chain does not hold.
    case chain(ChainLie)
    /// The credential certificate says something else.
    case certificate(CredentialCertificateLie)
    /// Authenticator data says something else.
    case attestedData(AttestedDataLie)
    /// The COSE key says something else.
    case coseKey(COSEKeyLie)
    /// The signed extensions are broken.
    case signedExtensions(SignedExtensionsLie)

    /// Every lie of every group.
    public static var allCases: [AttestationLie] {
        EncodingLie.allCases.map(Self.encoding)
            + AttestationStructureLie.allCases.map(Self.structure)
            + ChainLie.allCases.map(Self.chain)
            + CredentialCertificateLie.allCases.map(Self.certificate)
            + AttestedDataLie.allCases.map(Self.attestedData)
            + COSEKeyLie.allCases.map(Self.coseKey)
            + SignedExtensionsLie.allCases.map(Self.signedExtensions)
    }

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .encoding(let lie): lie.rejection
        case .structure(let lie): lie.rejection
        case .chain(let lie): lie.rejection
        case .certificate(let lie): lie.rejection
        case .attestedData(let lie): lie.rejection
        case .coseKey(let lie): lie.rejection
        case .signedExtensions(let lie): lie.rejection
        }
    }
}

extension AttestationLie: CustomStringConvertible {
    /// Group and name, with a dot between them.
    public var description: String {
        switch self {
        case .encoding(let lie): "encoding.\(lie.rawValue)"
        case .structure(let lie): "structure.\(lie.rawValue)"
        case .chain(let lie): "chain.\(lie.rawValue)"
        case .certificate(let lie): "certificate.\(lie.rawValue)"
        case .attestedData(let lie): "attestedData.\(lie.rawValue)"
        case .coseKey(let lie): "coseKey.\(lie.rawValue)"
        case .signedExtensions(let lie): "signedExtensions.\(lie.rawValue)"
        }
    }
}
