internal import CCrypto
internal import CCryptoShims

/// A stack that holds one certificate.
struct CertificateStack: ~Copyable {
    /// The STACK_OF(X509), owned by this value; its element is owned by the certificate.
    let handle: OpaquePointer

    /// A stack of one.
    init(of certificate: borrowing Certificate) {
        guard let handle = attest_x509_stack_new(),
            attest_x509_stack_push(handle, certificate.handle) == 1
        else { preconditionFailure("out of memory") }
        self.handle = handle
    }

    deinit {
        attest_x509_stack_free(handle)
    }
}

/// The last step of `X509_verify_cert`, given its context: 1 to accept, 0 to refuse.
typealias SignatureStep = @convention(c) (OpaquePointer?) -> CInt

/// An X509_STORE_CTX for one chain verification.
struct VerificationContext: ~Copyable {
    /// The X509_STORE_CTX, owned by this value.
    let handle: OpaquePointer

    // libcrypto keeps pointers to these until the context is freed.
    private let untrusted: CertificateStack
    private let trusted: CertificateStack

    /// Prepares the verification of a leaf at a moment.
    ///
    /// The certificates are borrowed: they must outlive this value.
    init(
        leaf: Certificate, intermediate: Certificate, anchor: Certificate, at seconds: Int64
    ) {
        untrusted = CertificateStack(of: intermediate)
        trusted = CertificateStack(of: anchor)
        // Without a store the trusted stack is all there is: no file or folder is looked into.
        guard let handle = X509_STORE_CTX_new(),
            X509_STORE_CTX_init(handle, nil, leaf.handle, untrusted.handle) == 1,
            // Belongs to the context.
            let parameters = X509_STORE_CTX_get0_param(handle)
        else { preconditionFailure("out of memory") }
        X509_STORE_CTX_set0_trusted_stack(handle, trusted.handle)
        X509_VERIFY_PARAM_set_time(parameters, Int(seconds))
        // Depth counts the certificates between leaf and anchor.
        X509_VERIFY_PARAM_set_depth(parameters, CInt(CertificateChain.certificateCount - 2))
        X509_VERIFY_PARAM_set_auth_level(parameters, CertificateChain.securityLevel)
        self.handle = handle
    }

    deinit {
        X509_STORE_CTX_free(handle)
    }

    /// Runs `X509_verify_cert`: 1 is valid, 0 is not, negative is an inability; only 1 will do.
    ///
    /// - Parameter signatureStep: what checks signatures and validity instead of libcrypto's step.
    /// - Returns: whether the answer was exactly 1.
    borrowing func verify(replacing signatureStep: SignatureStep?) -> Bool {
        if let signatureStep {
            X509_STORE_CTX_set_verify(handle, signatureStep)
        }
        return X509_verify_cert(handle) == 1
    }

    /// What made `X509_verify_cert` refuse.
    var failure: ChainFailure {
        ChainFailure(
            code: X509_STORE_CTX_get_error(handle), depth: X509_STORE_CTX_get_error_depth(handle))
    }

    /// The number of certificates in the chain that was found.
    var chainCount: Int {
        guard let chain = X509_STORE_CTX_get0_chain(handle) else { return 0 }
        return Int(attest_x509_stack_count(chain))
    }
}
