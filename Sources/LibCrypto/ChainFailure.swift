internal import CCrypto

/// Why a chain does not verify.
public enum ChainFailure: Error, Hashable, Sendable {
    /// A certificate's validity had ended.
    case expired(CertificatePosition)
    /// A certificate's validity had not begun.
    case notYetValid(CertificatePosition)
    /// The chain that libcrypto found has another number of certificates than three.
    case otherLength(Int)
    /// Anything else: libcrypto's `X509_V_ERR_…` number and the place counted from the leaf.
    case invalid(code: Int32, depth: Int)

    /// What libcrypto reports, by its number.
    init(code: CInt, depth: CInt) {
        let position = CertificatePosition(rawValue: Int(depth))
        switch (code, position) {
        case (X509_V_ERR_CERT_HAS_EXPIRED, .some(let position)): self = .expired(position)
        case (X509_V_ERR_CERT_NOT_YET_VALID, .some(let position)): self = .notYetValid(position)
        default: self = .invalid(code: code, depth: Int(depth))
        }
    }
}

extension ChainFailure: CustomStringConvertible {
    /// A sentence that is safe to log: it has no byte of a certificate.
    public var description: String {
        switch self {
        case .expired(let position): "the \(position) certificate has expired"
        case .notYetValid(let position): "the \(position) certificate is not valid yet"
        case .otherLength(let count): "the chain has \(count) certificates"
        case .invalid(let code, let depth):
            // The text is a constant of libcrypto.
            "\(String(cString: X509_verify_cert_error_string(Int(code)))) at depth \(depth)"
        }
    }
}
