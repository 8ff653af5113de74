public import AppAttest
import LibCrypto

/// A device with one app on it and one attested key, as a server sees them.
///
/// Everything follows from the parameters: the same calls give the same bytes.
///
/// ```swift
/// let authority = TestAuthority(seed: 1)
/// var device = SimulatedDevice(seed: 7, appID: "TEAM.com.example.app", authority: authority)
/// let challenge = ClientDataHash(hashing: challengeBytes)
/// let attestation = device.attest(clientDataHash: challenge, at: now)
/// let assertion = device.assert(clientDataHash: ClientDataHash(hashing: payload))
/// ```
public struct SimulatedDevice: Sendable {
    /// The id of the app: `TEAMID.bundle.identifier`.
    public let appID: String
    /// The environment its key belongs to.
    public let environment: AttestationEnvironment
    /// Which device and system it looks like.
    public let shape: DeviceShape
    /// The key's id: SHA-256 of ``publicKey``.
    public let keyID: KeyID
    /// How many assertions were made; the next one tells one more.
    public private(set) var signCount: UInt32 = 0
    /// How the app was signed, as OS 27 tells: 3 development, 4 App Store, 6 Developer ID.
    public var validationCategory: UInt32
    /// The app's build number, as iOS 27 tells.
    public var bundleVersion = "1314"
    /// The code directory hash, as macOS 27 tells: 32 bytes.
    public var codeDirectoryHash: [UInt8]

    let seed: UInt64
    let key: ECPrivateKey
    let authority: TestAuthority

    /// A device whose key was just generated.
    ///
    /// - Parameters:
    ///   - seed: what the key follows from, beside the authority's secret; one seed, one key.
    ///   - appID: the id of the app.
    ///   - environment: where the key is attested.
    ///   - shape: which device and system it looks like.
    ///   - authority: who signs its attestations.
    public init(
        seed: UInt64, appID: String, environment: AttestationEnvironment = .production,
        shape: DeviceShape = .iOS27, authority: TestAuthority
    ) {
        let bytes = SeededBytes(seed: seed, secret: authority.secret)
        let key = bytes.key("device key", .p256)
        self.seed = seed
        self.appID = appID
        self.environment = environment
        self.shape = shape
        self.key = key
        self.authority = authority
        keyID = KeyID(SHA256.hash(key.publicPoint))
        validationCategory =
            switch environment {
            case _ where shape.isMac: 6
            case .development: 3
            case .production: 4
            }
        codeDirectoryHash = bytes.bytes("code directory hash", count: 32)
    }

    /// The public key: 65 bytes, X9.62 uncompressed.
    public var publicKey: [UInt8] {
        key.publicPoint
    }

    /// Counts an assertion; after 4,294,967,295 of them the count begins anew.
    mutating func count() {
        signCount &+= 1
    }

    /// A key that this device does not have.
    var otherKey: ECPrivateKey {
        SeededBytes(seed: seed, secret: authority.secret).key("other key", .p256)
    }

    /// The id of ``otherKey``.
    var otherKeyID: KeyID {
        KeyID(SHA256.hash(otherKey.publicPoint))
    }

    /// The id of an app that this device does not run.
    var otherAppID: String {
        appID + ".other"
    }

    /// The same key, if it belonged to another app.
    var ofOtherApp: SimulatedDevice {
        SimulatedDevice(
            seed: seed, appID: otherAppID, environment: environment, shape: shape,
            authority: authority)
    }

    /// What some systems put beside the genuine parts of an object; nothing signs it.
    var unsignedEntries: [(key: CBOR, value: CBOR)] {
        guard shape.hasUnsignedCodeDirectoryHash else { return [] }
        let hash: CBOR = .map([(.text("sha256"), .bytes(codeDirectoryHash))])
        return [(.text("cdHash"), hash)]
    }
}
