public import LibCrypto

/// What is wrong with an attestation object's structure.
public enum AttestationFault: Error, Hashable, Sendable {
    /// A part of the object.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// `fmt`, text.
        case format = "fmt"
        /// `attStmt`, a map.
        case statement = "attStmt"
        /// `attStmt.x5c`, an array of byte strings.
        case certificates = "x5c"
        /// `attStmt.receipt`, a byte string.
        case receipt
        /// `authData`, a byte string.
        case authenticatorData = "authData"
    }

    /// The object is not a map with text keys.
    case notAMap
    /// A part is missing.
    case missing(Part)
    /// A part is of another type, or is a map with a key that is no text.
    case wrongType(Part)
    /// There are not exactly two certificates.
    case certificateCount(Int)
}

/// What is wrong with an assertion object's structure.
public enum AssertionFault: Error, Hashable, Sendable {
    /// A part of the object.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// `signature`, a byte string.
        case signature
        /// `authenticatorData`, a byte string.
        case authenticatorData
    }

    /// The object is not a map with text keys.
    case notAMap
    /// A part is missing.
    case missing(Part)
    /// A part is of another type.
    case wrongType(Part)
}

/// What is wrong with authenticator data.
public enum AuthenticatorDataFault: Error, Hashable, Sendable {
    /// The bytes end before a fixed part does.
    case truncated
    /// The COSE key is not a CBOR map of the strict subset.
    case key(CBORFault?)
    /// What follows is not exactly one CBOR map of the strict subset.
    case extensions(CBORFault?)
    /// The extension map has a key that is no text.
    case extensionKeyType
    /// The flag ED is set and no extensions follow.
    case extensionsMissing
    /// A known extension has another type or size than it must have.
    case extensionValue(SignedExtensions.Name)
}

/// Why a certificate chain is refused, other than by its validity.
public enum ChainFault: Hashable, Sendable {
    /// A certificate can't be read, or has bytes after it.
    case unreadable(CertificatePosition)
    /// libcrypto refuses the chain.
    case refused(ChainFailure)
    /// The chain ends at an anchor that this app does not trust.
    case anchorOfAnotherApp
    /// No app is configured, so no anchor is trusted.
    case noAnchor
}
