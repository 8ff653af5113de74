import Glibc
import Harness
import KeyStoreSuite
import Testing
import Worker

@testable import PostgresStore

/// Connections that break, at the worst moments.
@Suite(.serialized) struct BrokenConnectionTests {
    private let none = BatchReads(partitions: [], keyIDs: [], requests: [])

    private func settings(_ database: TestDatabase, through proxy: PostgresProxy)
        -> PostgresSettings
    {
        var settings = database.settings
        settings.conninfo = "host=\(proxy.folder) port=5432 user=postgres dbname=\(database.name)"
        settings.replyTimeoutMilliseconds = 400
        settings.connectTimeoutSeconds = 2
        return settings
    }

    @Test(arguments: [PostgresProxy.Mode.cutBeforeCommit, .cutAfterCommit])
    func `a commit in doubt is settled by doing the same again`(_ mode: PostgresProxy.Mode) throws {
        let database = try TestDatabase()
        let proxy = try PostgresProxy(to: database.server)
        defer { proxy.close() }
        let store = PostgresKeyStore(settings(database, through: proxy))
        let mine = try store.claim([Sample.partition(0): 0])
        let reads = BatchReads(
            partitions: [Sample.partition(0)], keyIDs: [], requests: [Sample.request(1)])
        func decide(_ state: BatchState) -> (writes: BatchWrites?, result: String) {
            guard state.inbox.isEmpty else { return (writes: nil, result: "answered") }
            let moved = mine.mapValues {
                Progress(
                    epoch: $0.epoch, nextOffset: 1, publishedOffset: 0, lastTimestampMilliseconds: 1
                )
            }
            return (
                writes: BatchWrites(inbox: [Sample.entry(1)], progress: moved),
                result: "decided"
            )
        }
        proxy.set(mode)
        let fault = #expect(throws: Fault.self) { try store.transact(reads, decide: decide) }
        #expect(fault?.disposition == .retry)
        let wasCommitted: Bool
        if case .cutAfterCommit = mode { wasCommitted = true } else { wasCommitted = false }
        #expect(try database.inboxCount() == (wasCommitted ? 1 : 0))
        let answer = try store.transact(reads, decide: decide)
        #expect(answer == (wasCommitted ? "answered" : "decided"))
        #expect(try database.inboxCount() == 1)
        #expect(try store.claim([Sample.partition(0): 0])[Sample.partition(0)]?.nextOffset == 1)
    }

    @Test func `a server that never answers costs the timeout and no more`() throws {
        let database = try TestDatabase()
        let proxy = try PostgresProxy(to: database.server)
        defer { proxy.close() }
        let store = PostgresKeyStore(settings(database, through: proxy))
        _ = try store.keys(for: [Sample.keyID(1)])
        proxy.set(.silent)
        let started = ContinuousClock.now
        let fault = #expect(throws: Fault.self) { try store.keys(for: [Sample.keyID(1)]) }
        #expect(fault?.code == "reply_timeout")
        #expect(fault?.disposition == .retry)
        // The next attempt meets the silence while it connects.
        let second = #expect(throws: Fault.self) { try store.keys(for: [Sample.keyID(1)]) }
        #expect(second?.disposition == .retry)
        #expect(ContinuousClock.now - started < .seconds(4))
        proxy.set(.pass)
        #expect(try eventually { (try? store.keys(for: [Sample.keyID(1)])) != nil })
    }

    @Test func `reading keys takes one round trip, a transaction two`() throws {
        let database = try TestDatabase()
        let proxy = try PostgresProxy(to: database.server)
        defer { proxy.close() }
        let store = PostgresKeyStore(settings(database, through: proxy))
        let mine = try store.claim([Sample.partition(0): 0])
        func roundTrips(_ body: () throws -> Void) rethrows -> Int {
            let before = proxy.roundTrips
            try body()
            return proxy.roundTrips - before
        }
        #expect(try roundTrips { _ = try store.keys(for: [Sample.keyID(1)]) } == 1)
        let reads = BatchReads(
            partitions: [Sample.partition(0)], keyIDs: [Sample.keyID(1)],
            requests: [Sample.request(1)])
        let writes = BatchWrites(
            inbox: [Sample.entry(1)], registrations: [Sample.registration(1)],
            signCounts: [Sample.keyID(1): 1], progress: mine)
        #expect(
            try roundTrips {
                try store.transact(reads) { _ in (writes: writes, result: ()) }
            } == 2)
        #expect(try roundTrips { _ = try store.claim([Sample.partition(0): 0]) } == 1)
        #expect(try roundTrips { _ = try store.pruneInbox(rowsMax: 1) } == 1)
    }

    @Test func `a session ended by an operator is replaced`() throws {
        let database = try TestDatabase()
        let store = try database.makeStore()
        _ = try store.claim([Sample.partition(0): 0])
        let operatorSession = try database.connect()
        let terminate = """
            SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        #expect(try operatorSession.texts(terminate) == ["true"])
        let fault = #expect(throws: Fault.self) { try store.keys(for: [Sample.keyID(1)]) }
        #expect(fault?.disposition == .retry)
        #expect(try store.keys(for: [Sample.keyID(1)]).isEmpty)
        // In the middle of a transaction, nothing of it stays.
        let second = #expect(throws: Fault.self) {
            try store.transact(none) { _ in
                let ended = Result { try operatorSession.texts(terminate) }
                #expect((try? ended.get()) == ["true"])
                return (writes: BatchWrites(inbox: [Sample.entry(1)]), result: ())
            }
        }
        #expect(second?.disposition == .retry)
        #expect(try database.inboxCount() == 0)
    }

    @Test func `a batch larger than all socket buffers goes through and comes back`() throws {
        let database = try TestDatabase()
        let store = try database.makeStore()
        let entries = (0..<1000).map { number in
            var entry = Sample.entry(number)
            entry.verdict = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 10_000)
            return entry
        }
        try store.transact(none) { _ in (writes: BatchWrites(inbox: entries), result: ()) }
        let reads = BatchReads(
            partitions: [], keyIDs: [], requests: Set(entries.map(\.identity)))
        let found = try store.transact(reads) { (writes: nil, result: $0.inbox) }
        #expect(found.count == 1000)
        #expect(entries.allSatisfy { found[$0.identity] == $0 })
    }
}
