public import AppAttest

/// Ways to leave out or to replace a part of an assertion object; the encoding is genuine.
///
/// Each must be refused with `malformed_assertion`.
public enum AssertionStructureLie: String, Hashable, Sendable, CaseIterable {
    /// The object is an array of its parts.
    case notAMap
    /// A further key is an integer.
    case integerKey
    /// `signature` is missing.
    case noSignature
    /// `signature` is text.
    case signatureNotBytes
    /// `authenticatorData` is missing.
    case noAuthenticatorData
    /// `authenticatorData` is text.
    case authenticatorDataNotBytes

    /// What a verifier must say.
    public var rejection: RejectionCode {
        .malformedAssertion
    }

    /// Encodes the parts of an object, of which signature and authenticator data are the last.
    func encode(_ entries: [(key: CBOR, value: CBOR)]) -> [UInt8] {
        var entries = entries
        let authenticatorDataPlace = entries.count - 1
        let signaturePlace = entries.count - 2
        switch self {
        case .notAMap: return CBOR.array(entries.map(\.value)).encoded
        case .integerKey: entries.append((.unsigned(1), .unsigned(2)))
        case .noSignature: entries.remove(at: signaturePlace)
        case .signatureNotBytes: entries[signaturePlace].value = .text("signature")
        case .noAuthenticatorData: entries.remove(at: authenticatorDataPlace)
        case .authenticatorDataNotBytes:
            entries[authenticatorDataPlace].value = .text("authenticator data")
        }
        return CBOR.map(entries).encoded
    }
}
