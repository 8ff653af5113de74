import AppAttest
import KeyStoreSuite
import LibCrypto
import Testing
import Worker

@testable import PostgresStore

/// Several workers that use the same challenges at once, for other keys, on other partitions.
@Suite(.serialized) struct UsedOnceRaceTests {
    private static func once(_ number: Int) -> UsedOnce {
        UsedOnce(id: Sample.digest("challenge", number), expiry: Instant(seconds: 1_790_000_000))
    }

    /// A transaction as a lane's: uses what is not used yet, and tries again after a conflict.
    private static func use(
        _ numbers: [Int], on store: PostgresKeyStore, _ partition: TopicPartition,
        _ progress: Progress
    ) throws -> (used: Int, conflicts: Int) {
        let wanted = numbers.map(once)
        var reads = BatchReads(partitions: [partition], keyIDs: [], requests: [])
        reads.once = Set(wanted.map(\.id))
        var conflicts = 0
        while true {
            do throws(Fault) {
                let used = try store.transact(reads) { state in
                    var writes = BatchWrites(progress: [partition: progress])
                    writes.once = wanted.filter { !state.used.contains($0.id) }
                    return (writes: writes, result: writes.once.count)
                }
                return (used, conflicts)
            } catch {
                // A deadlock would come as 40P01.
                guard error.code == "concurrent_insert" else { throw error }
                conflicts += 1
            }
        }
    }

    @Test func `each challenge is used by one worker, and no two block for ever`() throws {
        let database = try TestDatabase()
        let workers = 4
        let rounds = 25
        let tasks = (0..<workers).map { worker in
            Background {
                let store = try database.makeStore()
                let partition = Sample.partition(Int32(worker))
                let progress = try #require(try store.claim([partition: 0])[partition])
                var used = 0
                for round in 0..<rounds {
                    // The same ones for all, given in another order by every second worker.
                    let numbers = (0..<6).map { round * 6 + $0 }
                    used += try Self.use(
                        worker.isMultiple(of: 2) ? numbers : numbers.reversed(), on: store,
                        partition, progress
                    ).used
                }
                return used
            }
        }
        var used = 0
        for task in tasks { used += try task.value() ?? 0 }
        #expect(used == rounds * 6)
        #expect(try database.connect().number("SELECT count(*) FROM attest.used_once") == used)
    }

    @Test func `who waits for another one's use is rolled back, and then refused`() throws {
        let database = try TestDatabase()
        let (holder, observer) = (try database.connect(), try database.connect())
        let id = Self.once(1).id.bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        try holder.execute(
            """
            BEGIN;
            INSERT INTO attest.used_once VALUES ('\\x\(id.joined())', now());
            """)
        let waiting = Background {
            let store = try database.makeStore()
            let partition = Sample.partition(0)
            let progress = try #require(try store.claim([partition: 0])[partition])
            return try Self.use([1, 2], on: store, partition, progress)
        }
        let isBlocked = try eventually {
            try observer.number(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """) == 1
        }
        #expect(isBlocked)
        try holder.execute("COMMIT")
        let outcome = try #require(try waiting.value())
        #expect(outcome.used == 1)
        #expect(outcome.conflicts == 1)
    }
}
