import SampleKeys
import SeededNumbers
import Testing
import Wire

@testable import Worker

/// Tokens as text: what is made is taken, and nothing else.
@Suite struct TokenPolicyTests {
    private static let claims = TokenClaims(
        issuer: "https://attest.example", subject: "1:2:ios:3", audience: ["a", "b/\"c\""],
        issuedAt: 1_700_000_000, expiry: 1_700_003_600, id: "id",
        proof: TokenClaims.Proof(
            environment: "production", validationCategory: 4, reattested: true))

    @Test(arguments: [SampleKeys.rsa, SampleKeys.p256(7)])
    func `what a key signs is taken with it, whichever place it has`(pem: [UInt8]) {
        let token = TokenSamples.policy(pem, SampleKeys.p256(1)).token(Self.claims)
        #expect(TokenSamples.policy(pem).verifiedClaims(of: token) == Self.claims)
        #expect(
            TokenSamples.policy(SampleKeys.p256(1), pem).verifiedClaims(of: token) == Self.claims)
        #expect(TokenSamples.policy(SampleKeys.p256(1)).verifiedClaims(of: token) == nil)
    }

    @Test func `all claims go there and back`() {
        let policy = TokenSamples.policy(SampleKeys.p256(1))
        var claims = Self.claims
        claims.id = nil
        claims.proof = TokenClaims.Proof(environment: "development", isSimulated: true)
        #expect(policy.verifiedClaims(of: policy.token(claims)) == claims)
    }

    @Test func `claims are written with sorted names`() {
        let json = String(decoding: Self.claims.encode(), as: UTF8.self)
        #expect(
            json == #"{"app_attest":{"environment":"production","reattested":true,"#
                + #""validation_category":4},"aud":["a","b/\"c\""],"exp":1700003600,"#
                + #""iat":1700000000,"iss":"https://attest.example","jti":"id","#
                + #""sub":"1:2:ios:3"}"#)
    }

    @Test(arguments: [SampleKeys.rsa, SampleKeys.p256(7)])
    func `no change of a character is taken`(pem: [UInt8]) {
        let policy = TokenSamples.policy(pem)
        let token = Array(policy.token(Self.claims).utf8)
        for place in token.indices {
            for replacement in "A_" where token[place] != replacement.asciiValue {
                var altered = token
                altered[place] = replacement.asciiValue ?? 0
                #expect(
                    policy.verifiedClaims(of: String(decoding: altered, as: UTF8.self)) == nil,
                    "character \(place) as \(replacement)")
            }
        }
    }

    @Test func `no other shape is taken`() {
        let policy = TokenSamples.policy(SampleKeys.rsa, SampleKeys.p256(7))
        let token = policy.token(Self.claims)
        let parts = token.split(separator: ".").map(String.init)
        let none = Base64.encodeForURL(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        // The key's own name, and the other key's algorithm: signed, as it were, with its public
        // half.
        let confused = Base64.encodeForURL(
            Array(#"{"alg":"HS256","kid":"\#(policy.current.id)","typ":"JWT"}"#.utf8))
        for broken in [
            "", ".", "..", "...", token + ".", "." + token, token + "=", token + " ", " " + token,
            token + "\n", parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".",
            none + "." + parts[1] + ".", confused + "." + parts[1] + "." + parts[2],
            policy.others[0].header + "." + parts[1] + "." + parts[2],
            parts[0] + ".." + parts[2], token + "\u{301}",
            String(repeating: "a", count: TokenPolicy.tokenBytesMax + 1),
        ] {
            #expect(policy.verifiedClaims(of: broken) == nil, "\(broken.prefix(40))")
        }
    }

    @Test func `a key that signs other claims makes no token`() {
        let policy = TokenSamples.policy(SampleKeys.rsa)
        for json in ["", "{}", "[]", #"{"iss":"i","sub":"s","aud":"a","exp":1,"iat":0}"#] {
            let signed = "\(policy.current.header).\(Base64.encodeForURL(Array(json.utf8)))"
            let signature = policy.current.signature(over: Array(signed.utf8))
            let token = "\(signed).\(Base64.encodeForURL(signature))"
            #expect(policy.verifiedClaims(of: token) == nil)
        }
    }
}
