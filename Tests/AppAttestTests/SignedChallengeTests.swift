import AppAttest
import Testing

struct SignedChallengeTests {
    typealias Purpose = SignedChallenge.Purpose
    let app = "ABCDE12345.com.example.app"
    let expiry = Instant(seconds: 1_800_000_300)
    let now = Instant(seconds: 1_800_000_000)

    func ring(_ current: UInt8, _ previous: UInt8...) throws -> SecretKeyRing {
        try #require(SecretKeyRing(current: secret(current), previous: previous.map { secret($0) }))
    }

    func minted(
        _ purpose: Purpose = .registration, random: UInt8 = 7, by secrets: SecretKeyRing
    ) throws -> SignedChallenge {
        try #require(
            SignedChallenge(
                appID: app, purpose: purpose, expiry: expiry,
                random: Array(repeating: random, count: 16), secrets: secrets))
    }

    func taken(
        _ bytes: [UInt8], app: String? = nil, _ purpose: Purpose = .registration,
        at now: Instant? = nil, by secrets: SecretKeyRing
    ) throws(SignedChallenge.Fault) -> SignedChallenge {
        try SignedChallenge(
            verifying: bytes, appID: app ?? self.app, purpose: purpose, at: now ?? self.now,
            secrets: secrets)
    }

    @Test func `a challenge comes back as it was made`() throws {
        let secrets = try ring(1)
        let challenge = try minted(by: secrets)
        #expect(challenge.bytes.count == SignedChallenge.byteCount)
        #expect(try taken(challenge.bytes, by: secrets) == challenge)
    }

    @Test(arguments: Purpose.allCases, Purpose.allCases)
    func `it serves its purpose, or any`(made: Purpose, wanted: Purpose) throws {
        let secrets = try ring(1)
        let challenge = try minted(made, by: secrets)
        if made == .any || made == wanted {
            #expect(try taken(challenge.bytes, wanted, by: secrets).purpose == made)
        } else {
            #expect(throws: SignedChallenge.Fault.wrongPurpose) {
                try taken(challenge.bytes, wanted, by: secrets)
            }
        }
    }

    @Test func `it is good until its expiry and not at it`() throws {
        let secrets = try ring(1)
        let challenge = try minted(by: secrets)
        let last = Instant(milliseconds: expiry.milliseconds - 1)
        #expect(try taken(challenge.bytes, at: last, by: secrets).expiry == expiry)
        #expect(throws: SignedChallenge.Fault.expired) {
            try taken(challenge.bytes, at: expiry, by: secrets)
        }
    }

    @Test func `another app's is unknown`() throws {
        let secrets = try ring(1)
        let challenge = try minted(by: secrets)
        for other in ["ABCDE12345.com.example.ap", app + "s", ""] {
            #expect(throws: SignedChallenge.Fault.unknown) {
                try taken(challenge.bytes, app: other, by: secrets)
            }
        }
    }

    @Test func `a secret is taken while it is on its way out, and not after`() throws {
        let challenge = try minted(by: try ring(1))
        #expect(try taken(challenge.bytes, by: try ring(2, 1)) == challenge)
        #expect(throws: SignedChallenge.Fault.unknown) {
            try taken(challenge.bytes, by: try ring(2))
        }
    }

    @Test func `one changed bit, a byte less or a byte more makes it unknown`() throws {
        let secrets = try ring(1)
        let bytes = try minted(by: secrets).bytes
        var others = [[UInt8](), bytes.dropLast(), bytes + [0], bytes + bytes].map(Array.init)
        for position in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[position] ^= 1 << UInt8(bit)
                others.append(changed)
            }
        }
        for other in others {
            #expect(throws: SignedChallenge.Fault.unknown) { try taken(other, by: secrets) }
        }
    }

    @Test func `ids differ as the random bytes do, and 16 of those are demanded`() throws {
        let secrets = try ring(1)
        #expect(try minted(random: 1, by: secrets).id != minted(random: 2, by: secrets).id)
        for count in [0, 15, 17] {
            #expect(
                SignedChallenge(
                    appID: app, purpose: .any, expiry: expiry, random: secret(1, count: count),
                    secrets: secrets) == nil)
        }
    }
}
