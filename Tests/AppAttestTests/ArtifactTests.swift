import AppAttest
import LibCrypto
import Testing

struct ArtifactTests {
    let app = "ABCDE12345.com.example.app"
    let issued = Instant(seconds: 1_800_000_000)
    let key = KeyID(SHA256.hash([1, 2, 3]))
    let day: Int64 = 86_400_000

    func ring(_ current: UInt8, _ previous: UInt8...) throws -> SecretKeyRing {
        try #require(SecretKeyRing(current: secret(current), previous: previous.map { secret($0) }))
    }

    func taken(
        _ bytes: [UInt8], app: String? = nil, after milliseconds: Int64 = 0,
        by secrets: SecretKeyRing
    ) throws(Artifact.Fault) -> Artifact {
        try Artifact(
            verifying: bytes, appID: app ?? self.app, lifetimeMilliseconds: day,
            at: Instant(milliseconds: issued.milliseconds + milliseconds), secrets: secrets)
    }

    @Test func `an artifact comes back as it was made`() throws {
        let secrets = try ring(1)
        let artifact = Artifact(keyID: key, appID: app, issued: issued, secrets: secrets)
        #expect(artifact.bytes.count == Artifact.byteCount)
        #expect(try taken(artifact.bytes, by: secrets) == artifact)
        #expect(Artifact.claimedKeyID(in: artifact.bytes) == key)
    }

    @Test func `it is good for its lifetime and no longer`() throws {
        let secrets = try ring(1)
        let bytes = Artifact(keyID: key, appID: app, issued: issued, secrets: secrets).bytes
        #expect(try taken(bytes, after: day - 1, by: secrets).keyID == key)
        #expect(throws: Artifact.Fault.expired) { try taken(bytes, after: day, by: secrets) }
        // Records come with the clocks of several brokers: a use may seem to lie before the issue.
        #expect(try taken(bytes, after: -5000, by: secrets).keyID == key)
    }

    @Test func `the ends of time don't trap`() throws {
        let secrets = try ring(1)
        let first = Instant(milliseconds: .min)
        let bytes = Artifact(keyID: key, appID: app, issued: first, secrets: secrets).bytes
        #expect(throws: Artifact.Fault.expired) {
            try Artifact(
                verifying: bytes, appID: app, lifetimeMilliseconds: .max,
                at: Instant(milliseconds: .max), secrets: secrets)
        }
    }

    @Test func `another app's has its own fault`() throws {
        let secrets = try ring(1)
        let bytes = Artifact(keyID: key, appID: app, issued: issued, secrets: secrets).bytes
        #expect(throws: Artifact.Fault.wrongApp) {
            try taken(bytes, app: "ABCDE12345.com.example.other", by: secrets)
        }
    }

    @Test func `a secret is taken while it is on its way out, and not after`() throws {
        let bytes = Artifact(keyID: key, appID: app, issued: issued, secrets: try ring(1)).bytes
        #expect(try taken(bytes, by: try ring(2, 1)).keyID == key)
        #expect(throws: Artifact.Fault.invalid) { try taken(bytes, by: try ring(2)) }
    }

    @Test func `one changed bit, a byte less or a byte more makes it invalid`() throws {
        let secrets = try ring(1)
        let bytes = Artifact(keyID: key, appID: app, issued: issued, secrets: secrets).bytes
        var others = [[UInt8](), bytes.dropLast(), bytes + [0]].map(Array.init)
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 1 << UInt8(position % 8)
            others.append(changed)
        }
        for other in others {
            #expect(throws: Artifact.Fault.invalid) { try taken(other, by: secrets) }
        }
        #expect(Artifact.claimedKeyID(in: Array(bytes.dropLast())) == nil)
    }

    @Test func `a challenge's code makes no artifact, and the other way round`() throws {
        let secrets = try ring(1)
        let challenge = try #require(
            SignedChallenge(
                appID: app, purpose: .any, expiry: issued, random: secret(1, count: 16),
                secrets: secrets))
        #expect(throws: Artifact.Fault.invalid) { try taken(challenge.bytes, by: secrets) }
    }
}
