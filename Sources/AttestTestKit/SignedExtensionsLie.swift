public import AppAttest

/// Ways to break the signed extensions of authenticator data; nonce and signature are made over
/// the broken ones.
///
/// Each must be refused with `malformed_auth_data`, in attestations as in assertions.
public enum SignedExtensionsLie: String, Hashable, Sendable, CaseIterable {
    /// The flag announces extensions, and nothing follows.
    case announcedButAbsent
    /// Text stands in the place of the map.
    case notAMap
    /// A byte follows the map.
    case trailingByte
    /// The map lacks its last byte.
    case truncated
    /// A key stands there twice.
    case repeatedKey
    /// The map has no length, but an end mark.
    case indefiniteMap
    /// The validation category has 3 bytes.
    case categoryTooShort
    /// The validation category has 5 bytes.
    case categoryTooLong
    /// The validation category is text.
    case categoryNotANumber
    /// The bundle version is a byte string.
    case bundleVersionNotText
    /// The code directory hash is text.
    case codeDirectoryHashNotBytes

    /// What a verifier must say.
    public var rejection: RejectionCode {
        .malformedAuthData
    }

    /// Changes authenticator data, whatever extensions it had before.
    func apply(to draft: inout AuthenticatorDataDraft) {
        draft.flags |= AuthenticatorDataDraft.extensionsFlag
        draft.signedExtensions = encoded
    }

    private var encoded: [UInt8] {
        let version = (key: SignedExtensions.bundleVersionKey, value: CBOR.text("1314"))
        let category = (
            key: SignedExtensions.validationCategoryKey, value: CBOR.bytes([3, 0, 0, 0])
        )
        let honest = CBOR.map([version, category]).encoded
        return switch self {
        case .announcedButAbsent: []
        case .notAMap: CBOR.text("extensions").encoded
        case .trailingByte: honest + [0x00]
        case .truncated: honest.dropLast()
        case .repeatedKey: CBOR.map([version, category, version]).encoded
        case .indefiniteMap: [0xBF] + honest.dropFirst() + [0xFF]
        case .categoryTooShort: CBOR.map([version, (category.key, .bytes([3, 0, 0]))]).encoded
        case .categoryTooLong:
            CBOR.map([version, (category.key, .bytes([3, 0, 0, 0, 0]))]).encoded
        case .categoryNotANumber: CBOR.map([version, (category.key, .text("3"))]).encoded
        case .bundleVersionNotText:
            CBOR.map([(version.key, .bytes(Array("1314".utf8))), category]).encoded
        case .codeDirectoryHashNotBytes:
            CBOR.map([(SignedExtensions.codeDirectoryHashKey, .text("hash")), category]).encoded
        }
    }
}
