/// The access control of a key, certificate extension 100.8.6: what the hardware lets it do.
///
/// iOS tells it since 26.1; a verifier checks it for Macs only, where it proves that the key works
/// with system integrity on.
struct AccessControl {
    private let operations: [[UInt8]]

    /// What a shape's certificates say; nil where the system did not tell it yet.
    init?(_ shape: DeviceShape) {
        switch shape {
        case .iOS14, .iOS17, .iOS18WithCodeDirectoryHash: return nil
        case .iOS26, .iOS27Beta, .iOS27, .iOS27WithOlderSDK:
            operations = ["okd", "oa", "osgn", "odel", "ock"].map(Self.allowed)
        case .macOS27, .macOS27WithOlderSDK:
            operations =
                ["ok", "oa", "odel"].map(Self.allowed) + [Self.signingWithSystemIntegrity]
        }
    }

    private init(operations: [[UInt8]]) {
        self.operations = operations
    }

    /// A Mac's key that signs whether system integrity is on or not.
    static let macWithoutSystemIntegrity = AccessControl(
        operations: ["ok", "oa", "odel", "osgn"].map(allowed))

    /// The extension: SEQUENCE of [3] OCTET STRING around the list.
    var certificateExtension: CertificateExtension {
        let list = DER.sequence(DER.utf8String("11"), DER.sequence(operations))
        return CertificateExtension(
            ObjectIdentifiers.accessControl,
            DER.sequence(DER.explicit(3, DER.octetString(list))))
    }

    private static func allowed(_ operation: String) -> [UInt8] {
        DER.sequence(DER.utf8String(operation), DER.explicit(1, DER.yes))
    }

    private static let signingWithSystemIntegrity = DER.sequence(
        DER.utf8String("osgn"), DER.explicit(0, DER.utf8String("rsec")),
        DER.sequence(DER.explicit(6, DER.integer(1))))
}
