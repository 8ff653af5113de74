import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import Testing
import Wire

@testable import Worker

/// What a lane remembers of keys saves questions to the database, and changes no answer.
@Suite struct KnownKeysTests {
    private func key(_ number: UInt8, _ status: KeyStatus = .active) -> StoredKey {
        StoredKey(
            keyID: KeyID(SHA256.hash([number])), appID: "app", environment: .production,
            publicKey: [], signCount: 0, subject: nil, status: status, attestedBy: .apple)
    }

    private func table(_ keys: [StoredKey]) -> [KeyID: StoredKey] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0.keyID, $0) })
    }

    @Test func `no more keys are kept than the limit, and those that are asked for stay`() {
        var known = KnownKeys(keysMax: 4)
        let hot = key(0)
        known.note(table([hot]))
        for number in UInt8(1)...100 {
            known.note(table([key(number)]))
            #expect(known.count <= 4)
            #expect(known.keys(for: [hot.keyID]) == table([hot]))
        }
        #expect(known.keys(for: [key(1).keyID]).isEmpty)
    }

    @Test(arguments: [KeyStatus.revoked, .erased])
    func `a key that may not be used is not remembered`(status: KeyStatus) {
        var known = KnownKeys()
        known.note(table([key(1, status)]))
        #expect(known.count == 0)
        known.note(table([key(1), key(2)]))
        let stored = table([key(1, status), key(2)])
        #expect(known.forgetOutdated([key(1).keyID, key(2).keyID], stored: stored) == stored)
        #expect(known.keys(for: Set(stored.keys)) == table([key(2)]))
        // Once only: what is judged anew is decided then.
        #expect(known.forgetOutdated(Set(stored.keys), stored: stored) == nil)
        #expect(known.forgetOutdated([key(2).keyID], stored: [:]) == [:])
    }

    /// Nothing of ours changes these, but somebody who mends a table by hand may.
    @Test func `a key that is judged otherwise is forgotten`() {
        var changed = [key(1), key(1), key(1), key(1)]
        changed[0].appID = "other"
        changed[1].environment = .development
        changed[2].publicKey = [4]
        changed[3].attestedBy = .simulated
        for changed in changed {
            var known = KnownKeys()
            known.note(table([key(1), key(2)]))
            let stored = table([changed, key(2)])
            #expect(known.forgetOutdated(Set(stored.keys), stored: stored) == stored)
            #expect(known.keys(for: Set(stored.keys)) == table([key(2)]))
        }
    }

    /// What else an assertion moves is looked at under lock only, and asks for no second judgement.
    @Test func `a key that was used meanwhile is not forgotten`() {
        var known = KnownKeys()
        known.note(table([key(1)]))
        var used = key(1)
        used.signCount = 7
        used.subject = "alice"
        used.lastUsedOn = Day(number: 1)
        #expect(known.forgetOutdated([used.keyID], stored: table([used])) == nil)
        #expect(known.count == 1)
    }

    @Test func `a key that was moved to another app since it was remembered is judged by that`()
        throws
    {
        var scenario = Scenario()
        var device = Scenario.device(62)
        let keyID = device.keyID
        scenario.register(device, partition: 0)
        _ = scenario.assert(&device, partition: 0)
        _ = scenario.assert(&device, partition: 0, answer: "unknown_app")
        let world = LaneWorld(scenario)
        let reads = try readsUntilDone(world) { transactions in
            guard transactions == 3 else { return }
            world.database.change { $0.keys[keyID]?.key.appID = "TESTTEAM01.com.example.gone" }
        }
        #expect(reads == 1)
        #expect(try world.verdicts().map(\.reason) == [nil, nil, "unknown_app"])
    }

    @Test func `a key is read for the first assertion, and not for those after it`() throws {
        var scenario = Scenario()
        var device = Scenario.device(60)
        scenario.register(device, partition: 0)
        for _ in 0..<5 { _ = scenario.assert(&device, partition: 0) }
        let world = LaneWorld(scenario)
        #expect(try readsUntilDone(world) { _ in } == 1)
        try world.checkOracle("known keys")
    }

    /// Also an assertion that is not genuine gets the answer of the row as it is now.
    @Test(
        arguments: [(KeyStatus.revoked, "key_revoked"), (.erased, "key_erased")], [true, false])
    func `a key that was withdrawn since it was remembered says so`(
        withdrawal: (status: KeyStatus, reason: String), isGenuine: Bool
    ) throws {
        var scenario = Scenario()
        var device = Scenario.device(61)
        let keyID = device.keyID
        scenario.register(device, partition: 0)
        _ = scenario.assert(&device, partition: 0)
        if isGenuine {
            _ = scenario.assert(&device, partition: 0, answer: withdrawal.reason)
        } else {
            scenario.request(
                "assertion", [1, 2, 3], of: device, clientData: [1], partition: 0,
                answer: withdrawal.reason)
        }
        let world = LaneWorld(scenario)
        let status = withdrawal.status
        let reads = try readsUntilDone(world) { transactions in
            guard transactions == 3 else { return }
            world.database.change { rows in
                rows.keys[keyID]?.key.status = status
                if status == .erased { rows.keys[keyID]?.key.publicKey = [] }
            }
        }
        #expect(reads == 1)
        let reasons = try world.verdicts().map(\.reason)
        #expect(reasons == [nil, nil, withdrawal.reason])
    }

    /// Runs a lane with one record a batch, calling `atTransaction` with the number of each
    /// transaction before it begins; tells how often keys were read outside of one.
    private func readsUntilDone(
        _ world: LaneWorld, atTransaction: @escaping (Int) -> Void
    ) throws -> Int {
        var (reads, transactions) = (0, 0)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        let fault = world.runLane(
            batch: 1, member: member, policy: try Scenario.policy(),
            hook: { (point) throws(Fault) in
                if point == "readKeys before" { reads += 1 }
                guard point == "begin before" else { return }
                transactions += 1
                atTransaction(transactions)
            })
        #expect(fault == nil)
        return reads
    }
}
