import AppAttest
import AttestTestKit
import LibCrypto
import SampleKeys
import Testing
import Wire

@testable import Worker

/// Tokens for limited use that are consumed: one of ours, in time, once.
@Suite struct ConsumeTests {
    private var pure = PureDecision()
    private let policy = TokenSamples.policy(SampleKeys.rsa, SampleKeys.p256(1))

    init() {
        pure.tokens = policy
        pure.appTokens = TokenSamples.app
    }

    private func answers(
        _ tokens: [String], adding members: String = "",
        timestamp: Int64 = Scenario.now.milliseconds
    ) throws -> (verdicts: [ReceivedVerdict], once: [UsedOnce]) {
        var scenario = Scenario()
        for token in tokens {
            scenario.serve(
                #""type":"consume","token":"\#(token)"\#(members)"#, timestamp: timestamp,
                answer: nil)
        }
        let (verdicts, writes) = try pure.run(scenario)
        return (verdicts, writes.once)
    }

    private func answer(
        _ token: String, adding members: String = "",
        timestamp: Int64 = Scenario.now.milliseconds
    ) throws -> ReceivedVerdict {
        try #require(try answers([token], adding: members, timestamp: timestamp).verdicts.first)
    }

    @Test func `the first one consumes it, the second is told`() throws {
        let token = TokenSamples.token("one", by: policy)
        let (verdicts, once) = try answers([token, token])
        #expect(verdicts.map(\.outcome) == ["accepted", "accepted"])
        #expect(verdicts.map(\.alreadyConsumed) == [nil, true])
        #expect(verdicts.map(\.appId) == [Scenario.appID, Scenario.appID])
        #expect(verdicts.map(\.type) == ["consume", "consume"])
        #expect(verdicts.allSatisfy { $0.token == nil && $0.keyId == nil && $0.ttl == nil })
        #expect(once.count == 1)
        #expect(once.first?.expiry == Instant(seconds: Scenario.now.wholeSeconds + 60))
    }

    @Test func `what was consumed in another batch is told too, and used up once`() throws {
        let token = TokenSamples.token("one", by: policy)
        var later = self
        later.pure.used = Set(try answers([token]).once.map(\.id))
        let (verdicts, once) = try later.answers([token])
        #expect(verdicts.map(\.alreadyConsumed) == [true])
        #expect(once.isEmpty)
    }

    @Test func `two tokens are two, and a challenge is no token`() throws {
        let (verdicts, once) = try answers([
            TokenSamples.token("one", by: policy), TokenSamples.token("two", by: policy),
        ])
        #expect(verdicts.map(\.alreadyConsumed) == [nil, nil])
        #expect(Set(once.map(\.id)).count == 2)
    }

    @Test func `a token that a verdict had is one, whichever key signs now`() throws {
        var issuing = pure
        issuing.tokens = TokenSamples.policy(SampleKeys.p256(1))
        var device = Scenario.device(520)
        issuing.keys = [device.keyID: StoredKey(of: device)]
        var scenario = Scenario()
        scenario.assert(&device, id: "a-1", adding: #","limitedUse":true"#)
        let token = try #require(try issuing.verdict(scenario).token)
        #expect(try answers([token, token]).verdicts.map(\.alreadyConsumed) == [nil, true])
    }

    @Test func `it is judged at the record's timestamp`() throws {
        let token = TokenSamples.token("one", by: policy, expiresIn: 60)
        let end = (Scenario.now.wholeSeconds + 60) * 1000
        #expect(try answer(token, timestamp: end - 1).outcome == "accepted")
        #expect(try answer(token, timestamp: end).reason == "token_expired")
        var later = self
        later.pure.now = Scenario.now.advanced(by: .seconds(86_400))
        #expect(try later.answer(token).outcome == "accepted")
        let old = Scenario.now.milliseconds - 8 * 86_400_000
        #expect(try answer(token, timestamp: old).reason == "request_too_old")
    }

    @Test func `what is none of ours, or for nobody of ours, is refused`() throws {
        let other = TokenSamples.policy(SampleKeys.p256(9))
        let foreign: [(String, String)] = [
            (TokenSamples.token("one", by: other), "token_invalid"),
            ("a.b.c", "token_invalid"), ("nothing", "token_invalid"),
            (TokenSamples.token("one", by: policy) { $0.issuer += "/" }, "token_invalid"),
            (TokenSamples.token("one", by: policy) { $0.subject = "other" }, "token_invalid"),
            (TokenSamples.token("one", by: policy) { $0.audience = ["other"] }, "token_invalid"),
            (TokenSamples.token("one", by: policy) { $0.audience = [] }, "token_invalid"),
            (TokenSamples.token(nil, by: policy), "token_not_limited_use"),
            (TokenSamples.token("one", by: policy, expiresIn: 0), "token_expired"),
            (TokenSamples.token(nil, by: policy, expiresIn: -9), "token_expired"),
        ]
        let (verdicts, once) = try answers(foreign.map(\.0))
        #expect(verdicts.map(\.reason) == foreign.map(\.1))
        #expect(verdicts.allSatisfy { $0.retryable == false && $0.alreadyConsumed == nil })
        #expect(once.isEmpty)
        // One of several audiences is enough.
        let shared = TokenSamples.token("one", by: policy) { $0.audience = ["x", "projects/123"] }
        #expect(try answer(shared).outcome == "accepted")
    }

    @Test func `a service may insist on its app`() throws {
        let token = TokenSamples.token("one", by: policy)
        let wrong = try answers([token], adding: #","appId":"1234567890.com.example.other""#)
        #expect(wrong.verdicts.map(\.reason) == ["app_id_mismatch"])
        #expect(wrong.once.isEmpty)
        #expect(
            try answer(token, adding: #","appId":"\#(Scenario.appID)""#).outcome == "accepted")
    }

    @Test func `a service may insist on whom the token is for`() throws {
        let token = TokenSamples.token("one", by: policy) { $0.audience += ["projects/mine"] }
        for other in ["projects/12", "projects/1234", "Projects/123", "projects/other"] {
            let wrong = try answers([token], adding: #","audience":"\#(other)""#)
            #expect(wrong.verdicts.map(\.reason) == ["token_invalid"])
            #expect(wrong.once.isEmpty, "it can still be consumed where it belongs")
        }
        for own in ["projects/123", "projects/mine"] {
            #expect(
                try answer(token, adding: #","audience":"\#(own)""#).outcome == "accepted")
        }
        // Another audience of the app's is not enough, where the token does not name it.
        var wider = self
        wider.pure.appTokens?.audience.append("projects/later")
        #expect(
            try wider.answer(token, adding: #","audience":"projects/later""#).reason
                == "token_invalid")
    }

    @Test func `where there are no tokens, nothing is consumed`() throws {
        let token = TokenSamples.token("one", by: policy)
        var without = self
        without.pure.tokens = nil
        let verdict = try without.answer(token)
        #expect(verdict.reason == "not_configured")
        #expect(verdict.retryable == true)
        without.pure.tokens = policy
        without.pure.appTokens = nil
        #expect(try without.answer(token).reason == "token_invalid")
    }
}
