import Testing

@testable import LibCrypto

/// The signature of RFC 6979, A.2.5, with SHA-256 over "sample": its `s` is a high one.
@Suite struct P256SignatureTests {
    private static let message = Array("sample".utf8)
    private static let r: [UInt8] = [
        0xEF, 0xD4, 0x8B, 0x2A, 0xAC, 0xB6, 0xA8, 0xFD, 0x11, 0x40, 0xDD, 0x9C, 0xD4, 0x5E, 0x81,
        0xD6, 0x9D, 0x2C, 0x87, 0x7B, 0x56, 0xAA, 0xF9, 0x91, 0xC3, 0x4D, 0x0E, 0xA8, 0x4E, 0xAF,
        0x37, 0x16,
    ]
    private static let s: [UInt8] = [
        0xF7, 0xCB, 0x1C, 0x94, 0x2D, 0x65, 0x7C, 0x41, 0xD4, 0x36, 0xC7, 0xA1, 0xB6, 0xE2, 0x9F,
        0x65, 0xF3, 0xE9, 0x00, 0xDB, 0xB9, 0xAF, 0xF4, 0x06, 0x4D, 0xC4, 0xAB, 0x2F, 0x84, 0x3A,
        0xCD, 0xA8,
    ]
    private static let point: [UInt8] = [
        0x04, 0x60, 0xFE, 0xD4, 0xBA, 0x25, 0x5A, 0x9D, 0x31, 0xC9, 0x61, 0xEB, 0x74, 0xC6, 0x35,
        0x6D, 0x68, 0xC0, 0x49, 0xB8, 0x92, 0x3B, 0x61, 0xFA, 0x6C, 0xE6, 0x69, 0x62, 0x2E, 0x60,
        0xF2, 0x9F, 0xB6, 0x79, 0x03, 0xFE, 0x10, 0x08, 0xB8, 0xBC, 0x99, 0xA4, 0x1A, 0xE9, 0xE9,
        0x56, 0x28, 0xBC, 0x64, 0xF2, 0xF1, 0xB2, 0x0C, 0x2D, 0x7E, 0x9F, 0x51, 0x77, 0xA3, 0xC2,
        0x94, 0xD4, 0x46, 0x22, 0x99,
    ]
    /// Both integers have their highest bit set, so each begins with a zero byte.
    private static let signature = [0x30, 0x46, 0x02, 0x21, 0x00] + r + [0x02, 0x21, 0x00] + s

    private let key: P256PublicKey

    init() throws {
        key = try #require(P256PublicKey(x963: Self.point))
    }

    @Test func `a published signature is valid, its high s notwithstanding`() {
        #expect(Self.signature.count == P256PublicKey.derSignatureByteCountMax)
        #expect(key.isValidSignature(Self.signature, over: Self.message))
    }

    @Test func `another message, another key and an empty message are refused`() throws {
        #expect(!key.isValidSignature(Self.signature, over: Array("test".utf8)))
        #expect(!key.isValidSignature(Self.signature, over: []))
        let other = try #require(P256PublicKey(x963: P256PublicKeyTests.generator))
        #expect(!other.isValidSignature(Self.signature, over: Self.message))
    }

    @Test func `the digest in the message's place is refused`() {
        let digest = SHA256.hash(Self.message).bytes
        #expect(!key.isValidSignature(Self.signature, over: digest))
    }

    @Test func `every cut and every change of one bit is refused`() {
        for count in 0..<Self.signature.count {
            let cut = Array(Self.signature.prefix(count))
            #expect(!key.isValidSignature(cut, over: Self.message))
        }
        var signature = Self.signature
        for position in signature.indices {
            for bit in 0..<8 {
                signature[position] ^= 1 << bit
                #expect(!key.isValidSignature(signature, over: Self.message))
                signature[position] ^= 1 << bit
            }
        }
    }

    @Test func `other spellings of the same numbers are refused`() {
        let body = Self.signature.dropFirst(2)
        // A length in two bytes, an integer with a needless zero, bytes after the sequence.
        #expect(!key.isValidSignature([0x30, 0x81, 0x46] + body, over: Self.message))
        let padded = [0x30, 0x47, 0x02, 0x22, 0x00] + body.dropFirst(2)
        #expect(!key.isValidSignature(padded, over: Self.message))
        #expect(!key.isValidSignature(Self.signature + [0], over: Self.message))
        #expect(!key.isValidSignature(Self.r + Self.s, over: Self.message))
    }

    @Test func `refusals leave nothing in the thread's error queue`() {
        OpenSSLErrorQueue.clear()
        _ = P256PublicKey(x963: [UInt8](repeating: 4, count: 65))
        #expect(OpenSSLErrorQueue.isEmpty)
        _ = key.isValidSignature([0x30, 0x03, 0x02, 0x01], over: Self.message)
        #expect(OpenSSLErrorQueue.isEmpty)
        _ = Certificate(der: [0x30, 0x03, 0x02, 0x01, 0x00])
        #expect(OpenSSLErrorQueue.isEmpty)
    }
}
