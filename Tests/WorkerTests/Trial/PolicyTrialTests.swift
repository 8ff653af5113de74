import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import Testing
import Wire
import Worker

/// What another policy makes of what was decided.
@Suite struct PolicyTrialTests {
    private static func policy(
        environments: Set<AttestationEnvironment> = [.production],
        apps: [String] = [Scenario.appID], _ adjust: (inout AppRules) -> Void = { _ in }
    ) throws -> Policy {
        let policy = try Scenario.policy(apps: apps)
        return Policy(
            apps: policy.apps.values.map { app in
                var app = app
                app.relyingParty = RelyingParty(
                    appID: app.relyingParty.appID, environments: environments,
                    trustAnchor: app.relyingParty.trustAnchor)
                adjust(&app.rules)
                return app
            }, maxRequestAge: policy.maxRequestAge, maxClockSkew: policy.maxClockSkew)
    }

    /// Two keys of one owner: the first is attested twice and asserts, the second only registers;
    /// and a forged assertion.
    private static func world(_ policy: Policy, answers: (String, String)) throws -> LaneWorld {
        var scenario = Scenario()
        var first = Scenario.device(110)
        scenario.register(first, partition: 0, subject: "ann")
        scenario.register(first, partition: 0, subject: "ann", answer: answers.0)
        var forged = scenario.assert(&first, partition: 0)
        forged.payload = Array("other".utf8)
        scenario.send(forged, of: first, partition: 0, id: nil, answer: "signature_invalid")
        scenario.register(Scenario.device(111), partition: 0, subject: "ann", answer: answers.1)
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 1, policy: policy) == nil)
        try world.checkOracle("world")
        return world
    }

    private static func outcomes(
        _ trial: PolicyTrial, of world: LaneWorld
    ) throws -> [PolicyTrial.Outcome] {
        let rows = world.database.rows
        return try world.kafka.published.map { record in
            let verdict = try ReceivedVerdict(parsing: record.value ?? [])
            let keyID = try #require(verdict.keyId.flatMap { KeyID(text: $0) })
            // Two keys of one millisecond: the second comes later.
            let created = rows.keys.keys.map { _ in Scenario.now }
            let isSecond = keyID == Scenario.device(111).keyID
            let registeredAt = Instant(
                milliseconds: Scenario.now.milliseconds + (isSecond ? 1 : 0))
            return trial.judge(
                PolicyTrial.Case(
                    verdict: record.value ?? [], keyID: keyID, key: rows.keys[keyID]?.key,
                    registeredAt: rows.keys[keyID] == nil ? nil : registeredAt, owned: created))
        }
    }

    @Test func `the same policy gives the same verdicts`() throws {
        let policy = try Self.policy()
        let world = try Self.world(policy, answers: ("accepted", "accepted"))
        let outcomes = try Self.outcomes(PolicyTrial(policy, now: Scenario.now), of: world)
        #expect(outcomes == Array(repeating: .same, count: 5))
    }

    @Test func `a stricter policy refuses what it says, and no more`() throws {
        let world = try Self.world(try Self.policy(), answers: ("accepted", "accepted"))
        func told(_ policy: Policy) throws -> [PolicyTrial.Outcome] {
            try Self.outcomes(PolicyTrial(policy, now: Scenario.now), of: world)
        }
        let environment = PolicyTrial.Outcome.wouldBeRefused("environment_mismatch")
        #expect(
            try told(Self.policy(environments: [.development]))
                == [environment, environment, environment, .same, environment])
        #expect(
            try told(Self.policy(apps: ["OTHER.app"])) == [
                .wouldBeRefused("app_id_mismatch"), .wouldBeRefused("app_id_mismatch"),
                .wouldBeRefused("unknown_app"), .same, .wouldBeRefused("app_id_mismatch"),
            ])
        #expect(
            try told(Self.policy { $0.reattestation = .reject })
                == [.same, .wouldBeRefused("key_already_registered"), .same, .same, .same])
        #expect(
            try told(Self.policy { $0.reattestation = .report })
                == [.same, .wouldBeReported(["key_already_registered"]), .same, .same, .same])
        #expect(
            try told(Self.policy { $0.keysPerSubject.keysMax = 1 })
                == [.same, .same, .same, .same, .wouldBeRefused("too_many_keys")])
        var revoking = try Self.policy()
        let key = Scenario.device(110).keyID.text
        revoking.revocations = try RevocationList(
            parsing: Array("attest-revocations 1\nkey \(key)\nend 1".utf8))
        let revoked = PolicyTrial.Outcome.wouldBeRefused("key_revoked")
        #expect(try told(revoking) == [revoked, revoked, revoked, .same, .same])
    }

    @Test func `a laxer policy may accept what the stricter one refused`() throws {
        let world = try Self.world(
            try Self.policy { $0.reattestation = .reject },
            answers: ("key_already_registered", "accepted"))
        let outcomes = try Self.outcomes(
            PolicyTrial(try Self.policy(), now: Scenario.now), of: world)
        #expect(outcomes == [.same, .mayBeAccepted("key_already_registered"), .same, .same, .same])
    }

    @Test func `what can't be read can't be told`() throws {
        let trial = PolicyTrial(try Self.policy(), now: Scenario.now)
        for verdict in ["", "{}", "[1]", #"{"outcome":"accepted"}"#] {
            let given = PolicyTrial.Case(
                verdict: Array(verdict.utf8), keyID: nil, key: nil, registeredAt: nil, owned: [])
            #expect(trial.judge(given) == .unknown)
        }
    }
}
