import AppAttest
import AttestTestKit
import Testing

@Suite struct `Minted objects` {
    static let hash = ClientDataHash(hashing: Array("challenge".utf8))
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
            one.attest(clientDataHash: Self.hash, at: Self.instant)
                == two.attest(clientDataHash: Self.hash, at: Self.instant))
        #expect(one.assert(clientDataHash: Self.hash) == two.assert(clientDataHash: Self.hash))
    }

    @Test func `differ by seed, client data hash, instant and sign count`() {
        let device = Self.device(.iOS27)
        let honest = device.attest(clientDataHash: Self.hash, at: Self.instant)
        let otherHash = ClientDataHash(hashing: [])
        let others = [
            Self.device(.iOS27, seed: 8).attest(clientDataHash: Self.hash, at: Self.instant),
            device.attest(clientDataHash: otherHash, at: Self.instant),
            device.attest(clientDataHash: Self.hash, at: Instant(seconds: 1_790_000_001)),
        ]
        #expect(Set(others.map(\.object) + [honest.object]).count == 4)
        let assertions = [
            device.assert(clientDataHash: Self.hash, signCount: 1),
            device.assert(clientDataHash: Self.hash, signCount: 2),
            device.assert(clientDataHash: otherHash, signCount: 1),
        ]
        #expect(Set(assertions.map(\.object)).count == 3)
    }

    @Test func `count their assertions from 1`() {
        var device = Self.device(.iOS14)
        #expect(
            (1...3).map { _ in device.assert(clientDataHash: Self.hash).signCount } == [1, 2, 3])
        #expect(device.signCount == 3)
    }
}
