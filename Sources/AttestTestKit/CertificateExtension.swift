import LibCrypto

/// An extension of a certificate.
struct CertificateExtension {
    /// The encoded object identifier.
    var identifier: [UInt8]
    var isCritical: Bool
    /// What the outer OCTET STRING holds.
    var value: [UInt8]

    init(_ identifier: [UInt8], isCritical: Bool = false, _ value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    var encoded: [UInt8] {
        DER.sequence(identifier, isCritical ? DER.yes : [], DER.octetString(value))
    }

    /// Basic constraints of a certificate authority.
    static func authority(pathLength: UInt64?) -> CertificateExtension {
        CertificateExtension(
            ObjectIdentifiers.basicConstraints, isCritical: true,
            DER.sequence([DER.yes] + (pathLength.map { [DER.integer($0)] } ?? [])))
    }

    /// Basic constraints of a certificate that is no authority.
    static let endEntity = CertificateExtension(
        ObjectIdentifiers.basicConstraints, isCritical: true, DER.sequence())

    /// Key usage keyCertSign and cRLSign.
    static let signsCertificates = CertificateExtension(
        ObjectIdentifiers.keyUsage, isCritical: true, [0x03, 0x02, 0x01, 0x06])

    /// Key usage cRLSign alone.
    static let signsRevocationListsOnly = CertificateExtension(
        ObjectIdentifiers.keyUsage, isCritical: true, [0x03, 0x02, 0x01, 0x02])

    /// Key usage of credential certificates: digitalSignature, nonRepudiation, keyEncipherment and
    /// dataEncipherment.
    static let credentialKeyUsage = CertificateExtension(
        ObjectIdentifiers.keyUsage, isCritical: true, [0x03, 0x02, 0x04, 0xF0])

    /// Key usage digitalSignature.
    static let signsContent = CertificateExtension(
        ObjectIdentifiers.keyUsage, isCritical: true, [0x03, 0x02, 0x07, 0x80])

    /// A critical extension that no verifier can know.
    static let unknownCritical = CertificateExtension(
        ObjectIdentifiers.unassigned, isCritical: true, DER.null)

    /// An extension that means nothing, with zeros in it.
    static func unassigned(byteCount: Int) -> CertificateExtension {
        CertificateExtension(
            ObjectIdentifiers.unassigned, [UInt8](repeating: 0, count: byteCount))
    }

    /// The subject key identifier: 20 bytes of a hash over the point (RFC 7093, section 2).
    static func subjectKey(_ key: ECPrivateKey) -> CertificateExtension {
        CertificateExtension(
            ObjectIdentifiers.subjectKeyIdentifier, DER.octetString(keyIdentifier(key)))
    }

    /// The authority key identifier that goes with ``subjectKey(_:)``.
    static func authorityKey(_ key: ECPrivateKey) -> CertificateExtension {
        CertificateExtension(
            ObjectIdentifiers.authorityKeyIdentifier,
            DER.sequence(DER.element(tag: [0x80], keyIdentifier(key))))
    }

    private static func keyIdentifier(_ key: ECPrivateKey) -> [UInt8] {
        Array(SHA256.hash(key.publicPoint).bytes.prefix(20))
    }
}
