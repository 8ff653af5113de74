import AppAttest
import AttestTestKit
import Foundation
import LibCrypto
import SampleKeys
import Wire

@testable import Worker

/// Keys, and an app that gets tokens.
enum TokenSamples {
    static let app = AppTokens(
        subject: "1:123:ios:abc", audience: ["projects/123", "projects/demo"],
        lifetime: .seconds(7200), limitedUseLifetime: .seconds(60))

    static func key(_ pem: [UInt8]) -> TokenKey {
        guard let key = TokenKey(pem: pem) else { preconditionFailure("the samples are keys") }
        return key
    }

    /// The first of the files signs.
    static func policy(
        _ pems: [UInt8]..., issuer: String = "https://attest.example"
    ) -> TokenPolicy {
        guard let policy = TokenPolicy(issuer: issuer, keys: pems.map(key)) else {
            preconditionFailure("a policy has some keys, each once")
        }
        return policy
    }

    /// A policy with the app, its challenges and its tokens.
    static func fullPolicy(_ tokens: TokenPolicy) throws -> Policy {
        var rules = AppRules()
        rules.challenge = .signed
        var policy = try Scenario.policy(rules: rules, tokens: app)
        policy.challenges = ChallengeSamples.policy
        policy.tokens = tokens
        return policy
    }

    /// A token of the app, for limited use unless it is told otherwise.
    static func token(
        _ id: String?, by policy: TokenPolicy, expiresIn seconds: Int64 = 60,
        adjusted adjust: (inout TokenClaims) -> Void = { _ in }
    ) -> String {
        let now = Scenario.now.wholeSeconds
        var claims = TokenClaims(
            issuer: policy.issuer, subject: app.subject, audience: app.audience,
            issuedAt: now - 10, expiry: now + seconds, id: id,
            proof: TokenClaims.Proof(environment: "production"))
        adjust(&claims)
        return policy.token(claims)
    }

    /// The three parts of a token, decoded; nil where it has not three.
    static func parts(of token: String) -> (header: [String: Any], claims: [String: Any])? {
        let parts = token.split(separator: ".").map { Base64.decode(String($0)) ?? [] }
        guard parts.count == 3,
            let header = try? JSONSerialization.jsonObject(with: Data(parts[0])),
            let claims = try? JSONSerialization.jsonObject(with: Data(parts[1]))
        else { return nil }
        return (header as? [String: Any] ?? [:], claims as? [String: Any] ?? [:])
    }
}

extension Scenario {
    /// A registration in the plain dialect with further members, for a test that looks at its
    /// verdict.
    mutating func register(
        _ device: SimulatedDevice, id: String, adding members: String = "",
        challenge: [UInt8]? = nil
    ) {
        let challenge = challenge ?? Array("challenge of \(id)".utf8)
        let minted = device.attest(
            clientDataHash: ClientDataHash(hashing: challenge), at: Self.now)
        send("attestation", minted.object, of: device, challenge, id: id, members)
    }

    /// An assertion, likewise.
    mutating func assert(
        _ device: inout SimulatedDevice, id: String, adding members: String = ""
    ) {
        let payload = Array("payload of \(id)".utf8)
        let minted = device.assert(clientDataHash: ClientDataHash(hashing: payload))
        send("assertion", minted.object, of: device, payload, id: id, members)
    }

    private mutating func send(
        _ field: String, _ object: [UInt8], of device: SimulatedDevice, _ clientData: [UInt8],
        id: String, _ members: String
    ) {
        let json =
            #"{"requestId":"\#(id)","keyId":"\#(device.keyID.text)","#
            + #""\#(field)":"\#(Base64.encode(object))","#
            + #""clientData":"\#(Base64.encode(clientData))"\#(members)}"#
        append(Array(json.utf8), key: Array(device.keyID.text.utf8), partition: 0, id: id)
    }
}
