import AppAttest
import KeyStoreSuite
import Testing
import Worker

@testable import PostgresStore

/// The store on PostgreSQL, on a real server.
@Suite(.serialized) struct PostgresKeyStoreTests {
    private static let database = Result { () throws(Fault) in try TestDatabase() }

    @Test(arguments: KeyStoreSuite<TestDatabase>.behaviours)
    func `the store on PostgreSQL keeps to the contract`(
        _ behaviour: KeyStoreBehaviour<TestDatabase>
    ) throws {
        let database = try Self.database.get()
        try database.empty()
        try behaviour.run(database)
    }

    @Test(arguments: KeyStoreSuite<TestDatabase>.behaviours)
    func `it does so without prepared statements and session settings`(
        _ behaviour: KeyStoreBehaviour<TestDatabase>
    ) throws {
        var database = try Self.database.get()
        database.isPooled = true
        try database.empty()
        try behaviour.run(database)
    }

    @Test func `a row that breaks a constraint poisons its batch and leaves the store usable`()
        throws
    {
        let database = try TestDatabase()
        let store = try database.makeStore()
        var broken = Sample.registration(2)
        broken.key.publicKey = [1, 2, 3]
        let reads = BatchReads(
            partitions: [], keyIDs: [Sample.keyID(1), Sample.keyID(2)], requests: [])
        func write(_ registrations: [KeyRegistration]) throws(Fault) {
            try store.transact(reads) { _ in
                (
                    writes: BatchWrites(
                        inbox: [Sample.entry(1)], registrations: registrations), result: ()
                )
            }
        }
        #expect(try store.keys(for: [Sample.keyID(1)]).isEmpty)
        let processID = try #require(store.connection?.serverProcessID)
        let fault = #expect(throws: Fault.self) { try write([Sample.registration(1), broken]) }
        #expect(fault?.code == "23514")
        #expect(fault?.disposition == .poison)
        #expect(try database.inboxCount() == 0)
        try write([Sample.registration(1)])
        #expect(try database.inboxCount() == 1)
        #expect(store.connection?.serverProcessID == processID)
    }

    @Test func `a commit that rolled back is not taken for one`() throws {
        let connection = try TestDatabase().connect().connection
        _ = try connection.run([Command(.begin)])
        #expect(throws: PostgresError.self) {
            try connection.run([Command(Statement(name: "wrong", sql: "SELECT 1 / 0"))])
        }
        let answer = try connection.run([Command(.commit)]).last
        #expect(answer?.commandTag == "ROLLBACK")
        let error = #expect(throws: PostgresError.self) { try requireCommit(answer) }
        #expect(error?.fault("test").disposition == .retry)
    }

    @Test func `behind a pooler the session keeps none of our settings`() throws {
        var database = try TestDatabase()
        let show = Command(Statement(name: "show", sql: "SELECT current_setting('lock_timeout')"))
        func lockTimeout() throws -> String {
            let store = try database.makeStore()
            _ = try store.claim([Sample.partition(0): 0])
            var found = ""
            try store.connection?.run([show]).first?.forEach { (row) throws(PostgresError) in
                found = try row.text(0)
            }
            return found
        }
        #expect(try lockTimeout() == "2s")
        database.isPooled = true
        #expect(try lockTimeout() == "0")
    }

    @Test func `a foreign trigger that drops our writes stops the worker`() throws {
        let database = try TestDatabase()
        try database.put(Sample.registration(1))
        try database.connect().execute(
            """
            CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER skip BEFORE UPDATE ON attest.keys
                FOR EACH ROW EXECUTE FUNCTION skip();
            """)
        let store = try database.makeStore()
        let reads = BatchReads(partitions: [], keyIDs: [Sample.keyID(1)], requests: [])
        let fault = #expect(throws: Fault.self) {
            try store.transact(reads) { _ in
                (writes: BatchWrites(signCounts: [Sample.keyID(1): 1]), result: ())
            }
        }
        #expect(fault?.disposition == .stop(.incompatible))
    }

    @Test func `a connection goes on after an error, with either protocol`() throws {
        let connection = try TestDatabase().connect().connection
        let wrong = Command(Statement(name: "wrong", sql: "SELECT 1 / 0"))
        for _ in 0..<2 {
            #expect(throws: PostgresError.self) { try connection.run([wrong]) }
            try connection.script("SELECT 1; SELECT 2")
            #expect(throws: PostgresError.self) { try connection.script("SELECT 1 / 0; SELECT 2") }
            #expect(try connection.run([Command(.begin), Command(.rollback)]).count == 2)
        }
    }

    @Test func `fifty assertions of one key in one batch are one row`() throws {
        let database = try TestDatabase()
        try database.put(Sample.registration(1))
        let store = try database.makeStore()
        let reads = BatchReads(
            partitions: [], keyIDs: [Sample.keyID(1)],
            requests: Set((1...50).map(Sample.request)))
        try store.transact(reads) { _ in
            (
                writes: BatchWrites(
                    inbox: (1...50).map(Sample.entry), signCounts: [Sample.keyID(1): 50]),
                result: ()
            )
        }
        #expect(try store.keys(for: [Sample.keyID(1)])[Sample.keyID(1)]?.signCount == 50)
        #expect(try database.inboxCount() == 50)
    }

    @Test func `an instant that no column holds poisons its batch`() throws {
        let database = try TestDatabase()
        let store = try database.makeStore()
        for milliseconds in [Int64.max, .min, -300_000_000_000_000] {
            var registration = Sample.registration(1)
            registration.attestedAt = Instant(milliseconds: milliseconds)
            let reads = BatchReads(partitions: [], keyIDs: [Sample.keyID(1)], requests: [])
            let fault = #expect(throws: Fault.self) {
                try store.transact(reads) { _ in
                    (writes: BatchWrites(registrations: [registration]), result: ())
                }
            }
            #expect(fault?.disposition == .poison)
        }
        #expect(try store.keys(for: [Sample.keyID(1)]).isEmpty)
    }
}
