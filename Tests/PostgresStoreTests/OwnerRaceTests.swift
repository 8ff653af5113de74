import AppAttest
import KeyStoreSuite
import Synchronization
import Testing
import Worker

@testable import PostgresStore

/// Several workers that register keys of one owner at once.
@Suite(.serialized) struct OwnerRaceTests {
    private static let app = Sample.registration(0).key.appID

    /// A transaction as a lane's: counts under the owners' locks, registers while there is room.
    private static func register(
        _ numbers: [Int], owners subjects: [String], most: Int, on store: PostgresKeyStore,
        _ partition: TopicPartition, _ progress: Progress
    ) throws -> Int {
        let owners = subjects.map { KeyOwner(appID: app, subject: $0) }
        let reads = BatchReads(
            partitions: [partition], keyIDs: Set(numbers.map(Sample.keyID)), requests: [],
            owners: Dictionary(uniqueKeysWithValues: owners.map { ($0, most) }))
        return try store.transact(reads) { state in
            var counts = state.owned.mapValues(\.count)
            var fresh: [KeyRegistration] = []
            for (number, owner) in zip(numbers, owners) where counts[owner, default: 0] < most {
                counts[owner, default: 0] += 1
                fresh.append(Sample.registration(number, subject: owner.subject))
            }
            return (
                writes: BatchWrites(registrations: fresh, progress: [partition: progress]),
                result: fresh.count
            )
        }
    }

    @Test func `an owner gets exactly as many keys as allowed, and no two workers block for ever`()
        throws
    {
        let database = try TestDatabase()
        let workers = 4
        let rounds = 12
        let most = 7
        let tasks = (0..<workers).map { worker in
            Background {
                let store = try database.makeStore()
                let partition = Sample.partition(Int32(worker))
                let progress = try #require(try store.claim([partition: 0])[partition])
                var registered = 0
                for round in 0..<rounds {
                    // Two owners a batch, by each worker in another order.
                    let subjects = worker.isMultiple(of: 2) ? ["ann", "bob"] : ["bob", "ann"]
                    let first = worker * 1000 + round * 2
                    registered += try Self.register(
                        [first, first + 1], owners: subjects, most: most, on: store, partition,
                        progress)
                }
                return registered
            }
        }
        var registered = 0
        for task in tasks { registered += try #require(try task.value()) }
        #expect(registered == 2 * most)
        let session = try database.connect()
        for subject in ["ann", "bob"] {
            #expect(
                try session.number(
                    "SELECT count(*) FROM attest.keys WHERE subject = '\(subject)'") == most)
        }
    }

    @Test func `a key that an operator moves is counted, or waited for`() throws {
        let database = try TestDatabase()
        try database.put(Sample.registration(1, subject: "bob"))
        let store = try database.makeStore()
        let partition = Sample.partition(0)
        let progress = try #require(try store.claim([partition: 0])[partition])
        let ann = KeyOwner(appID: Self.app, subject: "ann")
        let reads = BatchReads(
            partitions: [partition], keyIDs: [], requests: [], owners: [ann: 5])
        let observer = try database.connect()
        let mover = try store.transact(reads) { state in
            let mover = Background {
                try database.makeRegister().apply(
                    .move(to: "ann", reason: "sold"), to: [Sample.keyID(1)], appID: Self.app,
                    isDryRun: false)
            }
            let isBlocked = Result {
                try eventually {
                    try observer.number(
                        """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """) == 1
                }
            }
            return (
                writes: BatchWrites(progress: [partition: progress]),
                result: (mover, isBlocked, state.owned[ann])
            )
        }
        #expect(try mover.1.get())
        #expect(mover.2 == [])
        #expect(try mover.0.value() == [Sample.keyID(1): .moved])
        let counted = try store.transact(reads) { (writes: nil, result: $0.owned[ann]?.count) }
        #expect(counted == 1)
    }
}
