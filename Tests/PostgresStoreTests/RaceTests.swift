import AppAttest
import Glibc
import KeyStoreSuite
import Testing
import Worker

@testable import PostgresStore

/// Two connections at once.
@Suite(.serialized) struct RaceTests {
    /// Waits until a session of this database waits for another's lock.
    private func waitForBlockedSession(_ session: TestSession) throws {
        let blocked = try eventually {
            try session.number(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """) == 1
        }
        try #require(blocked)
    }

    @Test func `the later of two owners sees the verdict beside the sign count`() throws {
        let database = try TestDatabase()
        let observer = try database.connect()
        let first = try database.makeStore()
        let mine = try first.claim([Sample.partition(0): 0])
        try database.put(Sample.registration(1, signCount: 4))
        let reads = BatchReads(
            partitions: [Sample.partition(0)], keyIDs: [Sample.keyID(1)],
            requests: [Sample.request(1)])
        let second = try first.transact(reads) { _ in
            let second = Background {
                try database.makeStore().transact(reads) { (writes: nil, result: $0) }
            }
            let isBlocked = Result { try waitForBlockedSession(observer) }
            return (
                writes: BatchWrites(
                    inbox: [Sample.entry(1)], signCounts: [Sample.keyID(1): 5],
                    progress: mine.mapValues {
                        Progress(
                            epoch: $0.epoch, nextOffset: 1, publishedOffset: 0,
                            lastTimestampMilliseconds: 1)
                    }), result: isBlocked.map { second }
            )
        }.get()
        let state = try #require(try second.value())
        #expect(state.keys[Sample.keyID(1)]?.signCount == 5)
        #expect(state.inbox[Sample.request(1)] == Sample.entry(1))
        #expect(state.progress[Sample.partition(0)]?.nextOffset == 1)
    }

    /// Why the inbox has a statement of its own: in one statement the row that was waited for is
    /// read anew, but all other tables are seen as they were before the wait.
    @Test func `one statement for both would see the sign count without the verdict`() throws {
        let database = try TestDatabase()
        try database.put(Sample.registration(1, signCount: 4))
        let observer = try database.connect()
        let first = try database.connect()
        try first.execute(
            """
            BEGIN;
            SELECT 1 FROM attest.keys FOR UPDATE;
            UPDATE attest.keys SET sign_count = 5;
            INSERT INTO attest.inbox (request, content_digest, verdict)
                VALUES (gen_random_uuid(), sha256('content'), 'verdict');
            """)
        let second = Background {
            try database.connect().texts(
                """
                WITH locked AS MATERIALIZED (SELECT sign_count FROM attest.keys FOR UPDATE)
                SELECT sign_count || ' ' || (SELECT count(*) FROM attest.inbox) FROM locked
                """)
        }
        try waitForBlockedSession(observer)
        try first.execute("COMMIT")
        #expect(try second.value() == ["5 0"])
    }

    @Test func `a new owner waits for the former one's transaction`() throws {
        let database = try TestDatabase()
        let observer = try database.connect()
        let former = try database.makeStore()
        let mine = try former.claim([Sample.partition(0): 0])
        let reads = BatchReads(partitions: [Sample.partition(0)], keyIDs: [], requests: [])
        let claim = try former.transact(reads) { _ in
            let claim = Background {
                try database.makeStore().claim([Sample.partition(0): 0])
            }
            let isBlocked = Result { try waitForBlockedSession(observer) }
            let moved = mine.mapValues {
                Progress(
                    epoch: $0.epoch, nextOffset: 8, publishedOffset: 0, lastTimestampMilliseconds: 1
                )
            }
            return (writes: BatchWrites(progress: moved), result: isBlocked.map { claim })
        }.get()
        let claimed = try #require(try claim.value())
        #expect(claimed[Sample.partition(0)]?.epoch == 2)
        #expect(claimed[Sample.partition(0)]?.nextOffset == 8)
        #expect(throws: Fault.self) {
            try former.transact(reads) { _ in (writes: BatchWrites(progress: mine), result: ()) }
        }
    }

    /// Each thread tries all counts of one key, the lower ones often behind the higher ones.
    @Test func `two workers accept each count inside a window once`() throws {
        let database = try TestDatabase()
        try database.put(Sample.registration(1))
        let id = Sample.keyID(1)
        let window = 16
        let threads = (0..<2).map { thread in
            Background {
                let store = try database.makeStore()
                let reads = BatchReads(partitions: [], keyIDs: [id], requests: [])
                var accepted: [UInt32] = []
                for step in UInt32(0)..<300 {
                    // 8, 7, … 1, 16, 15, … 9 and so on; the other thread has its own order.
                    let width: UInt32 = thread == 0 ? 8 : 12
                    let count = step / width * width + (width - step % width)
                    let isAccepted = try store.transact(reads) { state in
                        guard let key = state.keys[id], key.seen.admits(count, within: window)
                        else { return (writes: nil, result: false) }
                        var seen = key.seen
                        seen.accept(count)
                        let use = KeyUse(signCount: seen.highest, window: seen)
                        return (writes: BatchWrites(uses: [id: use]), result: true)
                    }
                    if isAccepted { accepted.append(count) }
                }
                return accepted
            }
        }
        let accepted = try threads.flatMap { try #require(try $0.value()) }
        #expect(Set(accepted).count == accepted.count, "a count was accepted twice")
        let highest = try #require(accepted.max())
        let key = try #require(try database.makeStore().keys(for: [id])[id])
        #expect(key.signCount == highest)
        for count in (highest > 64 ? highest - 64 : 1)...highest {
            #expect(key.seen.admits(count, within: 64) == !accepted.contains(count))
        }
        // Whichever thread is ahead, its own late counts are let in.
        #expect(accepted.count > 100)
    }

    /// Five hundred batches; returns how often the other thread inserted a new key first.
    private func runBatches(of thread: Int, in database: TestDatabase) throws -> Int {
        let store = try database.makeStore()
        var conflicts = 0
        for batch in 0..<500 {
            // Twenty shared keys, and every tenth batch a new one that both insert.
            var counts: [KeyID: UInt32] = [:]
            for number in 0..<20 {
                let shared = (number * 7 + batch * (thread + 1)) % 30
                counts[Sample.keyID(shared)] = UInt32(batch)
            }
            let fresh = Sample.registration(100 + batch / 10)
            let registrations = batch % 10 == 0 ? [fresh] : []
            let keyIDs = Set(counts.keys).union(registrations.map(\.key.keyID))
            let reads = BatchReads(partitions: [], keyIDs: keyIDs, requests: [])
            let writes = BatchWrites(
                inbox: [Sample.entry(thread * 1000 + batch)],
                registrations: registrations, signCounts: counts)
            do {
                try store.transact(reads) { _ in (writes: writes, result: ()) }
            } catch {
                guard error.code == "concurrent_insert" else { throw error }
                conflicts += 1
            }
        }
        return conflicts
    }

    @Test func `a thousand batches of shared keys in two threads never deadlock`() throws {
        let database = try TestDatabase()
        for number in 0..<30 { try database.put(Sample.registration(number)) }
        let threads = (0..<2).map { thread in
            Background { try runBatches(of: thread, in: database) }
        }
        let conflicts = try threads.map { try #require(try $0.value()) }.reduce(0, +)
        #expect(try database.inboxCount() == 1000 - conflicts)
        let session = try database.connect()
        #expect(
            try session.number(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == 0)
        #expect(try session.number("SELECT max(sign_count) FROM attest.keys") == 499)
    }

    @Test func `a held lock ends as a retry after the lock timeout`() throws {
        let database = try TestDatabase()
        let holder = try database.makeStore()
        _ = try holder.claim([Sample.partition(0): 0])
        var settings = database.settings
        settings.lockTimeoutMilliseconds = 100
        let waiting = PostgresKeyStore(settings)
        let reads = BatchReads(partitions: [Sample.partition(0)], keyIDs: [], requests: [])
        let fault = try holder.transact(reads) { _ in
            (
                writes: nil,
                result: #expect(throws: Fault.self) { try waiting.claim([Sample.partition(0): 0]) }
            )
        }
        #expect(fault?.code == "55P03")
        #expect(fault?.disposition == .retry)
        #expect(try waiting.claim([Sample.partition(0): 0])[Sample.partition(0)]?.epoch == 2)
    }

    @Test func `a frozen owner loses its transaction and can store nothing`() throws {
        let database = try TestDatabase()
        var settings = database.settings
        settings.idleInTransactionTimeoutMilliseconds = 200
        let frozen = PostgresKeyStore(settings)
        let mine = try frozen.claim([Sample.partition(0): 0])
        let reads = BatchReads(partitions: [Sample.partition(0)], keyIDs: [], requests: [])
        let fault = #expect(throws: Fault.self) {
            try frozen.transact(reads) { _ in
                usleep(600_000)
                return (
                    writes: BatchWrites(inbox: [Sample.entry(1)], progress: mine), result: ()
                )
            }
        }
        #expect(fault?.disposition == .retry)
        #expect(try database.inboxCount() == 0)
        #expect(try database.makeStore().claim([Sample.partition(0): 0]).count == 1)
        // And after its sleep it works again, under whatever the rows say.
        #expect(try frozen.keys(for: [Sample.keyID(1)]).isEmpty)
    }

    @Test func `pruning waits for no lock`() throws {
        let database = try TestDatabase()
        let store = try database.makeStore()
        let none = BatchReads(partitions: [], keyIDs: [], requests: [])
        try store.transact(none) { _ in
            (writes: BatchWrites(inbox: [Sample.entry(1), Sample.entry(2)]), result: ())
        }
        try database.ageInbox(days: suiteRetentionDays + 1)
        let holder = try database.connect()
        try holder.execute(
            """
            BEGIN; SELECT 1 FROM attest.inbox
            WHERE ctid = (SELECT min(ctid) FROM attest.inbox) FOR UPDATE
            """
        )
        #expect(try store.pruneInbox(rowsMax: 10) == 1)
        try holder.execute("ROLLBACK")
        #expect(try store.pruneInbox(rowsMax: 10) == 1)
    }
}
