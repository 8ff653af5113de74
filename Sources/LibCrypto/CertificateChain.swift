internal import CCrypto
internal import CCryptoShims

// The chain is always leaf, intermediate, anchor. There are two ways to verify it and they differ
// in one thing: whether the anchor's signature on the intermediate is computed again.
//
// Both run `X509_verify_cert` with the same parameters, so building, names, basic constraints, path
// length, key usage, critical extensions and name constraints are libcrypto's in both. Its last
// step, signatures and validity, can be replaced (X509_STORE_CTX_set_verify). The second way puts
// `verifyBelowVouchedIntermediate` there: the same comparisons in the same order, root first, but
// for that one signature. A P-384 verification costs about a millisecond, and the intermediate is
// the same for every device.

/// Verification of a credential certificate's chain to a trust anchor.
public enum CertificateChain {
    /// The number of certificates in a chain: leaf, intermediate, anchor.
    public static let certificateCount = 3

    /// The security level below which keys and signature digests are refused: 112 bits.
    ///
    /// Source: X509_VERIFY_PARAM_set_auth_level(3). SHA-1 and keys such as RSA 1024 fail it.
    static let securityLevel: CInt = 2

    /// Verifies leaf ← intermediate ← anchor whole.
    ///
    /// No purpose is demanded (Apple's leaves have no TLS usage), X509_V_FLAG_X509_STRICT is off
    /// (they have no authority key identifier either), and only the anchor is trusted.
    ///
    /// - Parameters:
    ///   - leaf: the credential certificate.
    ///   - intermediate: the certificate that issued it.
    ///   - anchor: the one certificate that is trusted.
    ///   - seconds: the moment at which all three must be valid, in seconds since 1970.
    /// - Returns: the intermediate, vouched for by that anchor.
    /// - Throws: the first failure that libcrypto finds.
    public static func verify(
        leaf: Certificate, intermediate: Certificate, anchor: Certificate, at seconds: Int64
    ) throws(ChainFailure) -> VouchedIntermediate {
        try run(
            leaf: leaf, intermediate: intermediate, anchor: anchor, at: seconds, replacing: nil)
        return VouchedIntermediate(intermediate: intermediate, anchor: anchor)
    }

    /// Verifies the same, but for the anchor's signature on the intermediate, verified earlier.
    ///
    /// - Parameters:
    ///   - leaf: the credential certificate.
    ///   - vouched: the intermediate and its anchor, as an earlier verification returned them.
    ///   - seconds: the moment at which all three must be valid, in seconds since 1970.
    /// - Throws: the first failure that libcrypto finds.
    public static func verify(
        leaf: Certificate, through vouched: VouchedIntermediate, at seconds: Int64
    ) throws(ChainFailure) {
        do {
            try run(
                leaf: leaf, intermediate: vouched.intermediate, anchor: vouched.anchor, at: seconds,
                replacing: verifyBelowVouchedIntermediate)
        } catch .invalid(code: X509_V_ERR_UNSPECIFIED, _) {
            // The chain goes past the intermediate: it is judged whole, to be told the same of it.
            try run(
                leaf: leaf, intermediate: vouched.intermediate, anchor: vouched.anchor, at: seconds,
                replacing: nil)
        }
    }
}

/// An intermediate certificate whose chain to an anchor was verified.
///
/// Only a whole verification makes one. It says nothing of validity at another moment, which is
/// checked at each use.
public struct VouchedIntermediate: Sendable {
    /// The certificate.
    public let intermediate: Certificate
    /// The anchor that signed it.
    public let anchor: Certificate

    fileprivate init(intermediate: Certificate, anchor: Certificate) {
        self.intermediate = intermediate
        self.anchor = anchor
    }
}

private func run(
    leaf: Certificate, intermediate: Certificate, anchor: Certificate, at seconds: Int64,
    replacing signatureStep: SignatureStep?
) throws(ChainFailure) {
    defer { OpenSSLErrorQueue.clear() }
    let context = VerificationContext(
        leaf: leaf, intermediate: intermediate, anchor: anchor, at: seconds)
    guard context.verify(replacing: signatureStep) else { throw context.failure }
    // The leaf may have been signed by the anchor itself: then nobody looked at the intermediate.
    guard context.chainCount == CertificateChain.certificateCount else {
        throw .otherLength(context.chainCount)
    }
}

/// Signatures and validity, root first, as libcrypto's own step does it, without the signature on
/// the intermediate.
///
/// Called by `X509_verify_cert` on its caller's thread, after it has built the chain and checked
/// the extensions. Answers 1 to go on, or 0 with the error set in the context.
private func verifyBelowVouchedIntermediate(_ context: OpaquePointer?) -> CInt {
    guard let context, let chain = X509_STORE_CTX_get0_chain(context),
        attest_x509_stack_count(chain) == CInt(CertificateChain.certificateCount),
        let leaf = attest_x509_stack_value(chain, 0),
        let intermediate = attest_x509_stack_value(chain, 1),
        // What was vouched for is this very object, the only one that was offered.
        intermediate == attest_x509_stack_value(X509_STORE_CTX_get0_untrusted(context), 0),
        let anchor = attest_x509_stack_value(chain, 2)
    else { return refuse(context, X509_V_ERR_UNSPECIFIED, depth: 0) }
    if let error = validityError(anchor, in: context) { return refuse(context, error, depth: 2) }
    if let error = validityError(intermediate, in: context) {
        return refuse(context, error, depth: 1)
    }
    // Key usage, and that the issuer's kind of key fits the signature.
    let issued = X509_check_issued(intermediate, leaf)
    guard issued == X509_V_OK else { return refuse(context, issued, depth: 1) }
    guard let key = X509_get0_pubkey(intermediate), X509_verify(leaf, key) == 1 else {
        return refuse(context, X509_V_ERR_CERT_SIGNATURE_FAILURE, depth: 0)
    }
    if let error = validityError(leaf, in: context) { return refuse(context, error, depth: 0) }
    return 1
}

private func refuse(_ context: OpaquePointer?, _ error: CInt, depth: CInt) -> CInt {
    X509_STORE_CTX_set_error_depth(context, depth)
    X509_STORE_CTX_set_error(context, error)
    return 0
}

/// What is wrong with a certificate's validity at the context's moment; nil when it is valid.
///
/// `X509_cmp_time` answers -1 for "earlier or the same", 1 for later, and 0 for "no time".
private func validityError(_ certificate: OpaquePointer, in context: OpaquePointer) -> CInt? {
    var moment = X509_VERIFY_PARAM_get_time(X509_STORE_CTX_get0_param(context))
    switch X509_cmp_time(X509_get0_notBefore(certificate), &moment) {
    case 0: return X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD
    case 1...: return X509_V_ERR_CERT_NOT_YET_VALID
    default: break
    }
    switch X509_cmp_time(X509_get0_notAfter(certificate), &moment) {
    case 0: return X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD
    case ...(-1): return X509_V_ERR_CERT_HAS_EXPIRED
    default: return nil
    }
}
