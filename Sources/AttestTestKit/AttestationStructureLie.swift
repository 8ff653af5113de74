public import AppAttest

/// Ways to leave out or to replace a part of an attestation object; the encoding is genuine.
///
/// Each must be refused with `malformed_attestation`, but for ``otherFormat``: `wrong_format`.
public enum AttestationStructureLie: String, Hashable, Sendable, CaseIterable {
    /// The object is an array of its parts.
    case notAMap
    /// A further key is an integer.
    case integerKey
    /// A further key of `attStmt` is an integer.
    case integerKeyInStatement
    /// `fmt` is `packed`.
    case otherFormat
    /// `fmt` is missing.
    case noFormat
    /// `fmt` is a byte string.
    case formatNotText
    /// `attStmt` is missing.
    case noStatement
    /// `attStmt` is an array.
    case statementNotAMap
    /// `x5c` is missing.
    case noCertificates
    /// `x5c` is one byte string.
    case certificatesNotAnArray
    /// `x5c` has no entry.
    case zeroCertificates
    /// `x5c` has the credential certificate alone.
    case oneCertificate
    /// `x5c` has the root as well.
    case threeCertificates
    /// The second entry of `x5c` is text.
    case certificateNotBytes
    /// `receipt` is text.
    case receiptNotBytes
    /// `authData` is missing.
    case noAuthenticatorData
    /// `authData` is text.
    case authenticatorDataNotBytes

    /// What a verifier must say.
    public var rejection: RejectionCode {
        self == .otherFormat ? .wrongFormat : .malformedAttestation
    }

    /// Changes the parts of an object.
    func apply(to parts: inout AttestationParts, root: [UInt8]) {
        switch self {
        case .notAMap: parts.isArray = true
        case .integerKey: parts.further.append((.unsigned(1), .unsigned(2)))
        case .integerKeyInStatement: parts.furtherInStatement.append((.unsigned(1), .unsigned(2)))
        case .otherFormat: parts.format = .text("packed")
        case .noFormat: parts.format = nil
        case .formatNotText: parts.format = .bytes(Array("apple-appattest".utf8))
        case .noStatement: parts.hasStatement = false
        case .statementNotAMap: parts.isStatementArray = true
        case .noCertificates: parts.certificates = nil
        case .certificatesNotAnArray: parts.isSingleCertificate = true
        case .zeroCertificates: parts.certificates = []
        case .oneCertificate: parts.certificates?.removeLast()
        case .threeCertificates: parts.certificates?.append(.bytes(root))
        case .certificateNotBytes:
            parts.certificates?.removeLast()
            parts.certificates?.append(.text("certificate"))
        case .receiptNotBytes: parts.receipt = .text("receipt")
        case .noAuthenticatorData: parts.authenticatorData = nil
        case .authenticatorDataNotBytes: parts.authenticatorData = .text("authenticator data")
        }
    }
}
