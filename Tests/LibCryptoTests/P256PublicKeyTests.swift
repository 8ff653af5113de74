import LibCrypto
import Testing

@Suite struct P256PublicKeyTests {
    /// The generator of the curve: SEC 2, 2.4.2.
    static let generator: [UInt8] = [
        0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4,
        0x40, 0xF2, 0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8,
        0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A,
        0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40,
        0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]

    @Test func `a point of the curve is a key with the same bytes`() throws {
        let key = try #require(P256PublicKey(x963: Self.generator))
        #expect(key.x963 == Self.generator)
    }

    @Test func `a point off the curve is no key`() {
        var point = Self.generator
        point[64] ^= 1
        #expect(P256PublicKey(x963: point) == nil)
    }

    @Test func `the point at infinity is no key`() {
        #expect(P256PublicKey(x963: [0x04] + [UInt8](repeating: 0, count: 64)) == nil)
        #expect(P256PublicKey(x963: [0x00]) == nil)
    }

    @Test func `compressed, hybrid and cut points are no keys`() {
        let compressed = [0x03] + Self.generator[1...32]
        let hybrid = [0x07] + Self.generator.dropFirst()
        #expect(P256PublicKey(x963: compressed) == nil)
        #expect(P256PublicKey(x963: hybrid) == nil)
        for count in 0..<Self.generator.count {
            #expect(P256PublicKey(x963: Array(Self.generator.prefix(count))) == nil)
        }
        #expect(P256PublicKey(x963: Self.generator + [0]) == nil)
    }

    @Test func `keys are equal when their points are`() throws {
        let key = try #require(P256PublicKey(x963: Self.generator))
        let same = try #require(P256PublicKey(x963: Self.generator))
        #expect(Set([key, same]).count == 1)
    }

    @Test(arguments: [[], [0x30], [0x30, 0x00], [UInt8](repeating: 0x30, count: 73)])
    func `bytes that are no signature are a false one`(bytes: [UInt8]) throws {
        let key = try #require(P256PublicKey(x963: Self.generator))
        #expect(!key.isValidSignature(bytes, over: [1, 2, 3]))
    }
}
