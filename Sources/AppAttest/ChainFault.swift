public import LibCrypto

/// Why a certificate chain is refused, other than by its validity.
public enum ChainFault: Hashable, Sendable {
    /// A certificate can't be read, or has bytes after it.
    case unreadable(CertificatePosition)
    /// libcrypto refuses the chain.
    case refused(ChainFailure)
    /// The chain ends at an anchor that this app does not trust.
    case anchorOfAnotherApp
    /// No app is configured, so no anchor is trusted.
    case noAnchor
}

extension ChainFault: CustomStringConvertible {
    /// A few words without a byte of a certificate.
    public var description: String {
        switch self {
        case .unreadable(let position): "the \(position) certificate can't be read"
        case .refused(let failure): "\(failure)"
        case .anchorOfAnotherApp: "the chain ends at an anchor of another app"
        case .noAnchor: "no app is configured"
        }
    }
}
