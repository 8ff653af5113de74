/// Why signed data is refused.
public enum SignedMessageFault: Error, Hashable, Sendable {
    /// More bytes than ``SignedMessage/byteCountMax``.
    case tooLarge(byteCount: Int)
    /// Not one CMS structure, or bytes after it.
    case unreadable
    /// Another kind of CMS, without content, or with content of another type than plain bytes.
    case notSignedData
    /// No certificate, or more than ``SignedMessage/certificateCountMax``.
    case certificateCount(Int)
    /// A certificate that is too large, has too many extensions or a validity that is no time.
    case certificateUnusable
    /// Not exactly one signer.
    case signerCount(Int)
    /// The signer's digest is none of SHA-256, SHA-384 and SHA-512.
    case digestNotAllowed
    /// The signature does not verify, or its signer's certificate is not there.
    case signatureInvalid
}

extension SignedMessageFault: CustomStringConvertible {
    /// A few words without a byte of the message.
    public var description: String {
        switch self {
        case .tooLarge(let byteCount): "\(byteCount) bytes"
        case .unreadable: "not one CMS structure"
        case .notSignedData: "no signed data with plain content"
        case .certificateCount(let count): "\(count) certificates"
        case .certificateUnusable: "a certificate can't be used"
        case .signerCount(let count): "\(count) signers"
        case .digestNotAllowed: "the digest is not of the SHA-2 family"
        case .signatureInvalid: "the signature does not verify"
        }
    }
}
