import AppAttest
import LibCrypto

/// What Apple's credential certificates say of the key, the app and the system, era by era.
enum CredentialCertificate {
    /// The certificate of a device's key, without its nonce, before it is signed.
    static func draft(_ device: SimulatedDevice, at instant: Instant) -> CertificateDraft {
        let validity = CredentialValidity(issuedAt: instant, seed: device.seed)
        var draft = CertificateDraft(
            serialNumber: instant.milliseconds.bigEndianBytes,
            issuer: TestAuthority.intermediateName,
            subject: CertificateDraft.name(
                commonName: hexadecimal(device.keyID.bytes),
                organizationalUnit: "AAA Certification"),
            notBefore: validity.notBefore, notAfter: validity.notAfter,
            publicKeyInfo: device.key.publicKeyInfo,
            extensions: [.endEntity, .credentialKeyUsage])
        if validity.era == .shortWithPurpose {
            draft.extensions.append(attestationPurpose)
        }
        draft.extensions.append(appAttributes(appID: device.appID, shape: device.shape))
        draft.extensions.append(operatingSystem(device.shape))
        if let accessControl = AccessControl(device.shape) {
            draft.extensions.append(accessControl.certificateExtension)
        }
        return draft
    }

    /// The nonce: SEQUENCE of [1] OCTET STRING.
    static func nonce(_ bytes: [UInt8]) -> CertificateExtension {
        CertificateExtension(
            ObjectIdentifiers.nonce,
            DER.sequence(DER.explicit(1, DER.octetString(bytes))))
    }

    /// App id and attributes of the key, 100.8.5.
    static func appAttributes(appID: String, shape: DeviceShape) -> CertificateExtension {
        let isRecent = AccessControl(shape) != nil
        var parts = [DER.explicit(4, DER.integer(shape.isMac ? 13 : 10))]
        parts += (1200...1203).map { DER.explicit($0, DER.integer(0)) }
        parts.append(DER.explicit(1204, DER.octetString(Array(appID.utf8))))
        if !isRecent {
            let label = shape == .iOS14 ? " sks" : "sks "
            parts.append(DER.explicit(5, DER.octetString(Array(label.utf8))))
        }
        parts.append(DER.explicit(1206, DER.integer(isRecent ? 4 : 5)))
        parts += [1207, 1209, 1210].map { DER.explicit($0, DER.integer(0)) }
        if shape != .iOS14 { parts.append(DER.explicit(1211, DER.integer(0))) }
        if isRecent { parts.append(DER.explicit(10, DER.integer(0))) }
        return CertificateExtension(ObjectIdentifiers.appAttributes, DER.sequence(parts))
    }

    /// Platform and versions, 100.8.7; the first system told only its version.
    static func operatingSystem(_ shape: DeviceShape) -> CertificateExtension {
        func text(_ number: UInt64, _ text: String) -> [UInt8] {
            DER.explicit(number, DER.octetString(Array(text.utf8)))
        }
        var parts = [text(1400, shape.operatingSystemVersion)]
        if shape != .iOS14 {
            parts.append(DER.explicit(1104, DER.integer(2)))
            parts.append(text(1403, shape.operatingSystemBuild))
            parts.append(text(1405, shape.operatingSystemVersion))
            parts.append(DER.explicit(1406, DER.integer(0)))
            parts.append(text(1420, "24.1.325.0.2,0"))
        }
        if AccessControl(shape) != nil { parts.append(text(1026, shape.platform)) }
        if shape == .iOS27Beta { parts.append(text(1029, "Beta")) }
        return CertificateExtension(ObjectIdentifiers.operatingSystem, DER.sequence(parts))
    }

    /// The one purpose that credential certificates name since February 2026.
    private static let attestationPurpose = CertificateExtension(
        ObjectIdentifiers.extendedKeyUsage,
        DER.sequence(ObjectIdentifiers.attestationPurpose))

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] })
    }
}
