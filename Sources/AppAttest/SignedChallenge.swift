internal import LibCrypto

/// A challenge that a server need not remember: it can tell by a secret that it made it, for which
/// app and purpose, and until when it is good.
///
/// 58 bytes: version 1, purpose, expiry (milliseconds since 1970, 8 bytes), 16 random bytes, and
/// HMAC-SHA-256 over a label, those 26 bytes and the app id. That each is used once is left to
/// whoever keeps state: it remembers ``id`` until ``expiry``.
public struct SignedChallenge: Hashable, Sendable {
    /// What a challenge may be used for.
    public enum Purpose: UInt8, Hashable, Sendable, CaseIterable {
        /// Either; App Check's contract does not tell when it asks for one.
        case any = 0
        /// An attestation.
        case registration = 1
        /// An assertion.
        case assertion = 2

        /// Whether a challenge for this purpose serves that one.
        func serves(_ wanted: Purpose) -> Bool {
            self == .any || self == wanted
        }
    }

    /// Why a challenge is not taken.
    public enum Fault: Error, Hashable, Sendable, CaseIterable {
        /// No secret of the ring made it, or not for this app.
        case unknown
        /// It was good until earlier.
        case expired
        /// It was made for something else.
        case wrongPurpose
    }

    /// The number of bytes of a challenge.
    public static let byteCount = 58
    /// The number of random bytes in it.
    public static let randomByteCount = 16

    /// The challenge as it goes to the app, ``byteCount`` bytes.
    public let bytes: [UInt8]
    /// What it may be used for.
    public let purpose: Purpose
    /// The first moment at which it is no longer good.
    public let expiry: Instant
    /// What tells it from all others: its 16 random bytes.
    public let id: [UInt8]

    /// Makes a challenge.
    ///
    /// - Parameters:
    ///   - appID: the app it is for, `TEAMID.bundle.identifier`.
    ///   - purpose: what it may be used for.
    ///   - expiry: the first moment at which it is no longer good.
    ///   - random: ``randomByteCount`` bytes from a secure source, new for each challenge; any
    ///     other number gives nil.
    ///   - secrets: the first one authenticates it.
    public init?(
        appID: String, purpose: Purpose, expiry: Instant, random: [UInt8],
        secrets: SecretKeyRing
    ) {
        guard random.count == Self.randomByteCount else { return nil }
        let body = [Self.version, purpose.rawValue] + expiry.bigEndianBytes + random
        bytes = Self.form.sealed(body, boundTo: Array(appID.utf8), by: secrets)
        self.purpose = purpose
        self.expiry = expiry
        id = random
    }

    /// Makes the challenge that belongs to a seed: the same for the same seed, and for whoever does
    /// not have the secret as random as one that was drawn.
    ///
    /// For a server that must answer the same request alike however often it comes.
    ///
    /// - Parameters:
    ///   - appID: the app it is for, `TEAMID.bundle.identifier`.
    ///   - purpose: what it may be used for.
    ///   - expiry: the first moment at which it is no longer good.
    ///   - seed: what tells the request from all others, never the same for two of them.
    ///   - secrets: the first one authenticates it, and makes its id of the seed.
    public init(
        appID: String, purpose: Purpose, expiry: Instant, derivedFrom seed: [UInt8],
        secrets: SecretKeyRing
    ) {
        let label = Array("attest-worker challenge id\0".utf8)
        id = Array(
            HMACSHA256.code(for: label + seed, key: secrets.current).bytes
                .prefix(Self.randomByteCount))
        let body = [Self.version, purpose.rawValue] + expiry.bigEndianBytes + id
        bytes = Self.form.sealed(body, boundTo: Array(appID.utf8), by: secrets)
        self.purpose = purpose
        self.expiry = expiry
    }

    /// Takes a challenge that came back.
    ///
    /// - Parameters:
    ///   - bytes: what came back.
    ///   - appID: the app that used it, as proved by its signature.
    ///   - purpose: what it was used for.
    ///   - now: the moment of its use.
    ///   - secrets: any of them may have made it.
    /// - Throws: the ``Fault``.
    public init(
        verifying bytes: [UInt8], appID: String, purpose: Purpose, at now: Instant,
        secrets: SecretKeyRing
    ) throws(Fault) {
        guard
            let body = Self.form.opened(bytes, boundTo: Array(appID.utf8), by: secrets)
        else { throw .unknown }
        var reader = ByteReader(body[...])
        guard reader.byte() == Self.version,
            let made = reader.byte().flatMap(Purpose.init(rawValue:)),
            let expiry = reader.bigEndian(UInt64.self).map(Instant.init(bitPattern:)),
            let random = reader.take(Self.randomByteCount)
        else { throw .unknown }
        guard made.serves(purpose) else { throw .wrongPurpose }
        guard now < expiry else { throw .expired }
        self.bytes = bytes
        self.purpose = made
        self.expiry = expiry
        id = Array(random)
    }

    private static let version: UInt8 = 1
    private static let form = AuthenticatedBytes(
        label: "attest-worker challenge\0", bodyByteCount: 26)
}
