import AttestTestKit
import LibCrypto
import Testing

@testable import Worker

struct PublicKeyCacheTests {
    private let points: [[UInt8]] = (0..<8).map { seed in
        SimulatedDevice(seed: seed, appID: "TEAM.app", authority: TestAuthority(seed: 1)).publicKey
    }

    @Test func `a key that is asked for again is the same object`() {
        var cache = PublicKeyCache()
        let first = cache.key(x963: points[0])
        #expect(first?.x963 == points[0])
        #expect(cache.key(x963: points[0]) === first)
        #expect(cache.key(x963: points[1])?.x963 == points[1])
    }

    @Test func `no more keys are kept than the limit`() {
        var cache = PublicKeyCache(keysMax: 4)
        for turn in 0..<100 {
            let point = points[turn * 5 % points.count]
            #expect(cache.key(x963: point)?.x963 == point)
            #expect(cache.count <= 4)
        }
    }

    @Test func `what is asked for stays, and what isn't leaves`() {
        var cache = PublicKeyCache(keysMax: 4)
        let hot = cache.key(x963: points[0])
        let cold = cache.key(x963: points[1])
        for point in points[2...] {
            _ = cache.key(x963: point)
            #expect(cache.key(x963: points[0]) === hot)
        }
        #expect(cache.key(x963: points[1]) !== cold)
        #expect(cache.key(x963: points[1])?.x963 == points[1])
    }

    @Test func `bytes that are no point are refused each time`() {
        var cache = PublicKeyCache()
        var wrong = points[0]
        wrong[64] ^= 1
        for bytes in [wrong, [], [4], Array(points[0].dropLast()), points[0] + [0]] {
            #expect(cache.key(x963: bytes) == nil)
            #expect(cache.key(x963: bytes) == nil)
        }
        #expect(cache.count == 0)
        #expect(cache.key(x963: points[0]) != nil)
    }
}
