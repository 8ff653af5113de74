public import LibCrypto

/// A key's identity: SHA-256 of its public key as an uncompressed point.
///
/// Apple hands it to the app as standard base64 text; here it is always the 32 bytes, so that two
/// spellings are one key. Source: Apple, "Validating apps that connect to your server".
public struct KeyID: Hashable, Sendable, Comparable {
    /// The 32 bytes.
    public let digest: Digest32

    /// Takes a digest as a key id.
    public init(_ digest: Digest32) {
        self.digest = digest
    }

    /// Orders as the bytes do.
    public static func < (left: KeyID, right: KeyID) -> Bool {
        left.digest < right.digest
    }
}

/// SHA-256 of the app id: what authenticator data says of the app.
public struct RelyingPartyIDHash: Hashable, Sendable {
    /// The 32 bytes.
    public let digest: Digest32

    /// Takes a digest as a relying party id hash.
    public init(_ digest: Digest32) {
        self.digest = digest
    }

    /// The hash of an app id, `TEAMID.bundle.identifier`, as UTF-8.
    public init(appID: String) {
        digest = SHA256.hash(Array(appID.utf8))
    }
}

/// What the app gave to `attestKey` or `generateAssertion` as the client data hash.
///
/// Usually SHA-256 of the client data, but the device does not check the length: Apple's own
/// samples pass the challenge unhashed. So this is 1 to 1,024 bytes.
public struct ClientDataHash: Hashable, Sendable {
    /// The most bytes that are taken.
    public static let bytesMax = 1024

    /// The bytes, exactly as the app passed them.
    public let bytes: [UInt8]

    /// The SHA-256 of client data: what Apple's text prescribes.
    public init(hashing clientData: [UInt8]) {
        bytes = SHA256.hash(clientData).bytes
    }

    /// Bytes that were made by another construction than SHA-256 of the client data.
    ///
    /// - Parameter bytes: 1 to ``bytesMax`` bytes; nil otherwise.
    public init?(exactly bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.bytesMax else { return nil }
        self.bytes = bytes
    }
}

/// A moment: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct Instant: Hashable, Sendable, Comparable {
    /// Milliseconds since 1970; negative before.
    public let milliseconds: Int64

    /// A moment so many milliseconds after 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// A moment so many seconds after 1970, or the end of the range where it is beyond.
    public init(seconds: Int64) {
        let (milliseconds, isBeyond) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = isBeyond ? (seconds < 0 ? .min : .max) : milliseconds
    }

    /// The last whole second that is not after this moment, counted from 1970.
    package var wholeSeconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Orders by time.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

/// Which of Apple's two attestation environments a key belongs to.
public enum AttestationEnvironment: String, Hashable, Sendable, CaseIterable {
    /// AAGUID `appattestdevelop`: builds run from Xcode.
    case development
    /// AAGUID `appattest` and seven zero bytes: TestFlight, App Store, enterprise.
    case production
}
