import AppAttest
import LibCrypto

/// Authenticator data (WebAuthn L3, 6.1) before it is hashed: everything in it can be changed.
struct AuthenticatorDataDraft {
    var relyingPartyIDHash: [UInt8]
    var flags: UInt8
    var signCount: UInt32
    /// Only attestations have it.
    var attestedCredential: AttestedCredential?
    /// One CBOR map, or nothing.
    var signedExtensions: [UInt8]
    /// After how many bytes to cut.
    var byteCountMax = Int.max

    /// The flag that announces signed extensions, ED.
    static let extensionsFlag: UInt8 = 0x80

    /// What a device says, without an attested credential.
    init(_ device: SimulatedDevice, signCount: UInt32) {
        relyingPartyIDHash = RelyingPartyIDHash(appID: device.appID).digest.bytes
        flags = device.shape.flags
        self.signCount = signCount
        signedExtensions = SignedExtensions(device).encoded
    }

    /// What an attestation says of the key.
    struct AttestedCredential {
        var aaguid: [UInt8]
        var credentialID: [UInt8]
        var coseKey: CBOR

        /// What a device says.
        init(of device: SimulatedDevice) {
            aaguid = device.environment.aaguid
            credentialID = device.keyID.bytes
            coseKey = COSEKey(point: device.key.publicPoint).encodable
        }
    }

    /// The bytes.
    var encoded: [UInt8] {
        var bytes = relyingPartyIDHash + [flags] + signCount.bigEndianBytes
        if let credential = attestedCredential {
            bytes += credential.aaguid
            bytes += UInt16(credential.credentialID.count).bigEndianBytes
            bytes += credential.credentialID
            bytes += credential.coseKey.encoded
        }
        bytes += signedExtensions
        return Array(bytes.prefix(byteCountMax))
    }
}

extension AttestationEnvironment {
    /// The AAGUID: 16 bytes.
    var aaguid: [UInt8] {
        switch self {
        case .development: Array("appattestdevelop".utf8)
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        }
    }
}
