package import LibCrypto

/// The leaf of a verified chain: what Apple says of the key in its certificate.
///
/// | extension 1.2.840.113635.… | content |
/// | -------------------------- | ------- |
/// | 100.8.2 | the nonce: `SEQUENCE { [1] EXPLICIT OCTET STRING (SIZE 32) }` |
/// | 100.8.5 | ``AttributeList``; \[1204\] app id |
/// | 100.8.6 | `SEQUENCE { [3] EXPLICIT OCTET STRING }`: the key's access control |
/// | 100.8.7 | ``AttributeList``; \[1026\] platform, \[1400\] OS version |
package struct CredentialCertificate {
    /// The attested key.
    package let publicKey: P256PublicKey

    private let certificate: Certificate
    private let system: [AttributeList]

    /// Step 3: takes a certificate whose key is an uncompressed P-256 point.
    package init(_ certificate: Certificate) throws(Rejection) {
        guard let publicKey = certificate.p256PublicKey else { throw .leafKeyNotP256 }
        self.publicKey = publicKey
        self.certificate = certificate
        system = certificate.extensionValues(identifier(7)).map { AttributeList(parsing: $0[...]) }
    }

    /// The nonce that Apple put into the certificate.
    ///
    /// - Throws: `nonceMissing`, or `nonceMalformed` unless the extension occurs once and its
    ///   content is the 38 bytes `30 24 a1 22 04 20 ‖ nonce`.
    package func nonce() throws(Rejection) -> Digest32 {
        let values = certificate.extensionValues(identifier(2))
        guard let value = values.first else { throw .nonceMissing }
        guard values.count == 1, value.starts(with: nonceHeader),
            let nonce = Digest32(value.dropFirst(nonceHeader.count))
        else { throw .nonceMalformed(occurrences: values.count) }
        return nonce
    }

    /// Whether the certificate names an app id, and it is another one.
    package func namesOtherApp(than appID: String) -> Bool {
        certificate.extensionValues(identifier(5))
            .flatMap { AttributeList(parsing: $0[...]).octetStrings(1204) }
            .contains { !$0.elementsEqual(appID.utf8) }
    }

    /// Whether the certificate says that the key lives on a Mac.
    package var saysMacOS: Bool {
        system.flatMap { $0.octetStrings(1026) }.contains { $0.spells("macosx") }
    }

    /// Whether the key's access control is Apple's constant for macOS.
    package var hasMacOSAccessControl: Bool {
        certificate.extensionValues(identifier(6)) == [macOSAccessControl]
    }

    /// `iphoneos` or `macosx`, where it is said.
    package var platform: String? {
        system.lazy.compactMap { $0.text(1026) }.first
    }

    /// The version of the operating system, such as `27.0.1`, where it is said.
    package var osVersion: String? {
        system.lazy.compactMap { $0.text(1400) }.first
    }

    /// The certificate's serial number.
    package var serial: CertificateSerial {
        CertificateSerial(certificate.serialNumber)
    }

    /// The certificate, DER.
    package var der: [UInt8] {
        certificate.der
    }

    /// Start of validity.
    package var notBefore: Instant {
        Instant(seconds: certificate.notBefore)
    }

    /// End of validity.
    package var notAfter: Instant {
        Instant(seconds: certificate.notAfter)
    }
}

/// The object identifier 1.2.840.113635.100.8.n.
private func identifier(_ number: UInt8) -> [UInt8] {
    [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, number]
}

/// SEQUENCE of 36 bytes, [1] of 34, OCTET STRING of 32.
private let nonceHeader: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]

/// SEQUENCE { [3] EXPLICIT OCTET STRING } around the 66 bytes that Apple documents.
///
/// It says that the key can be used only while system integrity is on.
private let macOSAccessControl: [UInt8] = [
    0x30, 0x46, 0xA3, 0x44, 0x04, 0x42,
    0x30, 0x40, 0x0C, 0x02, 0x31, 0x31, 0x30, 0x3A, 0x30, 0x09, 0x0C, 0x02, 0x6F, 0x6B, 0xA1, 0x03,
    0x01, 0x01, 0xFF, 0x30, 0x09, 0x0C, 0x02, 0x6F, 0x61, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x0B,
    0x0C, 0x04, 0x6F, 0x64, 0x65, 0x6C, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x15, 0x0C, 0x04, 0x6F,
    0x73, 0x67, 0x6E, 0xA0, 0x06, 0x0C, 0x04, 0x72, 0x73, 0x65, 0x63, 0x30, 0x05, 0xA6, 0x03, 0x02,
    0x01, 0x01,
]
