public import AppAttest

/// One thing that is wrong with an assertion while everything else is right.
///
/// Whatever the lie is about, all that depends on it is hashed and signed anew, so that exactly
/// the check of its name refuses the object. ``rejection`` tells what a verifier must say. For a
/// replay ask ``SimulatedDevice/assert(clientDataHash:signCount:lie:)`` for the sign count.
///
/// | group | what lies |
/// | --- | --- |
/// | ``EncodingLie`` | the CBOR of the object |
/// | ``AssertionStructureLie`` | which parts there are, and of which type |
/// | ``SignatureLie`` | the signature |
/// | ``AssertedDataLie`` | app and layout of authenticator data |
/// | ``SignedExtensionsLie`` | the extensions of OS 27 |
public enum AssertionLie: Hashable, Sendable, CaseIterable {
    /// The encoding is broken.
    case encoding(EncodingLie)
    /// A part is missing or is of another type.
    case structure(AssertionStructureLie)
    /// The signature is not the key's.
    case signature(SignatureLie)
    /// Authenticator data says something else.
    case assertedData(AssertedDataLie)
    /// The signed extensions are broken.
    case signedExtensions(SignedExtensionsLie)

    /// Every lie of every group.
    public static var allCases: [AssertionLie] {
        EncodingLie.allCases.map(Self.encoding)
            + AssertionStructureLie.allCases.map(Self.structure)
            + SignatureLie.allCases.map(Self.signature)
            + AssertedDataLie.allCases.map(Self.assertedData)
            + SignedExtensionsLie.allCases.map(Self.signedExtensions)
    }

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .encoding(let lie): lie.rejection
        case .structure(let lie): lie.rejection
        case .signature(let lie): lie.rejection
        case .assertedData(let lie): lie.rejection
        case .signedExtensions(let lie): lie.rejection
        }
    }
}

extension AssertionLie: CustomStringConvertible {
    /// Group and name, with a dot between them.
    public var description: String {
        switch self {
        case .encoding(let lie): "encoding.\(lie.rawValue)"
        case .structure(let lie): "structure.\(lie.rawValue)"
        case .signature(let lie): "signature.\(lie.rawValue)"
        case .assertedData(let lie): "assertedData.\(lie.rawValue)"
        case .signedExtensions(let lie): "signedExtensions.\(lie.rawValue)"
        }
    }
}
