import Foundation
import LibCrypto
import Testing

/// The key of RFC 7515, A.3, in the file format in which Apple hands keys out.
@Suite struct P256SigningKeyTests {
    /// The `d` of the RFC's key.
    private static let scalar: [UInt8] = [
        0x8E, 0x9B, 0x10, 0x9E, 0x71, 0x90, 0x98, 0xBF, 0x98, 0x04, 0x87, 0xDF, 0x1F, 0x5D, 0x77,
        0xE9, 0xCB, 0x29, 0x60, 0x6E, 0xBE, 0xD2, 0x26, 0x3B, 0x5F, 0x57, 0xC2, 0x13, 0xDF, 0x84,
        0xF4, 0xB2,
    ]
    /// PKCS#8 (RFC 5208, 5) around an ECPrivateKey (RFC 5915, 3) on prime256v1, up to the scalar.
    private static let header: [UInt8] = [
        0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02,
        0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25,
        0x02, 0x01, 0x01, 0x04, 0x20,
    ]

    private static func pem(_ der: [UInt8], label: String = "PRIVATE KEY") -> [UInt8] {
        let body = Data(der).base64EncodedString(options: .lineLength64Characters)
        return Array("-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n".utf8)
    }

    @Test func `a file as Apple hands them out holds the key`() throws {
        let key = try #require(P256SigningKey(pem: Self.pem(Self.header + Self.scalar)))
        // The `x` of the RFC's key.
        let x = Data(key.publicKey.x963[1...32]).base64EncodedString()
        #expect(x == "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU=")
    }

    @Test func `a signature is 64 bytes that the public key takes, whatever its numbers`() throws {
        let key = try #require(P256SigningKey(pem: Self.pem(Self.header + Self.scalar)))
        // One in 128 has a number that begins with a zero byte, which DER leaves out.
        for count in 0..<600 {
            let message = [UInt8](repeating: 7, count: count)
            let signature = key.jwsSignature(over: message)
            #expect(signature.count == 64)
            let der = Self.der(signature)
            #expect(key.publicKey.isValidSignature(der, over: message))
            #expect(!key.publicKey.isValidSignature(der, over: message + [7]))
        }
    }

    @Test func `what is no key in PEM on this curve is none`() {
        let encoding = Self.header + Self.scalar
        #expect(P256SigningKey(pem: []) == nil)
        #expect(P256SigningKey(pem: Array("-----BEGIN PRIVATE KEY-----\n".utf8)) == nil)
        #expect(P256SigningKey(pem: encoding) == nil)
        #expect(P256SigningKey(pem: Self.pem(encoding, label: "PUBLIC KEY")) == nil)
        #expect(P256SigningKey(pem: Self.pem(Array(encoding.dropLast()))) == nil)
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(P256SigningKey(pem: Self.pem(Self.header + zero)) == nil)
        // secp256k1: as long, another curve.
        let other: [UInt8] =
            [
                0x30, 0x3E, 0x02, 0x01, 0x00, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
                0x02, 0x01, 0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A, 0x04, 0x27, 0x30, 0x25, 0x02,
                0x01, 0x01, 0x04, 0x20,
            ] + Self.scalar
        #expect(P256SigningKey(pem: Self.pem(other)) == nil)
        let long = Self.pem(encoding) + [UInt8](repeating: 0x0A, count: 16_384)
        #expect(P256SigningKey(pem: long) == nil)
    }

    @Test func `an encrypted key is refused without asking anybody for its password`() {
        let encrypted = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgujCCpN+s+HAICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEED1YVNgai92umnGivZ/AOOoEgZAU
            zOdceskCTRfXVSiS6UIdLT+jyHXc4lVaVDlTx3kJ8fqXCqKMm67JgTfLCoxF4vJt
            OfLIUeE+mQKdhVt8wm/ymXzcs0AAoezxDXcpsKo5f4Rw85ywM51ppyrqg7fhuLn/
            Fg1Y0OzQHpi5q10tQcpE3WhXJ35JMfHtq2DmQbUeiRkgKhnTpOQ3AWMOSgBBfxU=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        #expect(P256SigningKey(pem: Array(encrypted.utf8)) == nil)
    }

    /// ECDSA-Sig-Value in DER from r ‖ s.
    private static func der(_ signature: [UInt8]) -> [UInt8] {
        let numbers = [signature.prefix(32), signature.suffix(32)].flatMap { half -> [UInt8] in
            var number = Array(half.drop { $0 == 0 })
            if let first = number.first, first >= 0x80 { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
