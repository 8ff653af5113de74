internal import CCrypto
internal import CCryptoShims

/// CMS signed data (RFC 5652, 5) with one signer, whose signature on the content was verified.
///
/// Who the signer is, is not known by that: the certificate came with the message, and its chain is
/// for the caller to verify (``CertificateChain``). Nothing is trusted here, nothing is looked up
/// in a file, a folder or on the network.
public struct SignedMessage: Sendable {
    /// The most bytes of a message; Apple's receipts have up to 4.0 KB.
    public static let byteCountMax = 16 * 1024
    /// The most certificates in a message; Apple's receipts have three.
    public static let certificateCountMax = 8

    /// The content: the bytes that were hashed for the signature, chunks joined.
    public let content: [UInt8]
    /// The signer's certificate, not verified: the object with whose key the signature verified.
    public let signer: Certificate
    /// The message's other certificates, in their order, not verified.
    public let otherCertificates: [Certificate]

    /// Reads a message and verifies its one signature on the content.
    ///
    /// Source: CMS_verify(3). BER is taken as DER is: indefinite lengths and a content in chunks.
    /// With signed attributes the signature is over them, and they must hold the content's digest
    /// (RFC 5652, 5.4).
    ///
    /// - Parameter bytes: one ContentInfo, up to ``byteCountMax`` bytes.
    /// - Throws: what is wrong with it.
    public init(verifyingSignatureOf bytes: [UInt8]) throws(SignedMessageFault) {
        defer { OpenSSLErrorQueue.clear() }
        guard bytes.count <= Self.byteCountMax else { throw .tooLarge(byteCount: bytes.count) }
        guard let message = SignedMessageHandle(bytes) else { throw .unreadable }
        guard message.isPlainSignedData else { throw .notSignedData }
        let certificates = try message.certificates()
        let signerInfo = try message.onlySigner()
        guard message.digestIsAllowed(signerInfo) else { throw .digestNotAllowed }
        guard let content = message.verifiedContent(byteCountMax: bytes.count),
            let handle = message.certificate(of: signerInfo),
            let place = certificates.firstIndex(where: { $0.handle == handle })
        else { throw .signatureInvalid }
        self.content = content
        signer = certificates[place]
        otherCertificates = certificates.indices.filter { $0 != place }.map { certificates[$0] }
    }
}

/// A CMS_ContentInfo.
private struct SignedMessageHandle: ~Copyable {
    /// The CMS_ContentInfo, owned by this value.
    private let handle: OpaquePointer

    /// Nil when the bytes are not exactly one.
    init?(_ bytes: [UInt8]) {
        let handle = bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress else { return nil }
            var position: UnsafePointer<UInt8>? = start
            guard let handle = d2i_CMS_ContentInfo(nil, &position, bytes.count) else { return nil }
            guard position == start + bytes.count else {
                CMS_ContentInfo_free(handle)
                return nil
            }
            return handle
        }
        guard let handle else { return nil }
        self.handle = handle
    }

    deinit {
        CMS_ContentInfo_free(handle)
    }

    /// Whether it is signed data whose content is here and has the type id-data.
    var isPlainSignedData: Bool {
        // Both objects belong to the message; without content the second is of no use.
        guard let type = CMS_get0_type(handle), OBJ_obj2nid(type) == NID_pkcs7_signed,
            let contentType = CMS_get0_eContentType(handle),
            OBJ_obj2nid(contentType) == NID_pkcs7_data,
            let content = CMS_get0_content(handle)
        else { return false }
        return content.pointee != nil
    }

    /// The certificates in their order.
    borrowing func certificates() throws(SignedMessageFault) -> [Certificate] {
        guard let stack = CMS_get1_certs(handle) else { throw .certificateCount(0) }
        defer { attest_x509_stack_free(stack) }
        let count = attest_x509_stack_count(stack)
        // Each element is a reference that is ours; `Certificate` takes it over.
        let certificates = (0..<count).map { place in
            attest_x509_stack_value(stack, place).flatMap { Certificate(taking: $0) }
        }
        guard (1...SignedMessage.certificateCountMax).contains(certificates.count) else {
            throw .certificateCount(certificates.count)
        }
        let usable = certificates.compactMap(\.self)
        guard usable.count == certificates.count else { throw .certificateUnusable }
        return usable
    }

    /// The SignerInfo, which belongs to the message.
    borrowing func onlySigner() throws(SignedMessageFault) -> OpaquePointer {
        let signers = CMS_get0_SignerInfos(handle)
        let count = signers.map { Int(max(0, attest_cms_signer_count($0))) } ?? 0
        guard count == 1, let signer = attest_cms_signer_value(signers, 0) else {
            throw .signerCount(count)
        }
        return signer
    }

    /// Whether the signer's digest is of the SHA-2 family with 256 bits or more.
    borrowing func digestIsAllowed(_ signerInfo: OpaquePointer) -> Bool {
        var algorithm: UnsafeMutablePointer<X509_ALGOR>?
        CMS_SignerInfo_get0_algs(signerInfo, nil, nil, &algorithm, nil)
        var identifier: OpaquePointer?
        guard let algorithm else { return false }
        X509_ALGOR_get0(&identifier, nil, nil, algorithm)
        return [NID_sha256, NID_sha384, NID_sha512].contains(OBJ_obj2nid(identifier))
    }

    /// The content, when the signature on it verifies with the signer's certificate.
    ///
    /// The bytes are those that went through the digest, not read a second time.
    borrowing func verifiedContent(byteCountMax: Int) -> [UInt8]? {
        guard let output = BIO_new(BIO_s_mem()) else { preconditionFailure("out of memory") }
        defer { BIO_free(output) }
        // The chain is verified by the caller, at a moment that the content tells.
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        guard CMS_verify(handle, nil, nil, nil, output, flags) == 1 else { return nil }
        let count = BIO_ctrl_pending(output)
        guard count <= byteCountMax else { return nil }
        // Reading nothing would be reported as a failure.
        guard count > 0 else { return [] }
        var content = [UInt8](repeating: 0, count: count)
        guard BIO_read(output, &content, CInt(count)) == CInt(count) else { return nil }
        return content
    }

    /// The X509 with whose key the signature verified; it belongs to the message.
    borrowing func certificate(of signerInfo: OpaquePointer) -> OpaquePointer? {
        var certificate: OpaquePointer?
        CMS_SignerInfo_get0_algs(signerInfo, nil, &certificate, nil, nil)
        return certificate
    }
}
