import AppAttest
import AttestTestKit
import Foundation
import SampleKeys
import Testing
import Wire

@testable import Worker

/// What accepted requests are answered with, where their app gets tokens.
@Suite struct TokenRuleTests {
    private var pure = PureDecision()
    private let policy = TokenSamples.policy(SampleKeys.rsa)

    init() {
        pure.tokens = policy
        pure.appTokens = TokenSamples.app
    }

    private func registered(
        _ device: SimulatedDevice, id: String = "r-1", adding members: String = ""
    ) throws -> ReceivedVerdict {
        var scenario = Scenario()
        scenario.register(device, id: id, adding: members)
        return try pure.verdict(scenario)
    }

    private func asserted(
        _ device: SimulatedDevice, id: String = "r-1", adding members: String = "",
        signCount: UInt32 = 0
    ) throws -> ReceivedVerdict {
        var (device, pure) = (device, pure)
        pure.keys = [device.keyID: StoredKey(of: device, signCount: signCount)]
        var scenario = Scenario()
        scenario.assert(&device, id: id, adding: members)
        return try pure.verdict(scenario)
    }

    @Test func `a registration is answered with a token of its app`() throws {
        let verdict = try registered(Scenario.device(501))
        #expect(verdict.outcome == "accepted")
        #expect(verdict.token == nil)
        #expect(verdict.ttl == nil)
        let token = try #require(verdict.appCheckToken)
        #expect(token.ttl == "7200s")
        let seconds = Scenario.now.wholeSeconds
        #expect(
            policy.verifiedClaims(of: token.token)
                == TokenClaims(
                    issuer: policy.issuer, subject: "1:123:ios:abc",
                    audience: ["projects/123", "projects/demo"], issuedAt: seconds,
                    expiry: seconds + 7200,
                    proof: TokenClaims.Proof(
                        environment: "production", validationCategory: 4, reattested: false)))
        let parts = try #require(TokenSamples.parts(of: token.token))
        #expect(
            parts.header as? [String: String]
                == ["alg": "RS256", "kid": policy.current.id, "typ": "JWT"])
    }

    @Test func `a second attestation says so`() throws {
        let device = Scenario.device(502)
        var again = self
        again.pure.keys = [device.keyID: StoredKey(of: device)]
        let token = try #require(try again.registered(device).appCheckToken?.token)
        #expect(policy.verifiedClaims(of: token)?.proof.reattested == true)
    }

    @Test(arguments: [nil, false, true])
    func `an assertion says what is known of its key's attestations`(reattested: Bool?) throws {
        let device = Scenario.device(513)
        var known = self
        var key = StoredKey(of: device)
        key.reattested = reattested
        known.pure.keys = [device.keyID: key]
        var (scenario, asking) = (Scenario(), device)
        scenario.assert(&asking, id: "r-1")
        let token = try #require(try known.pure.verdict(scenario).token)
        #expect(policy.verifiedClaims(of: token)?.proof.reattested == reattested)
    }

    @Test func `an assertion behind a second attestation says so, and one behind the first not`()
        throws
    {
        var device = Scenario.device(514)
        var scenario = Scenario()
        scenario.register(device, id: "r-1")
        scenario.assert(&device, id: "r-2")
        scenario.register(device, id: "r-3")
        scenario.assert(&device, id: "r-4")
        let said = try pure.run(scenario).verdicts.map { verdict in
            let token = try #require(verdict.token ?? verdict.appCheckToken?.token)
            return policy.verifiedClaims(of: token)?.proof.reattested
        }
        #expect(said == [false, false, true, true])
    }

    @Test func `an assertion has it at the top`() throws {
        let verdict = try asserted(Scenario.device(503))
        #expect(verdict.outcome == "accepted")
        #expect(verdict.appCheckToken == nil)
        #expect(verdict.ttl == "7200s")
        let claims = policy.verifiedClaims(of: try #require(verdict.token))
        #expect(
            claims?.proof == TokenClaims.Proof(environment: "production", validationCategory: 4))
        #expect(claims?.id == nil)
    }

    @Test(arguments: [#","limitedUse":true"#, #","limited_use":true"#])
    func `limited use has an id of its own, and little time`(member: String) throws {
        let verdict = try asserted(Scenario.device(504), adding: member)
        #expect(verdict.ttl == "60s")
        let token = try #require(verdict.token)
        let claims = try #require(policy.verifiedClaims(of: token))
        #expect(claims.expiry == claims.issuedAt + 60)
        #expect(claims.id?.count == 22)
        let other = try asserted(Scenario.device(504), id: "r-2", adding: member)
        let otherClaims = policy.verifiedClaims(of: try #require(other.token))
        #expect(otherClaims?.id != claims.id)
        let registration = try registered(Scenario.device(505), adding: member)
        #expect(registration.appCheckToken?.ttl == "60s")
    }

    @Test func `what older systems don't sign is not told`() throws {
        let device = SimulatedDevice(
            seed: 506, appID: Scenario.appID, shape: .iOS17, authority: Scenario.authority)
        let verdict = try asserted(device)
        let claims = policy.verifiedClaims(of: try #require(verdict.token))
        #expect(claims?.proof == TokenClaims.Proof(environment: "production"))
    }

    @Test func `the same record has the same claims whenever it is judged`() throws {
        var later = self
        later.pure.now = Scenario.now.advanced(by: .seconds(86_400))
        let device = Scenario.device(507)
        let member = #","limitedUse":true"#
        #expect(
            try asserted(device, adding: member) == later.asserted(device, adding: member))
    }

    /// What the second of two requests with one id is answered, of which the first is in the inbox.
    private func second(
        _ members: String, after first: String, tokens: TokenPolicy?
    ) throws -> ReceivedVerdict {
        var (device, pure) = (Scenario.device(512), pure)
        pure.keys = [device.keyID: StoredKey(of: device)]
        pure.tokens = tokens
        // The same object in both.
        var again = device
        var (before, after) = (Scenario(), Scenario())
        before.assert(&device, id: "r-1", adding: first)
        after.assert(&again, id: "r-1", adding: members)
        for entry in try pure.run(before).writes.inbox {
            pure.inbox[entry.identity] = entry
        }
        pure.tokens = policy
        return try pure.verdict(after)
    }

    @Test func `a token for limited use is asked for by another request`() throws {
        let limited = #","limitedUse":true"#
        for (before, after) in [("", limited), (limited, "")] {
            let verdict = try second(after, after: before, tokens: policy)
            #expect(verdict.reason == "request_id_conflict")
            #expect(verdict.token == nil)
        }
        let same = try second(limited, after: limited, tokens: policy)
        #expect(same.outcome == "accepted" && same.ttl == "60s")
    }

    @Test func `what was decided before there were tokens stands`() throws {
        // A version before these did not look at limitedUse: its digest is that of one without.
        let verdict = try second(#","limitedUse":true"#, after: "", tokens: nil)
        #expect(verdict.outcome == "accepted")
        #expect(verdict.token == nil)
    }

    @Test func `what is refused gets none`() throws {
        let verdict = try asserted(Scenario.device(508), signCount: 9)
        #expect(verdict.reason == "counter_not_increasing")
        #expect(verdict.token == nil)
        #expect(verdict.ttl == nil)
    }

    @Test func `an app without a public name gets none, and without keys nobody does`() throws {
        var (nameless, keyless) = (self, self)
        nameless.pure.appTokens = nil
        keyless.pure.tokens = nil
        for rule in [nameless, keyless] {
            #expect(try rule.registered(Scenario.device(509)).appCheckToken == nil)
            let verdict = try rule.asserted(Scenario.device(510))
            #expect(verdict.outcome == "accepted")
            #expect(verdict.token == nil && verdict.ttl == nil)
        }
    }

    @Test func `nothing of a token is kept for the audit`() throws {
        let verdict = try asserted(Scenario.device(511))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let published = try encoder.encode(verdict)
        #expect(String(decoding: published, as: UTF8.self).contains("eyJ"))
        let facts = try #require(AuditFacts(parsing: Array(published)))
        let kept = String(decoding: try #require(facts.encoded), as: UTF8.self)
        #expect(!kept.contains("eyJ"))
    }
}
