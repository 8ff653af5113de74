import AppAttest
import KeyStoreSuite
import LibCrypto
import SeededNumbers
import Testing
import Wire
import Worker

@Suite struct ReconcilerTests {
    private let database = InMemoryDatabase()

    private func keyID(_ number: Int) -> KeyID {
        KeyID(SHA256.hash(Array("key \(number)".utf8)))
    }

    private func store(_ number: Int, signCount: UInt32) {
        let keyID = keyID(number)
        database.change { rows in
            rows.keys[keyID] = KeyRegistration(
                key: StoredKey(
                    keyID: keyID, appID: "T.app", environment: .production,
                    publicKey: [UInt8](repeating: 4, count: 65), signCount: signCount, subject: nil,
                    status: .active, attestedBy: .apple),
                receipt: [], platform: nil, osVersion: nil, attestedAt: Instant(milliseconds: 0))
        }
    }

    private func signCount(_ number: Int) -> UInt32? {
        database.rows.keys[keyID(number)]?.key.signCount
    }

    private func record(_ value: [UInt8]?, at timestamp: Int64 = 100) -> Record {
        Record(
            place: RecordPlace(topic: "verdicts", partition: 0, offset: 0),
            timestampMilliseconds: timestamp, key: nil, value: value, headers: [])
    }

    private func accepted(
        _ number: Int, _ count: UInt32, at timestamp: Int64 = 100, source: Int64 = 0
    ) -> Record {
        var verdict = Verdict(
            verdictID: VerdictID(SHA256.hash([1])), outcome: .accepted,
            source: RecordPlace(topic: "requests", partition: 0, offset: source))
        verdict.kind = .assertion
        verdict.keyID = keyID(number)
        verdict.signCount = count
        return record(verdict.encode(), at: timestamp)
    }

    private func reconcile(
        _ records: [Record], decidedAgain: [TopicPartition: Int64] = [:], isDryRun: Bool = false,
        hook: @escaping StoreHook = { (_, _) throws(Fault) in }
    ) throws -> Reconciler<InMemoryKeyStore>.Outcome {
        var reconciler = Reconciler(
            store: InMemoryKeyStore(database, hook: hook), decidedAgain: decidedAgain,
            isDryRun: isDryRun, pause: { _ in })
        for record in records { try reconciler.take([record]) }
        try reconciler.flush()
        return reconciler.outcome
    }

    @Test func `sign counts rise to the highest that was accepted, in whatever order`() throws {
        store(1, signCount: 3)
        store(2, signCount: 50)
        store(3, signCount: 0)
        let records = [
            accepted(1, 9), accepted(1, 4, at: 60), accepted(2, 40), accepted(3, 0),
            accepted(4, 7), accepted(4, 8), record(nil), record(Array("{}".utf8)),
        ]
        let outcome = try reconcile(records)
        #expect([1, 2, 3].map(signCount) == [9, 50, 0])
        #expect(outcome.records == 8)
        #expect(outcome.accepted == 6)
        #expect(outcome.unreadable == 2)
        #expect(outcome.raised == 1)
        #expect(outcome.missingKeys == [keyID(4)])
        #expect(outcome.oldestMilliseconds.values.elementsEqual([60]))
        #expect(database.rows.keys.count == 3, "no key is made up")

        let again = try reconcile(records.reversed())
        #expect(again.raised == 0)
        #expect([1, 2, 3].map(signCount) == [9, 50, 0])
    }

    /// Or the workers would take these requests for replays when they decide them again.
    @Test func `verdicts of requests that are decided again raise nothing`() throws {
        store(1, signCount: 3)
        let records = [
            accepted(1, 7, source: 9), accepted(1, 8, source: 10), accepted(2, 1, source: 11),
        ]
        let requests = TopicPartition(topic: "requests", partition: 0)
        let outcome = try reconcile(records, decidedAgain: [requests: 10])
        #expect(signCount(1) == 7)
        #expect(outcome.accepted == 3)
        #expect(outcome.decidedAgain == 2)
        #expect(outcome.missingKeys == [])
        let other = TopicPartition(topic: "requests", partition: 1)
        #expect(try reconcile(records, decidedAgain: [other: 10]).decidedAgain == 0)
        #expect(signCount(1) == 8)
    }

    private func setWindow(_ number: Int, _ window: SeenCounts) {
        let keyID = keyID(number)
        database.change { rows in rows.keys[keyID]?.key.window = window }
    }

    /// The database fell back to where the count 8 had not come yet, and the highest is the same.
    @Test func `a count that was accepted below the highest is not let in again`() throws {
        for number in 1...3 {
            store(number, signCount: 10)
            setWindow(number, SeenCounts(highest: 10, bits: 0b0001))
        }
        let records = [
            accepted(1, 8), accepted(1, 10), accepted(2, 9), accepted(3, 7), accepted(3, 6),
        ]
        let dry = try reconcile(records, isDryRun: true)
        let outcome = try reconcile(records)
        for found in [dry, outcome] {
            #expect(found.raised == 0)
            #expect(found.closed == 2)
        }
        let windows = [1, 2, 3].map { database.rows.keys[keyID($0)]?.key.window?.bits }
        #expect(windows == [0b0011, 0b0001, 0b1101])
        #expect(try reconcile(records).closed == 0)
    }

    @Test func `a row that is raised takes every lower count for accepted`() throws {
        store(1, signCount: 10)
        setWindow(1, SeenCounts(highest: 10, bits: 0))
        #expect(try reconcile([accepted(1, 12)]).raised == 1)
        let key = try #require(database.rows.keys[keyID(1)]?.key)
        #expect(key.signCount == 12)
        #expect((0...12).allSatisfy { !key.seen.admits($0, within: 64) })
    }

    @Test func `a dry run tells the same and changes nothing`() throws {
        store(1, signCount: 3)
        let before = database.rows
        let outcome = try reconcile([accepted(1, 9)], isDryRun: true)
        #expect(outcome.raised == 1)
        #expect(database.rows == before)
    }

    /// A worker raises the count between the look and the lock.
    @Test func `what a worker raised meanwhile is not lowered`() throws {
        store(1, signCount: 3)
        let database = database
        let keyID = keyID(1)
        let outcome = try reconcile([accepted(1, 9)]) { (step, moment) throws(Fault) in
            if step == .readKeys, moment == .after {
                database.change { $0.keys[keyID]?.key.signCount = 20 }
            }
        }
        #expect(outcome.raised == 0)
        #expect(signCount(1) == 20)
    }

    @Test func `a fault that passes is sat out, one that stays is told`() throws {
        store(1, signCount: 3)
        let busy = Fault(
            operation: "lock", code: "55P03", disposition: .retry, message: "a row is locked")
        var failures = 2
        let outcome = try reconcile([accepted(1, 9)]) { (_, moment) throws(Fault) in
            guard moment == .before, failures > 0 else { return }
            failures -= 1
            throw busy
        }
        #expect(outcome.raised == 1)
        #expect(throws: busy) {
            try reconcile([accepted(1, 99)]) { (_, _) throws(Fault) in throw busy }
        }
    }

    @Test func `more keys than one batch or one memory holds are all raised`() throws {
        let count = Reconciler<InMemoryKeyStore>.pendingKeysMax + 700
        let registrations = (0..<count).map { number in
            KeyRegistration(
                key: StoredKey(
                    keyID: keyID(number), appID: "T.app", environment: .production,
                    publicKey: [UInt8](repeating: 4, count: 65), signCount: 1, subject: nil,
                    status: .active, attestedBy: .apple),
                receipt: [], platform: nil, osVersion: nil, attestedAt: Instant(milliseconds: 0))
        }
        database.change { rows in
            for registration in registrations { rows.keys[registration.key.keyID] = registration }
        }
        let outcome = try reconcile((0..<count).map { accepted($0, 5) })
        #expect(outcome.raised == count)
        #expect(database.rows.keys.values.allSatisfy { $0.key.signCount == 5 })
    }
}
