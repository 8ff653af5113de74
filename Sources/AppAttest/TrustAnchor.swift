package import LibCrypto

/// A root certificate that an app's attestations must chain to.
///
/// Two anchors are equal when their bytes are.
public struct TrustAnchor: Hashable, Sendable {
    /// The certificate.
    package let certificate: Certificate

    /// Takes a root certificate.
    ///
    /// - Parameter der: one certificate in DER. Nil unless it is a CA certificate that is signed
    ///   with its own key.
    public init?(der: [UInt8]) {
        guard let certificate = Certificate(der: der), certificate.isSelfSignedAuthority else {
            return nil
        }
        self.certificate = certificate
    }

    /// The certificate's bytes, DER.
    public var der: [UInt8] {
        certificate.der
    }

    /// Apple's root for App Attest, "Apple App Attestation Root CA", valid from 2020 to 2045.
    ///
    /// Source: Apple PKI; its SHA-256 begins with 1cb9823b and is checked by a test.
    public static let appleAppAttestRoot: TrustAnchor = {
        guard let anchor = TrustAnchor(der: appleAppAttestRootDER) else {
            preconditionFailure("the embedded root is a self-signed CA certificate")
        }
        return anchor
    }()

    /// Apple's root for receipts, "Apple Root CA - G3", valid from 2014 to 2039.
    ///
    /// Source: Apple PKI; its SHA-256 begins with 63343abf and is checked by a test.
    public static let appleRootG3: TrustAnchor = {
        guard let anchor = TrustAnchor(der: appleRootG3DER) else {
            preconditionFailure("the embedded root is a self-signed CA certificate")
        }
        return anchor
    }()

    /// Equality of the bytes.
    public static func == (left: TrustAnchor, right: TrustAnchor) -> Bool {
        left.der == right.der
    }

    /// Feeds the bytes' digest to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(certificate.fingerprint)
    }
}
