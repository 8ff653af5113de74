public import LibCrypto

/// Why a receipt is refused.
public enum ReceiptFault: Error, Hashable, Sendable {
    /// There is none: no bytes.
    case missing
    /// It is no signed data that could be judged.
    case notSignedData(SignedMessageFault)
    /// Its content is not as it must be.
    case malformed(ReceiptContentFault)
    /// The signature on the content does not verify.
    case signatureInvalid
    /// The signer's certificate does not chain to the trust anchor at the creation time.
    case chainInvalid(ChainFault)
    /// The signer's certificate is none for receipts: the marker or the key usage is not there.
    case signerNotForReceipts
    /// It is of the other type.
    case typeMismatch(found: Receipt.Kind)
    /// It is for another app.
    case appIDMismatch
    /// It is for another key, or repeats another certificate than the attestation's.
    case publicKeyMismatch
    /// It repeats another client data hash than the attestation's, or none.
    case clientDataHashMismatch
    /// It is of the other environment.
    case environmentMismatch(found: AttestationEnvironment)
    /// It was created after the instant.
    case fromTheFuture
    /// It was created too long before the instant.
    case tooOld
    /// Its expiration time is not after the instant.
    case expired

    /// The stable code.
    public var code: RejectionCode {
        switch self {
        case .missing: .receiptMissing
        case .notSignedData, .malformed: .receiptMalformed
        case .signatureInvalid: .receiptSignature
        case .chainInvalid, .signerNotForReceipts: .receiptChain
        case .typeMismatch: .receiptType
        case .appIDMismatch: .receiptAppID
        case .publicKeyMismatch: .receiptPublicKey
        case .clientDataHashMismatch: .receiptClientHash
        case .environmentMismatch: .receiptEnvironment
        case .fromTheFuture: .receiptFromTheFuture
        case .tooOld: .receiptTooOld
        case .expired: .receiptExpired
        }
    }
}

extension ReceiptFault: CustomStringConvertible {
    /// A few words without a byte of the receipt; empty where the code says all.
    public var description: String {
        switch self {
        case .notSignedData(let fault): "\(fault)"
        case .malformed(let fault): "\(fault)"
        case .chainInvalid(let fault): "\(fault)"
        case .signerNotForReceipts: "the signer's certificate is not for receipts"
        case .typeMismatch(let found): "\(found.rawValue)"
        case .environmentMismatch(let found): "\(found)"
        case .missing, .signatureInvalid, .appIDMismatch, .publicKeyMismatch,
            .clientDataHashMismatch, .fromTheFuture, .tooOld, .expired:
            ""
        }
    }
}

/// What is wrong with a receipt's content.
public enum ReceiptContentFault: Error, Hashable, Sendable {
    /// Not one SET of SEQUENCEs of type, version and value in DER, or bytes after it.
    case notDER
    /// More fields than ``Receipt/fieldCountMax``.
    case tooManyFields
    /// A field occurs twice.
    case duplicate(type: UInt32)
    /// A field that every receipt has is missing.
    case missing(Receipt.Field)
    /// A field has another version than 1, so its value may mean something else.
    case version(Receipt.Field)
    /// A field's value is not of its form, or too long.
    case value(Receipt.Field)
}

extension ReceiptContentFault: CustomStringConvertible {
    /// A few words without a byte of the receipt.
    public var description: String {
        switch self {
        case .notDER: "the content is no set of fields"
        case .tooManyFields: "too many fields"
        case .duplicate(let type): "field \(type) occurs twice"
        case .missing(let field): "\(field) is missing"
        case .version(let field): "\(field) has another version"
        case .value(let field): "\(field) is not of its form"
        }
    }
}
