public import AppAttest
import LibCrypto

/// Ways in which a receipt is not signed by Apple; what it says is right.
///
/// | lies | a verifier must say |
/// | --- | --- |
/// | ``none`` | `receipt_missing` |
/// | ``contentChanged`` to ``signedAttributes`` | `receipt_signature` |
/// | ``otherRoot`` to ``signerCannotSign`` | `receipt_chain` |
/// | ``truncated`` to ``noCertificates`` | `receipt_malformed` |
public enum ReceiptSignatureLie: String, Hashable, Sendable, CaseIterable {
    /// There is no receipt: zero bytes.
    case none
    /// The last bit of the content is changed afterwards.
    case contentChanged
    /// Another key signs than that of the signer's certificate.
    case otherKey
    /// The signer's certificate is not there.
    case signerMissing
    /// Attributes are signed, but the signature is on the content, as with receipts of 2020.
    case signedAttributes
    /// Everything is right, but under another root of the same name.
    case otherRoot
    /// The intermediate is not there.
    case noIntermediate
    /// The signer's certificate expired a day before the creation time.
    case signerExpired
    /// The signer's certificate becomes valid a day after the creation time.
    case signerNotYetValid
    /// A bit of the signature on the signer's certificate is another.
    case signerForged
    /// The root issued the signer's certificate itself, past the intermediate.
    case signerOfRoot
    /// The signer's certificate has no mark for receipts.
    case signerUnmarked
    /// The signer's certificate has the mark twice.
    case signerMarkedTwice
    /// The signer's key usage lacks digitalSignature.
    case signerCannotSign
    /// The last byte is missing.
    case truncated
    /// A byte follows the receipt.
    case trailingByte
    /// It is CMS of another kind than signed data.
    case notSignedData
    /// The content is said to be signed data itself, not plain bytes.
    case otherContentType
    /// The content lies elsewhere: only the signature is there.
    case detached
    /// Two signers stand there, both the same.
    case twoSigners
    /// Nobody signs.
    case noSigner
    /// The digest is SHA-1.
    case weakDigest
    /// No certificate at all is there.
    case noCertificates

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .none: .receiptMissing
        case .contentChanged, .otherKey, .signerMissing, .signedAttributes: .receiptSignature
        case .otherRoot, .noIntermediate, .signerExpired, .signerNotYetValid, .signerForged,
            .signerOfRoot, .signerUnmarked, .signerMarkedTwice, .signerCannotSign:
            .receiptChain
        case .truncated, .trailingByte, .notSignedData, .otherContentType, .detached, .twoSigners,
            .noSigner, .weakDigest, .noCertificates:
            .receiptMalformed
        }
    }

    /// Changes who signs, before the content is signed.
    func apply(to signer: inout ReceiptSigner, of authority: ReceiptAuthority, at instant: Instant)
    {
        switch self {
        case .otherKey: signer.key = authority.otherKey
        case .signerMissing: signer.certificates.removeFirst()
        case .noIntermediate: signer.certificates.remove(at: 1)
        case .noCertificates: signer.certificates = []
        case .otherRoot: signer = authority.twin.signer(at: instant)
        case .signerExpired:
            authority.reissue(&signer) { $0.notAfter = instant.adding(days: -1) }
        case .signerNotYetValid:
            authority.reissue(&signer) { $0.notBefore = instant.adding(days: 1) }
        case .signerForged: signer.certificates[0].flipLastBit()
        case .signerOfRoot: authority.reissueByRoot(&signer)
        case .signerUnmarked:
            authority.reissue(&signer) { $0.remove(ObjectIdentifiers.receiptSigner) }
        case .signerMarkedTwice:
            authority.reissue(&signer) {
                $0.extensions.append(
                    CertificateExtension(ObjectIdentifiers.receiptSigner, DER.null))
            }
        case .signerCannotSign:
            authority.reissue(&signer) { $0.replace(.signsCertificates) }
        case .none, .contentChanged, .signedAttributes, .truncated, .trailingByte, .notSignedData,
            .otherContentType, .detached, .twoSigners, .noSigner, .weakDigest:
            break
        }
    }

    /// Changes the signed data.
    func apply(to message: inout ReceiptSigner.Message) {
        switch self {
        case .contentChanged: message.content?.flipLastBit()
        case .signedAttributes: message.hasSignedAttributes = true
        case .notSignedData: message.type = ObjectIdentifiers.data
        case .otherContentType: message.contentType = ObjectIdentifiers.signedData
        case .detached: message.content = nil
        case .twoSigners: message.signerCount = 2
        case .noSigner: message.signerCount = 0
        case .weakDigest: message.digest = ObjectIdentifiers.sha1
        case .none, .otherKey, .signerMissing, .otherRoot, .noIntermediate, .signerExpired,
            .signerNotYetValid, .signerForged, .signerOfRoot, .signerUnmarked, .signerMarkedTwice,
            .signerCannotSign, .truncated, .trailingByte, .noCertificates:
            break
        }
    }

    /// Changes the receipt.
    func apply(to receipt: inout [UInt8]) {
        switch self {
        case .none: receipt = []
        case .truncated: receipt.removeLast()
        case .trailingByte: receipt.append(0x00)
        default: break
        }
    }
}
