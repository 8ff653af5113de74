/// Where in a chain a certificate stands.
public enum CertificatePosition: Int, Hashable, Sendable, CaseIterable {
    /// The credential certificate.
    case leaf = 0
    /// The certificate that issued the leaf.
    case intermediate = 1
    /// The trusted root.
    case anchor = 2
}
