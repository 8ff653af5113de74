import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import Testing
import Wire
import Worker

/// What policy, clock and stored keys make of genuine objects.
@Suite struct LanePolicyTests {
    @Test(
        arguments: [
            (nil, "request_time_unknown"), (Int64(0), "request_too_old"),
            (Scenario.now.milliseconds + 366 * 86_400_000, "request_from_the_future"),
            (Scenario.now.milliseconds - 8 * 86_400_000, "request_too_old"),
            (Int64.max, "request_from_the_future"), (Int64.min, "request_too_old"),
        ] as [(Int64?, String)])
    func `a record's timestamp is bounded by the clock`(timestamp: Int64?, reason: String) throws {
        var scenario = Scenario()
        let device = Scenario.device(45)
        let challenge: [UInt8] = [1]
        let minted = device.attest(
            clientDataHash: ClientDataHash(hashing: challenge), at: Scenario.now)
        scenario.request(
            "attestation", minted.object, of: device, clientData: challenge, partition: 0,
            timestamp: timestamp, answer: reason)
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 1, policy: try Scenario.policy()) == nil)
        try world.checkOracle("timestamp \(timestamp ?? -1)")
    }

    @Test func `a key of an app that is no longer configured is an unknown app's`() throws {
        var scenario = Scenario()
        var device = Scenario.device(46)
        scenario.register(device, partition: 0)
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 1, policy: try Scenario.policy()) == nil)
        var later = Scenario()
        later.append(nil, partition: 0)
        _ = later.nextRequestID()
        later.assert(&device, partition: 0, answer: "unknown_app")
        world.kafka.append(Array(later.records.dropFirst()))
        #expect(world.finish(batch: 1, policy: try Scenario.policy(apps: ["OTHER.app"])) == nil)
        #expect(try world.verdicts().last?.reason == "unknown_app")
    }

    @Test func `a new list of apps counts from the next batch on, and for all of it`() throws {
        var scenario = Scenario()
        for (seed, partition) in [(50, 0), (51, 0), (52, 1), (53, 1)] as [(UInt64, Int32)] {
            scenario.register(
                Scenario.device(seed), partition: partition,
                answer: seed < 52 ? "accepted" : "app_id_mismatch")
        }
        let world = LaneWorld(scenario)
        let policy = Live(try Scenario.policy())
        let withdrawn = try Scenario.policy(apps: ["OTHER.app"])
        var transactions = 0
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        let fault = world.runLane(
            batch: 2, member: member, policy: policy.value, newPolicy: policy,
            hook: { (point) throws(Fault) in
                guard point == "begin before" else { return }
                transactions += 1
                guard transactions == 1 else { return }
                // In the midst of the first batch, which is then tried again.
                policy.replace(with: withdrawn)
                throw Fault(
                    operation: "test", code: "test", disposition: .retry, message: "again")
            })
        #expect(fault == nil)
        #expect(transactions > 2)
        try world.checkOracle("new list of apps")
    }

    @Test(arguments: [true, false])
    func `verdicts name simulated devices exactly where the app is simulated`(
        isSimulated: Bool
    ) throws {
        var scenario = Scenario()
        var device = Scenario.device(44)
        scenario.register(device, partition: 0)
        _ = scenario.assert(&device, partition: 0)
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy(isSimulated: isSimulated)
        #expect(world.finish(batch: 10, policy: policy) == nil)
        let values = world.kafka.published.map { String(decoding: $0.value ?? [], as: UTF8.self) }
        #expect(values.count == 2)
        #expect(values.allSatisfy { $0.contains(#""outcome":"accepted""#) })
        #expect(values.allSatisfy { $0.contains(#""simulated":true"#) == isSimulated })
    }

    @Test func `policy may refuse a second attestation`() throws {
        var scenario = Scenario()
        let device = Scenario.device(47)
        scenario.register(device, partition: 0)
        scenario.register(device, partition: 0, answer: "key_already_registered")
        let world = LaneWorld(scenario)
        var rules = AppRules()
        rules.reattestation = .reject
        #expect(world.finish(batch: 2, policy: try Scenario.policy(rules: rules)) == nil)
        try world.checkOracle("second attestation")
    }

    @Test func `a policy set to report accepts, and tells what it would have refused`() throws {
        var scenario = Scenario()
        let device = Scenario.device(47)
        scenario.register(device, partition: 0, answer: "accepted")
        scenario.register(device, partition: 0, answer: "accepted")
        // What is refused for another reason is not reported: nothing about it would change.
        scenario.request(
            "attestation", [1, 2, 3], of: device, clientData: [1], partition: 0,
            answer: "malformed_cbor")
        let world = LaneWorld(scenario)
        var rules = AppRules()
        rules.reattestation = .report
        #expect(world.finish(batch: 3, policy: try Scenario.policy(rules: rules)) == nil)
        try world.checkOracle("report")
        #expect(
            try world.verdicts().map(\.wouldReject) == [nil, ["key_already_registered"], nil])
    }

    @Test(arguments: [(KeyStatus.revoked, "key_revoked"), (KeyStatus.erased, "key_erased")])
    func `a key that may not be used says why`(status: KeyStatus, reason: String) throws {
        var scenario = Scenario()
        var device = Scenario.device(48)
        scenario.assert(&device, partition: 0, answer: reason)
        scenario.register(device, partition: 0, answer: reason)
        let world = LaneWorld(scenario)
        let keyID = device.keyID
        let publicKey = status == .erased ? [] : device.publicKey
        world.database.change { rows in
            rows.keys[keyID] = KeyRegistration(
                key: StoredKey(
                    keyID: keyID, appID: Scenario.appID, environment: .production,
                    publicKey: publicKey, signCount: 0, subject: nil, status: status,
                    attestedBy: .apple),
                receipt: [], platform: nil, osVersion: nil, attestedAt: Scenario.now)
        }
        #expect(world.finish(batch: 2, policy: try Scenario.policy()) == nil)
        let reasons = try world.verdicts().map(\.reason)
        #expect(reasons == [reason, reason])
    }

    /// Genuine, forged, too old and malformed requests: a tombstone answers them all.
    @Test func `nothing that names an erased key brings its owner into the inbox`() throws {
        var scenario = Scenario()
        let device = Scenario.device(50)
        scenario.register(device, partition: 0, subject: "ann", answer: "key_erased")
        for (field, timestamp) in [("attestation", Scenario.now.milliseconds), ("assertion", 0)] {
            scenario.request(
                field, [1, 2, 3], of: device, clientData: [1], partition: 0, subject: "ann",
                timestamp: timestamp, answer: "key_erased")
        }
        let keyID = Base64.encode(device.keyID.digest.bytes)
        scenario.append(
            Array(#"{"requestId":"odd","keyId":"\#(keyID)","assertion":7,"subject":"ann"}"#.utf8),
            partition: 0)
        let world = LaneWorld(scenario)
        world.database.change { rows in
            rows.keys[device.keyID] = KeyRegistration(
                key: StoredKey(
                    keyID: device.keyID, appID: Scenario.appID, environment: .production,
                    publicKey: [], signCount: 0, subject: nil, status: .erased,
                    attestedBy: .apple),
                receipt: [], platform: nil, osVersion: nil, attestedAt: Scenario.now)
        }
        #expect(world.finish(batch: 2, policy: try Scenario.policy()) == nil)
        #expect(world.database.rows.inbox.count == 4)
        for row in world.database.rows.inbox.values {
            let verdict = try ReceivedVerdict(parsing: row.entry.verdict)
            #expect(verdict.reason == "key_erased")
            #expect(verdict.subject == nil)
        }
        #expect(try world.verdicts().allSatisfy { $0.subject == nil })
    }

    @Test func `a stored key that can't be read is answered, not a crash`() throws {
        var scenario = Scenario()
        var device = Scenario.device(49)
        scenario.assert(&device, partition: 0)
        let world = LaneWorld(scenario)
        let keyID = device.keyID
        world.database.change { rows in
            rows.keys[keyID] = KeyRegistration(
                key: StoredKey(
                    keyID: keyID, appID: Scenario.appID, environment: .production,
                    publicKey: [4, 1, 2], signCount: 0, subject: nil, status: .active,
                    attestedBy: .apple),
                receipt: [], platform: nil, osVersion: nil, attestedAt: Scenario.now)
        }
        #expect(world.finish(batch: 2, policy: try Scenario.policy()) == nil)
        #expect(try world.verdicts().map(\.reason) == ["unprocessable"])
    }
}
