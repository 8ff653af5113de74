import AppAttest
import Testing

struct SecretKeyRingTests {
    @Test(arguments: [0, 31, 1025])
    func `a secret of another length is refused`(count: Int) {
        #expect(SecretKeyRing(current: secret(1, count: count)) == nil)
        #expect(SecretKeyRing(current: secret(1), previous: [secret(2, count: count)]) == nil)
    }

    @Test func `the same secret twice, or too many, are refused`() {
        #expect(SecretKeyRing(current: secret(1), previous: [secret(1)]) == nil)
        #expect(SecretKeyRing(current: secret(1), previous: (2...4).map { secret($0) }) != nil)
        #expect(SecretKeyRing(current: secret(1), previous: (2...5).map { secret($0) }) == nil)
    }

    @Test func `no text tells a secret`() throws {
        let ring = try #require(SecretKeyRing(current: secret(0x41), previous: [secret(0x42)]))
        var dumped = ""
        dump(ring, to: &dumped)
        for text in ["\(ring)", String(reflecting: ring), dumped] {
            #expect(!text.contains("65") && !text.contains("66"))
        }
    }
}

/// A secret of one byte repeated.
func secret(_ byte: UInt8, count: Int = 32) -> [UInt8] {
    Array(repeating: byte, count: count)
}
