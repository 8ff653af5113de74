import AppAttest
import AttestTestKit
import Testing
import Wire
import Worker

/// Challenges that are asked for on the request topic.
@Suite struct ChallengeRequestTests {
    private var pure = PureDecision()

    init() {
        pure.rules.challenge = .signed
        pure.challenges = ChallengeSamples.policy
    }

    private func verdict(
        id: String? = "r-1", appID: String = Scenario.appID, purpose: String = "assertion",
        timestamp: Int64 = Scenario.now.milliseconds, pure changed: PureDecision? = nil
    ) throws -> ReceivedVerdict {
        var scenario = Scenario()
        scenario.askForChallenge(id: id, appID: appID, purpose: purpose, timestamp: timestamp)
        return try (changed ?? pure).verdict(scenario)
    }

    @Test func `it is one that the app may use, until it expires`() throws {
        let verdict = try verdict()
        #expect(verdict.outcome == "accepted")
        #expect(verdict.type == "challenge")
        #expect(verdict.appId == Scenario.appID)
        #expect(verdict.requestId == "r-1")
        #expect(verdict.ttl == "300s")
        #expect(verdict.keyId == nil)
        let challenge = try SignedChallenge(
            verifying: try #require(verdict.challenge.flatMap { Base64.decode($0) }),
            appID: Scenario.appID, purpose: .assertion, at: Scenario.now,
            secrets: ChallengeSamples.ring("new"))
        #expect(challenge.purpose == .assertion)
        #expect(challenge.expiry == Scenario.now.advanced(by: .seconds(300)))
    }

    @Test func `the same record has the same one, every other record another one`() throws {
        let first = try verdict()
        #expect(try verdict() == first)
        let others = [
            try verdict(id: "r-2"), try verdict(id: nil),
            try verdict(timestamp: Scenario.now.milliseconds + 1),
        ]
        #expect(Set(([first] + others).map(\.challenge)).count == 4)
    }

    @Test func `a challenge that was asked for in the batch is used in it`() throws {
        var device = Scenario.device(310)
        let bytes = try #require(try verdict().challenge.flatMap { Base64.decode($0) })
        var scenario = Scenario()
        scenario.askForChallenge(id: "r-1", appID: Scenario.appID, purpose: "assertion")
        scenario.assert(&device, clientData: bytes)
        scenario.assert(&device, clientData: bytes)
        var pure = pure
        pure.keys = [device.keyID: StoredKey(of: device)]
        let (verdicts, writes) = try pure.run(scenario)
        #expect(verdicts.map(\.reason) == [nil, nil, "challenge_used"])
        #expect(writes.once.count == 1)
        #expect(writes.inbox.count == 3)
    }

    @Test func `what can't be had is refused`() throws {
        #expect(try verdict(appID: "1234567890.com.example.none").reason == "unknown_app")
        let late = Scenario.now.milliseconds - 8 * 86_400_000
        #expect(try verdict(timestamp: late).reason == "request_too_old")
        var without = pure
        without.challenges = nil
        let refused = try verdict(pure: without)
        #expect(refused.reason == "not_configured")
        #expect(refused.retryable == true)
        #expect(refused.challenge == nil)
    }
}

extension Scenario {
    /// Appends a request for a challenge, for a test that looks at its verdict.
    mutating func askForChallenge(
        id: String?, appID: String, purpose: String, partition: Int32 = 0,
        timestamp: Int64 = Scenario.now.milliseconds
    ) {
        let requestID = id.map { #""requestId":"\#($0)","# } ?? ""
        append(
            Array(
                #"{\#(requestID)"type":"challenge","appId":"\#(appID)","purpose":"\#(purpose)"}"#
                    .utf8), partition: partition, id: id, timestamp: timestamp)
    }
}
