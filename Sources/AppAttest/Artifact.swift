internal import LibCrypto

/// What App Check's contract calls the artifact: bytes that a server hands out for an attestation
/// and gets back with each assertion, so that it knows which key the assertion is of.
///
/// 105 bytes: version 1, key id (32), SHA-256 of the app id (32), the moment of issue (milliseconds
/// since 1970, 8 bytes), and HMAC-SHA-256 over a label and those 73 bytes. There is no sign count
/// in it: it stays the same while the count rises. It proves nothing about whoever sends it.
public struct Artifact: Hashable, Sendable {
    /// Why an artifact is not taken.
    public enum Fault: Error, Hashable, Sendable, CaseIterable {
        /// No secret of the ring made it, or it was altered.
        case invalid
        /// It was made for another app.
        case wrongApp
        /// It was made too long ago.
        case expired
    }

    /// The number of bytes of an artifact.
    public static let byteCount = 105

    /// The artifact as it goes to the app, ``byteCount`` bytes.
    public let bytes: [UInt8]
    /// The key it stands for.
    public let keyID: KeyID
    /// When it was made.
    public let issued: Instant

    /// Makes an artifact.
    ///
    /// - Parameters:
    ///   - keyID: the attested key.
    ///   - appID: its app, `TEAMID.bundle.identifier`.
    ///   - issued: the moment of the attestation.
    ///   - secrets: the first one authenticates it.
    public init(keyID: KeyID, appID: String, issued: Instant, secrets: SecretKeyRing) {
        let app = RelyingPartyIDHash(appID: appID).digest.bytes
        let body = [Self.version] + keyID.digest.bytes + app + issued.bigEndianBytes
        bytes = Self.form.sealed(body, boundTo: [], by: secrets)
        self.keyID = keyID
        self.issued = issued
    }

    /// Takes an artifact that came back.
    ///
    /// - Parameters:
    ///   - bytes: what came back.
    ///   - appID: the app of the key that it stands for.
    ///   - lifetime: for how many milliseconds it is good.
    ///   - now: the moment of its use.
    ///   - secrets: any of them may have made it.
    /// - Throws: the ``Fault``.
    public init(
        verifying bytes: [UInt8], appID: String, lifetimeMilliseconds lifetime: Int64,
        at now: Instant, secrets: SecretKeyRing
    ) throws(Fault) {
        guard let body = Self.form.opened(bytes, boundTo: [], by: secrets),
            let parts = Parts(body[...])
        else { throw .invalid }
        guard parts.app == RelyingPartyIDHash(appID: appID) else { throw .wrongApp }
        let (age, isBeyond) = now.milliseconds.subtractingReportingOverflow(
            parts.issued.milliseconds)
        guard !isBeyond, age < lifetime else { throw .expired }
        self.bytes = bytes
        keyID = parts.keyID
        issued = parts.issued
    }

    /// The key that bytes claim to stand for, not verified: for whoever passes them on.
    ///
    /// - Parameter bytes: an artifact, genuine or not.
    /// - Returns: nil where they don't even look like one.
    public static func claimedKeyID(in bytes: [UInt8]) -> KeyID? {
        guard bytes.count == byteCount else { return nil }
        return Parts(bytes[...])?.keyID
    }

    private struct Parts {
        let keyID: KeyID
        let app: RelyingPartyIDHash
        let issued: Instant

        init?(_ bytes: ArraySlice<UInt8>) {
            var reader = ByteReader(bytes)
            guard reader.byte() == Artifact.version,
                let keyID = reader.take(Digest32.byteCount).flatMap({ Digest32($0) }),
                let app = reader.take(Digest32.byteCount).flatMap({ Digest32($0) }),
                let issued = reader.bigEndian(UInt64.self)
            else { return nil }
            self.keyID = KeyID(keyID)
            self.app = RelyingPartyIDHash(app)
            self.issued = Instant(bitPattern: issued)
        }
    }

    private static let version: UInt8 = 1
    private static let form = AuthenticatedBytes(
        label: "attest-worker artifact\0", bodyByteCount: 73)
}
