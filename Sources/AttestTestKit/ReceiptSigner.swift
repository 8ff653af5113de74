import AppAttest
import LibCrypto

/// Who signs receipts for some time: a key with its certificate, and the certificates above it.
struct ReceiptSigner {
    /// The signer's certificate before it is signed.
    var draft: CertificateDraft
    var key: ECPrivateKey
    /// The signer's certificate, the intermediate and the root in DER, as receipts carry them.
    var certificates: [[UInt8]]

    /// Wraps content as receipts are: CMS signed data (RFC 5652, 5.1) in BER, whose signature
    /// covers the content itself and no attributes.
    func sign(_ content: [UInt8]) -> [UInt8] {
        let sha256 = DER.sequence(ObjectIdentifiers.sha256, DER.null)
        let signerInfo = DER.sequence(
            DER.integer(1),
            DER.sequence(draft.issuer, DER.integer(draft.serialNumber)),
            sha256,
            DER.sequence(ObjectIdentifiers.ecdsaWithSHA256),
            DER.octetString(key.encodedSignature(content, hash: .sha256)))
        let string = BER.octetString(content, chunkByteCount: Self.chunkByteCount)
        let signedData = BER.indefinite(
            tag: 0x30,
            DER.integer(1),
            DER.set(sha256),
            BER.indefinite(tag: 0x30, ObjectIdentifiers.data, BER.indefinite(tag: 0xA0, string)),
            BER.indefinite(tag: 0xA0, Array(certificates.joined())),
            DER.set(signerInfo))
        return BER.indefinite(
            tag: 0x30, ObjectIdentifiers.signedData, BER.indefinite(tag: 0xA0, signedData))
    }

    /// How many bytes of the content each of its chunks holds.
    private static let chunkByteCount = 1000
}
