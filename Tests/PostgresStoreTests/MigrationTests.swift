import FoundationEssentials
import KeyStoreSuite
import Testing
import Worker

@testable import PostgresStore

/// The schema, and how it gets there.
@Suite(.serialized) struct MigrationTests {
    @Test func `every file of schemas sql is embedded as it is, in order`() throws {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "schemas/sql").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(files == Migration.all.map { $0.name + ".sql" })
        #expect(Migration.all.map(\.version) == Array(1...Int32(Migration.all.count)))
        for migration in Migration.all {
            let file = try Data(
                contentsOf: root.appending(path: "schemas/sql/\(migration.name).sql"))
            #expect(Array(file) == migration.script)
        }
    }

    @Test func `a fresh database is behind, then current, and stays so`() throws {
        let database = try TestDatabase(migrated: false)
        #expect(try Migrations.state(database.settings) == .behind(missing: Migration.all))
        #expect(try Migrations.apply(database.settings) == Migration.all)
        #expect(try Migrations.state(database.settings) == .current)
        #expect(try Migrations.apply(database.settings) == [])
        #expect(try Migrations.state(database.settings) == .current)
    }

    @Test func `a dry run leaves nothing behind`() throws {
        let database = try TestDatabase(migrated: false)
        #expect(try Migrations.apply(database.settings, dryRun: true) == Migration.all)
        #expect(try Migrations.state(database.settings) == .behind(missing: Migration.all))
        let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'attest'"
        #expect(try database.connect().number(schemas) == 0)
    }

    @Test func `two migrations at once do each step once`() throws {
        let database = try TestDatabase(migrated: false)
        let runs = (0..<4).map { _ in Background { try Migrations.apply(database.settings) } }
        let applied = try runs.compactMap { try $0.value() }.flatMap { $0 }
        // Each may have done some of them; in which order it did, its own list tells.
        #expect(applied.map(\.version).sorted() == Migration.all.map(\.version))
        #expect(try Migrations.state(database.settings) == .current)
    }

    @Test func `a schema that was there before is used`() throws {
        let database = try TestDatabase(migrated: false)
        try database.connect().execute("CREATE SCHEMA attest")
        #expect(try Migrations.apply(database.settings) == Migration.all)
    }

    @Test func `another schema under the same number is not touched`() throws {
        let database = try TestDatabase()
        try database.connect().execute(
            "UPDATE attest.schema_version SET sha256 = sha256('x')")
        #expect(try Migrations.state(database.settings) == .altered(version: 1))
        let fault = #expect(throws: Fault.self) { try Migrations.apply(database.settings) }
        #expect(fault?.disposition == .stop(.incompatible))
    }

    @Test func `a newer schema is told as such and left alone`() throws {
        let database = try TestDatabase()
        try database.connect().execute(
            "INSERT INTO attest.schema_version VALUES (99, '0099_later', sha256('x'))")
        #expect(try Migrations.state(database.settings) == .ahead(version: 99))
        #expect(try Migrations.apply(database.settings) == [])
    }

    /// A worker of an earlier version does not name the column that tells of a second attestation.
    @Test func `of a key of an earlier version a second attestation is known once there is one`()
        throws
    {
        let database = try TestDatabase()
        let store = try database.makeStore()
        let id = Sample.keyID(1)
        try database.put(Sample.registration(1))
        try database.connect().execute("UPDATE attest.keys SET reattested = NULL")
        func reattested(after use: KeyUse) throws -> Bool? {
            try store.transact(BatchReads(partitions: [], keyIDs: [id], requests: [])) { _ in
                (writes: BatchWrites(uses: [id: use]), result: ())
            }
            return try #require(store.keys(for: [id])[id]).reattested
        }
        let today = Day(number: 30_000)
        #expect(try reattested(after: KeyUse(signCount: 1, usedOn: today)) == nil)
        #expect(
            try reattested(after: KeyUse(signCount: 1, usedOn: today, attestedOn: today)) == true)
    }

    /// What is known to be accepted must stand in the row that follows, wherever its count lies.
    @Test(arguments: [UInt32(0), 1, 2, 62, 63, 64, 65, 1000])
    func `the schema itself refuses to forget a count that was accepted`(
        distance: UInt32
    ) throws {
        let database = try TestDatabase()
        let store = try database.makeStore()
        let id = Sample.keyID(1)
        try database.put(Sample.registration(1))
        var seen = SeenCounts(allUpTo: 0)
        for count in [UInt32(100), 99, 97, 60, 37, 36] { seen.accept(count) }
        let uses = [id: KeyUse(signCount: 100, window: seen)]
        try store.transact(BatchReads(partitions: [], keyIDs: [id], requests: [])) { _ in
            (writes: BatchWrites(uses: uses), result: ())
        }
        var next = seen
        next.accept(100 + distance)
        let session = try database.connect()
        func write(_ bits: UInt64) throws(Fault) {
            let values = "window_count = \(next.highest), window_seen = \(Int64(bitPattern: bits))"
            try session.execute(
                "UPDATE attest.keys SET sign_count = \(next.highest), \(values)")
        }
        for bit in UInt64(0)..<64 where next.bits & 1 << bit != 0 {
            let fault = #expect(throws: Fault.self) { try write(next.bits & ~(1 << bit)) }
            #expect(fault?.code == "23514", "bit \(bit)")
        }
        try write(next.bits)
        // Without a window nothing is known, so that nothing may be let in below.
        try session.execute("UPDATE attest.keys SET window_count = NULL, window_seen = NULL")
        #expect(throws: Fault.self) { try write(next.bits & ~(1 << 63)) }
    }

    @Test(arguments: [
        "UPDATE attest.keys SET window_count = 8, window_seen = -1",
        "UPDATE attest.keys SET window_count = 7",
        "UPDATE attest.keys SET window_seen = -1",
        "UPDATE attest.keys SET window_count = -1, window_seen = -1",
        "UPDATE attest.keys SET sign_count = 4294967296",
        "UPDATE attest.keys SET sign_count = -1",
        "UPDATE attest.keys SET sign_count = 6",
        "DELETE FROM attest.attestations; UPDATE attest.keys SET key_id = sha256('other')",
        """
        UPDATE attest.keys SET status = 'erased', public_key = '';
        UPDATE attest.keys SET status = 'revoked',
            public_key = '\\x04' || sha256('') || sha256('')
        """,
        "UPDATE attest.keys SET key_id = '\\x00'",
        "UPDATE attest.keys SET public_key = ''",
        "UPDATE attest.keys SET status = 'erased'",
        "UPDATE attest.keys SET status = 'lost'",
        "UPDATE attest.keys SET environment = 'staging'",
        "UPDATE attest.inbox SET content_digest = '\\x00'",
        "UPDATE attest.partition_progress SET next_offset = -1",
        "UPDATE attest.partition_progress SET epoch = 0",
    ])
    func `the schema itself refuses rows that can't be`(_ sql: String) throws {
        let database = try TestDatabase()
        let store = try database.makeStore()
        _ = try store.claim([Sample.partition(0): 0])
        try database.put(Sample.registration(1, signCount: 7))
        try store.transact(BatchReads(partitions: [], keyIDs: [], requests: [])) { _ in
            (writes: BatchWrites(inbox: [Sample.entry(1)]), result: ())
        }
        let session = try database.connect()
        let fault = #expect(throws: Fault.self) { try session.execute(sql) }
        #expect(fault?.code == "23514")
        #expect(fault?.disposition == .poison)
    }
}
