import Foundation
import LibCrypto
import SampleKeys
import Testing
import Wire

@testable import Worker

@Suite struct TokenKeyTests {
    @Test func `a key is named by its thumbprint`() {
        let key = TokenSamples.key(RFC7638.key)
        #expect(key.id == RFC7638.thumbprint)
        #expect(key.algorithm == .rs256)
        #expect(TokenSamples.key(SampleKeys.p256(1)).algorithm == .es256)
    }

    @Test(arguments: [SampleKeys.rsa, RFC7638.key, SampleKeys.p256(1), SampleKeys.p256(255)])
    func `the key set has a public half, and nothing private`(pem: [UInt8]) throws {
        let key = TokenSamples.key(pem)
        let member = try #require(
            JSONSerialization.jsonObject(with: Data(key.publicJSON.utf8)) as? [String: String])
        let names: Set<String> =
            key.algorithm == .es256
            ? ["alg", "crv", "kid", "kty", "use", "x", "y"]
            : ["alg", "e", "kid", "kty", "n", "use"]
        #expect(Set(member.keys) == names)
        #expect(member["kid"] == key.id)
        #expect(member["alg"] == key.algorithm.rawValue)
        #expect(member["use"] == "sig")
        // The thumbprint is over the members that RFC 7638 requires, in the order of their names.
        let required = names.subtracting(["alg", "kid", "use"]).sorted()
        let members = required.map { "\"\($0)\":\"\(member[$0] ?? "")\"" }
        let text = "{" + members.joined(separator: ",") + "}"
        #expect(Base64.encodeForURL(SHA256.hash(Array(text.utf8)).bytes) == key.id)
    }

    @Test func `what is no key is refused`() {
        #expect(TokenKey(pem: []) == nil)
        #expect(TokenKey(pem: Array(SampleKeys.p256(1).dropLast(60))) == nil)
    }

    @Test func `no text of a key tells it`() {
        let key = TokenSamples.key(SampleKeys.p256(1))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(dumped.contains(key.id))
        #expect("\(key)" == "ES256 key \(key.id)")
        #expect(key != TokenSamples.key(SampleKeys.p256(2)))
        #expect(key == TokenSamples.key(SampleKeys.p256(1)))
    }

    @Test func `a policy has one to eight keys, each once`() {
        let keys = (1...9).map { TokenSamples.key(SampleKeys.p256($0)) }
        #expect(TokenPolicy(issuer: "i", keys: []) == nil)
        #expect(TokenPolicy(issuer: "i", keys: keys) == nil)
        #expect(TokenPolicy(issuer: "i", keys: [keys[0], keys[1], keys[0]]) == nil)
        let policy = TokenPolicy(issuer: "i", keys: Array(keys.prefix(8)))
        #expect(policy?.current == keys[0])
        #expect(policy?.others.count == 7)
    }

    @Test func `the key set has all keys, the one that signs first`() throws {
        let policy = TokenSamples.policy(SampleKeys.p256(1), SampleKeys.rsa)
        let set = try #require(
            try JSONSerialization.jsonObject(with: Data(policy.keySet)) as? [String: Any])
        let keys = try #require(set["keys"] as? [[String: String]])
        #expect(keys.map { $0["kid"] } == [policy.current.id, policy.others.first?.id])
    }
}
