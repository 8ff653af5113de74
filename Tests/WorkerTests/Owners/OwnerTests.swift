import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import SeededNumbers
import Testing
import Wire
import Worker

/// Whose a key is, and how many one owner may have.
@Suite struct OwnerTests {
    private static func policy(
        max: Int, within: Duration = .seconds(86_400), _ mode: Enforcement = .enforce
    ) throws -> Policy {
        var limit = KeysPerSubject()
        limit.keysMax = max
        limit.within = within
        limit.enforcement = mode
        let policy = try Scenario.policy()
        return Policy(
            apps: policy.apps.values.map { app in
                var app = app
                app.rules.keysPerSubject = limit
                return app
            }, maxRequestAge: policy.maxRequestAge, maxClockSkew: policy.maxClockSkew)
    }

    /// A registration at a moment of its own.
    private static func register(
        _ device: SimulatedDevice, at milliseconds: Int64, subject: String?, answer: String,
        in scenario: inout Scenario
    ) {
        let challenge: [UInt8] = Array("challenge \(scenario.records.count)".utf8)
        let minted = device.attest(
            clientDataHash: ClientDataHash(hashing: challenge),
            at: Instant(milliseconds: milliseconds))
        scenario.request(
            "attestation", minted.object, of: device, clientData: challenge, partition: 0,
            subject: subject, timestamp: milliseconds, answer: answer)
    }

    @Test func `the first registration says whose a key is, and none later`() throws {
        var scenario = Scenario()
        let bound = Scenario.device(80)
        let unbound = Scenario.device(81)
        scenario.register(bound, partition: 0, subject: "ann")
        scenario.register(bound, partition: 0, subject: "bob", answer: "subject_mismatch")
        scenario.register(bound, partition: 0)
        scenario.register(unbound, partition: 0)
        scenario.register(unbound, partition: 0, subject: "bob")
        for (device, subject, answer) in [
            (bound, "ann", "accepted"), (bound, nil, "accepted"),
            (bound, "bob", "subject_mismatch"), (unbound, "ann", "accepted"),
            (unbound, "bob", "accepted"),
        ] as [(SimulatedDevice, String?, String)] {
            let payload: [UInt8] = Array("payload \(scenario.records.count)".utf8)
            let count = UInt32(scenario.records.count)
            let minted = device.assert(
                clientDataHash: ClientDataHash(hashing: payload), signCount: count)
            scenario.request(
                "assertion", minted.object, of: device, clientData: payload, partition: 0,
                subject: subject, answer: answer,
                signCount: answer == "accepted" ? count : nil)
        }
        for batch in [1, 100] {
            let world = LaneWorld(scenario)
            #expect(world.finish(batch: batch, policy: try Scenario.policy()) == nil)
            try world.checkOracle("batch \(batch)")
            #expect(world.database.rows.keys[bound.keyID]?.key.subject == "ann")
            #expect(world.database.rows.keys[unbound.keyID]?.key.subject == nil)
        }
    }

    /// Sixty registrations of twenty devices by three owners over three days, and what a reader of
    /// the documentation would count.
    @Test(arguments: 1...12)
    func `whatever the batches, an owner registers no more keys than a model allows`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let most = Int.random(in: 1...3, using: &random)
        var scenario = Scenario()
        var owners: [KeyID: String?] = [:]
        var times: [String: [Int64]] = [:]
        // In memory a key counts from the time of its attestation, so each device has one time.
        let moments = (0..<30).map { _ in
            Scenario.now.milliseconds - Int64.random(in: 0..<3 * 86_400_000, using: &random)
        }
        let subjects: [String?] = [nil, "ann", "bob", "caf\u{E9}", "cafe\u{301}"]
        for _ in 0..<60 {
            let number = Int.random(in: 0..<30, using: &random)
            let device = Scenario.device(100 + UInt64(number))
            let subject = subjects.randomElement(using: &random) ?? nil
            let at = moments[number]
            let bytes = subject.map { Array($0.utf8).hexadecimal }
            var answer = "accepted"
            if let owner = owners[device.keyID] {
                if let owner, let bytes, owner != bytes { answer = "subject_mismatch" }
            } else {
                let recent = bytes.map { times[$0, default: []].count { $0 > at - 86_400_000 } }
                if let recent, recent >= most {
                    answer = "too_many_keys"
                } else {
                    owners[device.keyID] = .some(bytes)
                    if let bytes { times[bytes, default: []].append(at) }
                }
            }
            Self.register(device, at: at, subject: subject, answer: answer, in: &scenario)
        }
        #expect(scenario.expectations.contains { $0.answer == "too_many_keys" })
        for batch in [1, 2, 7, 100] {
            let world = LaneWorld(scenario)
            #expect(world.finish(batch: batch, policy: try Self.policy(max: most)) == nil)
            try world.checkOracle("seed \(seed), batch \(batch)")
        }
    }

    @Test func `a key that is attested again does not count again`() throws {
        var scenario = Scenario()
        let first = Scenario.device(82)
        for _ in 0..<3 { scenario.register(first, partition: 0, subject: "ann") }
        scenario.register(
            Scenario.device(83), partition: 0, subject: "ann", answer: "too_many_keys")
        scenario.register(first, partition: 0, subject: "ann")
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 2, policy: try Self.policy(max: 1)) == nil)
        try world.checkOracle("again")
    }

    @Test func `a limit that only reports accepts and tells`() throws {
        var scenario = Scenario()
        scenario.register(Scenario.device(84), partition: 0, subject: "ann")
        scenario.register(Scenario.device(85), partition: 0, subject: "ann")
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 2, policy: try Self.policy(max: 1, .report)) == nil)
        try world.checkOracle("report")
        #expect(world.database.rows.keys.count == 2)
        let told = world.kafka.published.map {
            String(decoding: $0.value ?? [], as: UTF8.self).contains("too_many_keys")
        }
        #expect(told == [false, true])
    }
}
