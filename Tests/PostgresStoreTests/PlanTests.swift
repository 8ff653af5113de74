import KeyStoreSuite
import Testing
import Worker

@testable import PostgresStore

/// Plans that are made once and kept must be right for a table of any size.
@Suite(.serialized) struct PlanTests {
    /// The statements that look for rows, and parameters of theirs as SQL.
    private static let questions: [(statement: Statement, parameters: String)] = [
        (.readKeys, "ARRAY['\\x00'::bytea, '\\x01']"),
        (.lockKeys, "ARRAY['\\x00'::bytea, '\\x01']"),
        (.readInbox, "ARRAY[gen_random_uuid(), gen_random_uuid()]"),
        (.lockProgress, "'group', ARRAY['requests'], ARRAY[0]"),
        (
            .advanceProgress,
            "'group', ARRAY['requests'], ARRAY[0], ARRAY[1::int8], "
                + "ARRAY[1::int8], ARRAY[1::int8], ARRAY[1::int8]"
        ),
        (
            .recordUses,
            "ARRAY['\\x00'::bytea], ARRAY[1::int8], ARRAY[1], ARRAY[NULL::int4], "
                + "ARRAY[1::int8], ARRAY[1::int8]"
        ),
        (.pruneInbox, "30, 100::int8"),
        (.readUsed, "ARRAY['\\x00'::bytea, '\\x01']"),
        (.pruneUsed, "now(), 100::int8"),
        (.readStandings, "ARRAY['\\x00'::bytea, '\\x01']"),
        (.findDueReceipts, "ARRAY['app'], now(), 10::int8"),
        (.settleReceipt, settlement),
        (.giveBackReceipts, "ARRAY['\\x00'::bytea], ARRAY[1::int8], now()"),
        (.noteTold, "ARRAY['\\x00'::bytea], ARRAY[1::int8]"),
        (.findUntold, "ARRAY['app'], now(), 10::int8"),
        (.oldestDue, "ARRAY['app'], now()"),
    ]

    private static let settlement =
        "'\\x00'::bytea, 1::int8, NULL, now(), now(), now(), 1::int8, now(), 0, now(), NULL, ''"

    /// The plan of a prepared statement that is not to be made anew for its parameters.
    private func plan(
        of question: (statement: Statement, parameters: String), _ session: TestSession
    ) throws(Fault) -> String {
        try session.texts(
            "EXPLAIN (COSTS OFF) EXECUTE \(question.statement.name)(\(question.parameters))"
        ).compactMap { $0 }.joined(separator: "\n")
    }

    /// Prepares everything as the store does, on empty tables.
    private func prepare(_ database: TestDatabase) throws -> TestSession {
        let session = try database.connect()
        let settings = database.settings
        _ = try session.connection.run([.configure(settings, isLocal: false)])
        try session.execute("SET plan_cache_mode = force_generic_plan")
        for question in Self.questions {
            try session.execute("PREPARE \(question.statement.name) AS \(question.statement.sql)")
        }
        return session
    }

    @Test func `plans made on empty tables read no table whole`() throws {
        let database = try TestDatabase()
        let session = try prepare(database)
        for question in Self.questions {
            let plan = try plan(of: question, session)
            #expect(!plan.contains("Seq Scan"), "\(question.statement.name)\n\(plan)")
            #expect(plan.contains("Index") || plan.contains("Tid Scan"), "\(plan)")
        }
    }

    @Test func `without the session's settings they would`() throws {
        let database = try TestDatabase()
        let session = try prepare(database)
        try session.execute("RESET enable_seqscan")
        let plans = try Self.questions.map { try plan(of: $0, session) }
        #expect(plans.contains { $0.contains("Seq Scan") })
    }

    @Test func `rows are locked in order, above the sort`() throws {
        let database = try TestDatabase()
        let session = try prepare(database)
        for question in Self.questions where question.statement.sql.contains("FOR UPDATE") {
            // Both skip rows that are locked: they wait for nobody.
            guard ![.pruneInbox, .findDueReceipts].contains(question.statement) else { continue }
            let plan = try plan(of: question, session)
            #expect(plan.hasPrefix("LockRows"), "\(plan)")
            #expect(plan.contains("Sort") || plan.contains("Index Scan using keys_pkey"))
        }
    }

    @Test func `the search for an erased key reads no more than its part of the inbox`() throws {
        let session = try prepare(try TestDatabase())
        let find = Statement.findVerdicts
        try session.execute("PREPARE \(find.name) AS \(find.sql)")
        let parameters = "'(0,0)'::tid, '(2048,0)'::tid, ARRAY['x'::bytea]"
        let plan = try plan(of: (find, parameters), session)
        #expect(plan.hasPrefix("LockRows"), "\(plan)")
        #expect(plan.contains("Tid Range Scan"), "\(plan)")
    }

    @Test func `sign counts rise within their page`() throws {
        let database = try TestDatabase()
        let store = try database.makeStore()
        let registrations = (0..<200).map { Sample.registration($0) }
        let keyIDs = registrations.map(\.key.keyID)
        let reads = BatchReads(partitions: [], keyIDs: Set(keyIDs), requests: [])
        try store.transact(reads) { _ in
            (writes: BatchWrites(registrations: registrations), result: ())
        }
        for count in UInt32(1)...20 {
            let counts = Dictionary(uniqueKeysWithValues: keyIDs.map { ($0, count) })
            try store.transact(reads) { _ in (writes: BatchWrites(signCounts: counts), result: ()) }
        }
        store.close()
        let session = try database.connect()
        let updates = "SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'keys'"
        #expect(try eventually { try session.number(updates) == 4000 })
        // A page is cleared of dead rows when the next update finds it full, so not all are.
        let withinPage = "SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'keys'"
        #expect(try #require(try session.number(withinPage)) > 2400)
    }

    @Test func `a store that began on empty tables scans none later`() throws {
        let database = try TestDatabase()
        let store = try database.makeStore()
        let mine = try store.claim([Sample.partition(0): 0])
        for batch in 0..<60 {
            let numbers = (0..<50).map { batch * 50 + $0 }
            let reads = BatchReads(
                partitions: [Sample.partition(0)], keyIDs: Set(numbers.map(Sample.keyID)),
                requests: Set(numbers.map(Sample.request)))
            try store.transact(reads) { _ in
                (
                    writes: BatchWrites(
                        inbox: numbers.map(Sample.entry),
                        registrations: numbers.map { Sample.registration($0) }, progress: mine),
                    result: ()
                )
            }
        }
        store.close()
        let session = try database.connect()
        let scans = """
            SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'attest'
                AND relname IN ('keys', 'inbox', 'partition_progress')
            """
        let inserted = """
            SELECT sum(n_tup_ins) FROM pg_stat_user_tables
            WHERE schemaname = 'attest' AND relname IN ('keys', 'inbox')
            """
        #expect(try eventually { try session.number(inserted) == 6000 })
        #expect(try session.number(scans) == 0)
    }
}
