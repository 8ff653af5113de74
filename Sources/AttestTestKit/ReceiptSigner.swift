import AppAttest
import LibCrypto

/// Who signs receipts for some time: a key with its certificate, and the certificates above it.
struct ReceiptSigner {
    /// The signer's certificate before it is signed.
    var draft: CertificateDraft
    var key: ECPrivateKey
    /// The signer's certificate, the intermediate and the root in DER, as receipts carry them.
    var certificates: [[UInt8]]

    /// Signed data before it is written: everything in it can be changed.
    struct Message {
        var type = ObjectIdentifiers.signedData
        var contentType = ObjectIdentifiers.data
        /// What is written as the content; nil leaves it out.
        var content: [UInt8]?
        var digest = ObjectIdentifiers.sha256
        var signerCount = 1
        /// Whether attributes stand there as signed; the signature is not on them.
        var hasSignedAttributes = false
    }

    /// Wraps content as receipts are: CMS signed data (RFC 5652, 5.1) in BER, whose signature
    /// covers the content itself and no attributes.
    ///
    /// - Parameters:
    ///   - content: what the signature is on.
    ///   - change: what is changed after it was signed.
    /// - Returns: the signed data.
    func sign(_ content: [UInt8], _ change: (inout Message) -> Void = { _ in }) -> [UInt8] {
        var message = Message(content: content)
        change(&message)
        let digest = DER.sequence(message.digest, DER.null)
        let attributes =
            message.hasSignedAttributes ? Self.signedAttributes(of: message, content) : []
        let signerInfo = DER.sequence(
            DER.integer(1),
            DER.sequence(draft.issuer, DER.integer(draft.serialNumber)),
            digest,
            attributes,
            DER.sequence(ObjectIdentifiers.ecdsaWithSHA256),
            DER.octetString(key.encodedSignature(content, hash: .sha256)))
        let string = message.content.map {
            BER.indefinite(tag: 0xA0, BER.octetString($0, chunkByteCount: Self.chunkByteCount))
        }
        let signedData = BER.indefinite(
            tag: 0x30,
            DER.integer(1),
            DER.set(digest),
            BER.indefinite(tag: 0x30, message.contentType, string ?? []),
            certificates.isEmpty ? [] : BER.indefinite(tag: 0xA0, Array(certificates.joined())),
            DER.set(
                Array([[UInt8]](repeating: signerInfo, count: message.signerCount).joined())))
        return BER.indefinite(tag: 0x30, message.type, BER.indefinite(tag: 0xA0, signedData))
    }

    /// Content type and message digest (RFC 5652, 11), as the receipts of 2020 had them.
    private static func signedAttributes(of message: Message, _ content: [UInt8]) -> [UInt8] {
        let digest = SHA256.hash(content).bytes
        return DER.element(
            tag: [0xA0],
            DER.sequence(ObjectIdentifiers.contentType, DER.set(message.contentType))
                + DER.sequence(
                    ObjectIdentifiers.messageDigest, DER.set(DER.octetString(digest))))
    }

    /// How many bytes of the content each of its chunks holds.
    private static let chunkByteCount = 1000
}
