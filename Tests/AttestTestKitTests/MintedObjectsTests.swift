import AppAttest
import AttestTestKit
import LibCrypto
import Testing

@Suite struct MintedObjects {
    static let clientDataHash = ClientDataHash(hashing: Array("challenge".utf8))
    static let instant = Instant(seconds: 1_790_000_000)

    static func device(_ shape: DeviceShape, seed: UInt64 = 7) -> SimulatedDevice {
        SimulatedDevice(
            seed: seed, appID: "TEAM.com.example.app", shape: shape,
            authority: TestAuthority(seed: 1))
    }

    @Test(arguments: DeviceShape.allCases)
    func `are the same each time they are minted from a seed`(_ shape: DeviceShape) {
        var one = Self.device(shape)
        var two = Self.device(shape)
        #expect(
            one.attest(clientDataHash: Self.clientDataHash, at: Self.instant)
                == two.attest(clientDataHash: Self.clientDataHash, at: Self.instant))
        #expect(
            one.assert(clientDataHash: Self.clientDataHash)
                == two.assert(clientDataHash: Self.clientDataHash))
    }

    /// Whoever keeps minted objects, or compares two versions of the kit, relies on this.
    @Test func `are what they were when this test was written`() {
        var device = Self.device(.iOS27)
        let attestation = device.attest(clientDataHash: Self.clientDataHash, at: Self.instant)
        let assertion = device.assert(clientDataHash: Self.clientDataHash)
        let attestationDigest = "4801222b8534878a364562c0c5e00411903dcce6f3c51c955f59d72e5c9175f0"
        let assertionDigest = "104f89d1c9b28eaf66b0828fd5e370d81c38f463cb6e7d4f7fa4c6ee80e833cc"
        #expect(SHA256.hash(attestation.object).bytes == bytes(attestationDigest))
        #expect(SHA256.hash(assertion.object).bytes == bytes(assertionDigest))
    }

    @Test func `of challenges and client data are those of their SHA-256`() {
        var one = Self.device(.iOS27)
        var two = Self.device(.iOS27)
        let data = Array("challenge".utf8)
        #expect(
            one.attest(challenge: data, at: Self.instant)
                == two.attest(clientDataHash: Self.clientDataHash, at: Self.instant))
        #expect(
            one.attest(challenge: data, at: Self.instant, lie: .certificate(.noNonce))
                == two.attest(
                    clientDataHash: Self.clientDataHash, at: Self.instant,
                    lie: .certificate(.noNonce)))
        #expect(one.assert(clientData: data) == two.assert(clientDataHash: Self.clientDataHash))
        #expect(
            one.assert(clientData: data, lie: .signature(.empty))
                == two.assert(clientDataHash: Self.clientDataHash, lie: .signature(.empty)))
        #expect(one.signCount == 2)
    }

    @Test func `differ by seed, client data hash, instant and sign count`() {
        let device = Self.device(.iOS27)
        let honest = device.attest(clientDataHash: Self.clientDataHash, at: Self.instant)
        let otherHash = ClientDataHash(hashing: [])
        let others = [
            Self.device(.iOS27, seed: 8).attest(
                clientDataHash: Self.clientDataHash, at: Self.instant),
            device.attest(clientDataHash: otherHash, at: Self.instant),
            device.attest(clientDataHash: Self.clientDataHash, at: Instant(seconds: 1_790_000_001)),
        ]
        #expect(Set(others.map(\.object) + [honest.object]).count == 4)
        let assertions = [
            device.assert(clientDataHash: Self.clientDataHash, signCount: 1),
            device.assert(clientDataHash: Self.clientDataHash, signCount: 2),
            device.assert(clientDataHash: otherHash, signCount: 1),
        ]
        #expect(Set(assertions.map(\.object)).count == 3)
    }

    @Test func `count their assertions from 1`() {
        var device = Self.device(.iOS14)
        #expect(
            (1...3).map { _ in device.assert(clientDataHash: Self.clientDataHash).signCount } == [
                1, 2, 3,
            ])
        #expect(device.signCount == 3)
    }
}
