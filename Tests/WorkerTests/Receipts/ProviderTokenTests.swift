import AppAttest
import Foundation
import LibCrypto
import Testing
import Wire
import Worker

@Suite struct ProviderTokenTests {
    private let key: ProviderKey
    private static let now = Instant(milliseconds: 1_790_000_000_999)

    init() throws {
        // PKCS#8 around the scalar 7, 7, 7…
        let encoding =
            try #require(Base64.decode("MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCAH"))
            + [UInt8](repeating: 7, count: 31)
        let pem = """
            -----BEGIN PRIVATE KEY-----
            \(Base64.encode(encoding))
            -----END PRIVATE KEY-----
            """
        key = ProviderKey(
            keyID: "ABC123DEFG", teamID: "0123456789",
            key: try #require(P256SigningKey(pem: Array(pem.utf8))))
    }

    @Test func `a token names key and team, and is signed`() throws {
        let token = ProviderToken(key, at: Self.now)
        let parts = token.text.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(token.text.utf8.allSatisfy { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "+") })
        let header = try #require(Base64.decode(String(parts[0])))
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        let claims = try #require(Base64.decode(String(parts[1])))
        #expect(
            String(decoding: claims, as: UTF8.self) == #"{"iss":"0123456789","iat":1790000000}"#)
        #expect(try #require(Base64.decode(String(parts[2]))).count == 64)
    }

    @Test func `a token is used for ten minutes, and no longer after the clock was set back`() {
        let token = ProviderToken(key, at: Self.now)
        #expect(token.isFresh(at: Self.now))
        #expect(token.isFresh(at: Self.now.advanced(by: .seconds(598))))
        #expect(!token.isFresh(at: Self.now.advanced(by: .seconds(600))))
        #expect(!token.isFresh(at: Self.now.advanced(by: .seconds(-2))))
    }
}
