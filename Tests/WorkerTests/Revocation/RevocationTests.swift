import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import Testing
import Wire
import Worker

/// What the list of revocations makes of genuine objects.
@Suite struct RevocationTests {
    private static func list(_ entries: String...) throws -> Live<RevocationList> {
        Live(try read(entries))
    }

    private static func read(_ entries: [String]) throws -> RevocationList {
        let lines = ["attest-revocations 1"] + entries + ["end \(entries.count)"]
        return try RevocationList(parsing: Array(lines.joined(separator: "\n").utf8))
    }

    /// The serial number that the kit gives to certificates made at that instant.
    private static let serial = String(Scenario.now.milliseconds, radix: 16)

    private func finish(
        _ world: LaneWorld, _ revocations: Live<RevocationList>
    ) throws -> Fault? {
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        return world.runLane(
            batch: 1, member: member, policy: try Scenario.policy(), revocations: revocations)
    }

    @Test(
        arguments: [
            ("key \(Scenario.device(70).keyID.text)", "key_revoked"),
            ("certificate \(serial)", "certificate_revoked"),
            ("app \(Scenario.appID)", "app_revoked"),
        ])
    func `a revoked key is refused also when it is seen for the first time`(
        entry: String, reason: String
    ) throws {
        var scenario = Scenario()
        var device = Scenario.device(70)
        scenario.register(device, partition: 0, answer: reason)
        scenario.assert(&device, partition: 0, answer: "unknown_key")
        let world = LaneWorld(scenario)
        #expect(try finish(world, Self.list(entry)) == nil)
        try world.checkOracle(entry)
        #expect(world.database.rows.keys.isEmpty)
    }

    @Test(
        arguments: [
            ("key \(Scenario.device(71).keyID.text)", "key_revoked"),
            ("certificate 00\(serial)", "certificate_revoked"),
            ("app \(Scenario.appID)", "app_revoked"), ("app OTHER.app", "accepted"),
            ("certificate 77", "accepted"), ("key \(Scenario.device(99).keyID.text)", "accepted"),
        ])
    func `a registered key is refused from the next batch on, until the list names it no more`(
        entry: String, reason: String
    ) throws {
        var scenario = Scenario()
        var device = Scenario.device(71)
        scenario.register(device, partition: 0)
        let first = scenario.assert(&device, partition: 0)
        scenario.assert(&device, partition: 0, answer: reason)
        scenario.register(device, partition: 0, answer: reason)
        // What was decided stays decided.
        scenario.send(first, of: device, partition: 0, id: first.id, answer: nil)
        scenario.assert(&device, partition: 0)
        let world = LaneWorld(scenario)
        let revocations = Live(RevocationList.none)
        let list = try Self.read([entry])
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        var transactions = 0
        let fault = world.runLane(
            batch: 1, member: member, policy: try Scenario.policy(), revocations: revocations,
            hook: { (point) throws(Fault) in
                guard point == "commit after" else { return }
                transactions += 1
                if transactions == 2 { revocations.replace(with: list) }
                if transactions == 5 { revocations.replace(with: .none) }
            })
        #expect(fault == nil)
        try world.checkOracle(entry)
    }

    @Test func `a refusal by the list tells what was proved`() throws {
        var scenario = Scenario()
        let device = Scenario.device(72)
        scenario.register(device, partition: 0, answer: "app_revoked")
        let world = LaneWorld(scenario)
        // Of several reasons the widest is told.
        let entries = [
            "key \(device.keyID.text)", "certificate \(Self.serial)", "app \(Scenario.appID)",
        ]
        #expect(try finish(world, Live(Self.read(entries))) == nil)
        let verdict = try #require(try world.verdicts().first)
        #expect(verdict.reason == "app_revoked")
        #expect(verdict.appId == Scenario.appID)
        #expect(verdict.retryable == false)
    }

    @Test func `a forged object of a revoked key is called forged`() throws {
        var scenario = Scenario()
        var device = Scenario.device(73)
        scenario.register(device, partition: 0)
        var forged = scenario.assert(&device, partition: 0)
        forged.payload = Array("other".utf8)
        scenario.send(forged, of: device, partition: 0, id: nil, answer: "signature_invalid")
        let world = LaneWorld(scenario)
        let list = try Self.read(["key \(device.keyID.text)"])
        let revocations = Live(RevocationList.none)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        var transactions = 0
        let fault = world.runLane(
            batch: 1, member: member, policy: try Scenario.policy(), revocations: revocations,
            hook: { (point) throws(Fault) in
                guard point == "commit after" else { return }
                transactions += 1
                if transactions == 2 { revocations.replace(with: list) }
            })
        #expect(fault == nil)
        try world.checkOracle("forged")
    }
}
