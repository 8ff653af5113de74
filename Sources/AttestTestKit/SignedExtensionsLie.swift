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
    /// A further key is an integer.
    case integerKey
    /// The validation category has 3 bytes.
    case categoryTooShort
    /// The validation category has 5 bytes.
    case categoryTooLong
    /// The validation category is text.
    case categoryNotANumber
    /// The validation category is an integer of 33 bits.
    case categoryTooLarge
    /// The bundle version is a byte string.
    case bundleVersionNotText
    /// The bundle version has 1,000 characters.
    case bundleVersionTooLong
    /// The bundle version has a NUL in it.
    case bundleVersionWithNUL
    /// The code directory hash is text.
    case codeDirectoryHashNotBytes
    /// The code directory hash has 1,000 bytes.
    case codeDirectoryHashTooLong
    /// The type of the code directory hash has 2 bytes.
    case codeDirectoryHashTypeTooLong

    /// What a verifier must say.
    public var rejection: RejectionCode {
        .malformedAuthData
    }

    /// Changes authenticator data, whatever extensions it had before.
    func apply(to draft: inout AuthenticatorDataDraft) {
        draft.flags |= AuthenticatorDataDraft.extensionsFlag
        draft.signedExtensions = encoded
    }

    /// What stands in the place of the map.
    private var encoded: [UInt8] {
        let honest = map(version, category)
        return switch self {
        case .announcedButAbsent: []
        case .notAMap: CBOR.text("extensions").encoded
        case .trailingByte: honest + [0x00]
        case .truncated: honest.dropLast()
        case .repeatedKey: map(version, category, version)
        case .indefiniteMap: [0xBF] + honest.dropFirst() + [0xFF]
        case .integerKey: map(version, category, (.unsigned(1), .unsigned(2)))
        case .categoryTooShort: map(version, (category.key, .bytes([3, 0, 0])))
        case .categoryTooLong: map(version, (category.key, .bytes([3, 0, 0, 0, 0])))
        case .categoryNotANumber: map(version, (category.key, .text("3")))
        case .categoryTooLarge: map(version, (category.key, .unsigned(1 << 32)))
        case .bundleVersionNotText: map((version.key, .bytes(Array("1314".utf8))), category)
        case .bundleVersionTooLong:
            map((version.key, .text(String(repeating: "1", count: 1000))), category)
        case .bundleVersionWithNUL: map((version.key, .text("1\u{0}314")), category)
        case .codeDirectoryHashNotBytes:
            map((SignedExtensions.codeDirectoryHashKey, .text("hash")), category)
        case .codeDirectoryHashTooLong:
            map(
                (
                    SignedExtensions.codeDirectoryHashKey,
                    .bytes([UInt8](repeating: 7, count: 1000))
                ), category)
        case .codeDirectoryHashTypeTooLong:
            map((SignedExtensions.codeDirectoryHashTypeKey, .bytes([2, 0])), category)
        }
    }

    private var version: (key: CBOR, value: CBOR) {
        (SignedExtensions.bundleVersionKey, .text("1314"))
    }

    private var category: (key: CBOR, value: CBOR) {
        (SignedExtensions.validationCategoryKey, .bytes([3, 0, 0, 0]))
    }

    private func map(_ entries: (key: CBOR, value: CBOR)...) -> [UInt8] {
        CBOR.map(entries).encoded
    }
}
