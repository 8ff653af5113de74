import LibCrypto
import Testing

/// RFC 4231's test cases 1 to 3 and 6: keys shorter than the hash's block, as long, and longer.
struct HMACSHA256Tests {
    struct Case: Sendable, CustomTestStringConvertible {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
        var testDescription: String { "a key of \(key.count) bytes" }
    }

    static let cases = [
        Case(
            key: Array(repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Case(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Case(
            key: Array(repeating: 0xAA, count: 20), message: Array(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Case(
            key: Array(repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ]

    @Test(arguments: cases)
    func `codes are those of the RFC`(example: Case) {
        let code = HMACSHA256.code(for: example.message, key: example.key)
        #expect(code.bytes.map(twoDigits).joined() == example.code)
    }

    @Test func `an empty message has a code`() {
        let code = HMACSHA256.code(for: [], key: [UInt8](repeating: 1, count: 32))
        #expect(code != HMACSHA256.code(for: [], key: [UInt8](repeating: 2, count: 32)))
    }

    private func twoDigits(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }
}
