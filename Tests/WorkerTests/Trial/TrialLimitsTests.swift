import AppAttest
import AttestTestKit
import KeyStoreSuite
import Testing
import Wire
import Worker

/// What a trial makes of rules whose facts are kept in part, or not at all.
@Suite struct TrialLimitsTests {
    private static let keyID = Scenario.device(120).keyID

    /// A policy of one app.
    private static func policy(_ adjust: (inout AppRules) -> Void = { _ in }) throws -> Policy {
        var rules = AppRules()
        adjust(&rules)
        return try Scenario.policy(rules: rules)
    }

    private static func key(_ adjust: (inout StoredKey) -> Void) -> StoredKey {
        var key = StoredKey(
            keyID: keyID, appID: Scenario.appID, environment: .production,
            publicKey: [UInt8](repeating: 4, count: 65), signCount: 9, subject: "ann",
            status: .active, attestedBy: .apple)
        adjust(&key)
        return key
    }

    /// What a policy makes of a verdict with these fields, beside app and environment.
    ///
    /// The key was registered forty days ago.
    private static func judge(
        _ fields: String, hasRow: Bool = true, row: (inout StoredKey) -> Void = { _ in },
        _ adjust: (inout AppRules) -> Void
    ) throws -> PolicyTrial.Outcome {
        let policy = try policy(adjust)
        let verdict =
            #"{"appId":"\#(Scenario.appID)","environment":"production",\#(fields)}"#
        return PolicyTrial(policy, now: Scenario.now).judge(
            PolicyTrial.Case(
                verdict: Array(verdict.utf8), keyID: keyID,
                key: hasRow ? key(row) : nil,
                registeredAt: hasRow ? Scenario.now.advanced(by: .seconds(-40 * 86_400)) : nil,
                owned: []))
    }

    private static let asserted = #""type":"assertion","outcome":"accepted","signCount":9"#
    private static let registered = #""type":"registration","outcome":"accepted","signCount":0"#
    private static func refused(_ type: String, _ reason: String) -> String {
        #""type":"\#(type)","outcome":"rejected","reason":"\#(reason)","signCount":9"#
    }

    @Test func `the metric that a verdict tells is held against another limit`() throws {
        let told = Self.asserted + #","risk":{"asOf":"2026-09-21T14:13:20Z","metric":4}"#
        let reported = told + #","wouldReject":["risk_too_high"]"#
        func judge(_ fields: String, max: Int?, _ mode: Enforcement) throws
            -> PolicyTrial.Outcome
        {
            try Self.judge(fields) {
                $0.riskMetricMax = max
                $0.riskMetric = mode
            }
        }
        #expect(try judge(told, max: 3, .enforce) == .wouldBeRefused("risk_too_high"))
        #expect(try judge(told, max: 4, .enforce) == .same)
        #expect(try judge(told, max: 3, .report) == .wouldBeReported(["risk_too_high"]))
        #expect(try judge(reported, max: 3, .report) == .same)
        #expect(try judge(reported, max: 9, .enforce) == .noLongerReported(["risk_too_high"]))
        #expect(try judge(Self.asserted, max: 0, .enforce) == .same)
        // A refusal does not tell the metric.
        let refusal = Self.refused("assertion", "risk_too_high")
        #expect(try judge(refusal, max: 3, .enforce) == .unknown)
        #expect(try judge(refusal, max: 3, .report) == .mayBeAccepted("risk_too_high"))
        #expect(try judge(refusal, max: nil, .enforce) == .mayBeAccepted("risk_too_high"))
    }

    @Test(arguments: ["counter_jump", "key_idle", "request_too_old", "request_from_the_future"])
    func `what can't be asked again is taken from what was reported`(code: String) throws {
        func judge(_ fields: String, _ mode: Enforcement?) throws -> PolicyTrial.Outcome {
            try Self.judge(fields, row: { $0.lastUsedOn = Day(Scenario.now) }) { rules in
                guard let mode else { return }
                rules.counterJump.max = 1
                rules.counterJump.mode = mode
                rules.idleTime.maxDays = 1
                rules.idleTime.mode = mode
                rules.requestTime.maxAge = .seconds(1)
                rules.requestTime.maxSkew = .seconds(1)
                rules.requestTime.mode = mode
            }
        }
        let reported = Self.asserted + #","wouldReject":["\#(code)"]"#
        #expect(try judge(reported, .enforce) == .wouldBeRefused(code))
        #expect(try judge(reported, .report) == .same)
        #expect(try judge(reported, nil) == .noLongerReported([code]))
        #expect(try judge(Self.asserted, .enforce) == .same)
        // Registered forty days ago, and not too old for that.
        #expect(try judge(Self.registered, .enforce) == .same)
    }

    @Test func `a key may be too old today`() throws {
        func judge(_ fields: String, days: Int) throws -> PolicyTrial.Outcome {
            let attested = Day(Scenario.now.advanced(by: .seconds(-40 * 86_400)))
            return try Self.judge(fields, row: { $0.attestedOn = attested }) {
                $0.attestationAge.maxDays = days
            }
        }
        #expect(try judge(Self.asserted, days: 30) == .wouldBeRefused("attestation_too_old"))
        #expect(try judge(Self.asserted, days: 50) == .same)
        let refusal = Self.refused("assertion", "attestation_too_old")
        #expect(try judge(refusal, days: 30) == .same)
        #expect(try judge(refusal, days: 50) == .unknown)
    }

    @Test func `receipts are judged by what the verdicts tell`() throws {
        func judge(_ fields: String) throws -> PolicyTrial.Outcome {
            try Self.judge(fields) { $0.receipt = .required }
        }
        let valid = Self.registered + #","receipt":"valid""#
        let invalid =
            Self.registered + #","receipt":"invalid","receiptReason":"receipt_signature""#
        #expect(try judge(valid) == .same)
        #expect(try judge(invalid) == .wouldBeRefused("receipt_signature"))
        #expect(try judge(Self.registered) == .unknown)
        let refusal = Self.refused("registration", "receipt_signature")
        let told = refusal + #","receipt":"invalid","receiptReason":"receipt_signature""#
        #expect(try judge(told) == .same)
        #expect(try Self.judge(told) { _ in } == .mayBeAccepted("receipt_signature"))
    }

    @Test func `the policy that refused a registration refuses it again`() throws {
        func judge(_ reason: String, hasRow: Bool, _ adjust: (inout AppRules) -> Void) throws
            -> PolicyTrial.Outcome
        {
            try Self.judge(
                Self.refused("registration", reason) + #","platform":"macosx""#, hasRow: hasRow,
                adjust)
        }
        let platform = "platform_not_allowed"
        #expect(try judge(platform, hasRow: false) { $0.platforms.allow = [.iOS] } == .same)
        #expect(try judge(platform, hasRow: false) { _ in } == .mayBeAccepted(platform))
        let known = "key_already_registered"
        #expect(try judge(known, hasRow: true) { $0.reattestation = .reject } == .same)
        #expect(try judge(known, hasRow: true) { _ in } == .mayBeAccepted(known))
        let many = "too_many_keys"
        #expect(try judge(many, hasRow: false) { $0.keysPerSubject.keysMax = 1 } == .unknown)
        #expect(try judge(many, hasRow: false) { _ in } == .mayBeAccepted(many))
    }

    @Test func `a key that was revoked in the database stays so`() throws {
        let refusal = Self.refused("assertion", "key_revoked")
        #expect(try Self.judge(refusal, row: { $0.status = .revoked }) { _ in } == .same)
        #expect(try Self.judge(refusal) { _ in } == .mayBeAccepted("key_revoked"))
        // It was accepted before it was revoked.
        #expect(try Self.judge(Self.asserted, row: { $0.status = .revoked }) { _ in } == .same)
    }

    /// Its secret is no part of a policy.
    @Test(arguments: [
        "artifact_invalid", "artifact_wrong_app", "artifact_expired", "not_configured",
    ])
    func `an artifact that was refused stays so`(reason: String) throws {
        #expect(try Self.judge(Self.refused("assertion", reason)) { _ in } == .same)
    }

    @Test(arguments: ["registration", "assertion"])
    func `a challenge that was refused may be refused again`(type: String) throws {
        let refusal = Self.refused(type, "challenge_used")
        #expect(try Self.judge(refusal) { $0.challenge = .signed } == .unknown)
        #expect(try Self.judge(refusal) { _ in } == .mayBeAccepted("challenge_used"))
        #expect(try Self.judge(Self.asserted) { $0.challenge = .signed } == .same)
    }

    @Test func `a window may admit what the strict rule refused`() throws {
        let refusal = Self.refused("assertion", "counter_not_increasing")
        #expect(try Self.judge(refusal) { _ in } == .same)
        #expect(try Self.judge(refusal) { $0.replayWindow = 8 } == .unknown)
        let late = Self.asserted + #","outOfOrder":true"#
        #expect(try Self.judge(late) { $0.replayWindow = 8 } == .same)
        #expect(try Self.judge(late) { _ in } == .wouldBeRefused("counter_not_increasing"))
    }

    @Test func `it says what of a policy it can't judge, and of no other`() throws {
        #expect(TrialLimits.told(try Self.policy()) == [])
        let settings: [(String, (inout AppRules) -> Void)] = [
            ("requestTime", { $0.requestTime.maxAge = .seconds(60) }),
            ("requestTime", { $0.requestTime.maxSkew = .seconds(60) }),
            ("counterJump", { $0.counterJump.max = 5 }),
            ("idleTime", { $0.idleTime.maxDays = 5 }),
            ("attestationAge", { $0.attestationAge.maxDays = 5 }),
            ("replayWindow", { $0.replayWindow = 5 }),
            ("keysPerSubject", { $0.keysPerSubject.keysMax = 5 }),
            ("riskMetric", { $0.riskMetricMax = 5 }),
            ("challenge", { $0.challenge = .signed }), ("receipt", { $0.receipt = .required }),
        ]
        for (name, adjust) in settings {
            let told = TrialLimits.told(try Self.policy(adjust))
            #expect(told.count == 1 && told[0].hasPrefix(name + ":"), "\(name)")
        }
        var revoking = try Self.policy()
        revoking.revocations = try RevocationList(
            parsing: Array("attest-revocations 1\ncertificate 0a\nend 1".utf8))
        #expect(TrialLimits.told(revoking).map { $0.hasPrefix("revocations:") } == [true])
    }
}
