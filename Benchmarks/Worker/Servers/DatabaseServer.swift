import AppAttest
import Foundation
import Glibc
import Harness
import LibCrypto
import PostgresStore

/// A PostgreSQL server that writes through, with a schema, keys and history in it.
final class DatabaseServer {
    private static let fillPatience: Duration = .seconds(1800)
    private static let columns =
        "key_id, app_id, environment, public_key, sign_count, status, attested_by"

    let database: Database
    private let folder: Folder
    private let postgres: TemporaryPostgres
    private var storedKeys = 0
    private var storedRequests = 0
    private var scripts = 0

    /// Starts a server and makes the schema.
    init(folder: Folder) async throws {
        self.folder = folder
        var server = TemporaryPostgres.Options()
        server.isDurable = true
        server.settings = [
            "shared_buffers = 512MB", "max_wal_size = 8GB", "log_line_prefix = ''",
        ]
        postgres = try TemporaryPostgres(server)
        database = try await Database.create("benchmark", on: postgres, migrated: false)
        try await database.migrate(folder)
    }

    /// A database beside it, on the same server.
    func emptyDatabase(_ name: String) async throws -> Database {
        try await Database.create(name, on: postgres, migrated: false)
    }

    /// Keys and decided requests that are stored.
    var contents: (keys: Int, requests: Int) { (storedKeys, storedRequests) }

    /// Stores keys until there are so many: first those that ask, among others in no order, as the
    /// rows of a table lie that has grown over years.
    ///
    /// - Parameters:
    ///   - count: keys in the table afterwards.
    ///   - lines: those that ask, as `COPY` takes them; only at the first call.
    /// - Throws: when the server refuses.
    func store(keys count: Int, asking lines: String = "") async throws {
        let asking = lines.utf8.count { $0 == UInt8(ascii: "\n") }
        let others = storedKeys..<max(storedKeys, count - asking)
        let path = try folder.write(lines, to: "keys.tsv")
        try await run(
            """
            CREATE TEMPORARY TABLE fresh AS SELECT \(Self.columns) FROM attest.keys LIMIT 0;
            \\copy fresh (\(Self.columns)) FROM '\(path)'
            INSERT INTO fresh SELECT sha256(int8send(i)), '\(Traffic.appID)', 'production',
                '\\x04'::bytea || sha256(int8send(i + 1)) || sha256(int8send(i + 2)), 0, 'active',
                'simulated'
            FROM generate_series(\(others.lowerBound), \(others.upperBound) - 1) AS i;
            INSERT INTO attest.keys (\(Self.columns)) SELECT \(Self.columns) FROM fresh
            ORDER BY hashtextextended(key_id::text, 5);
            """)
        storedKeys = others.upperBound + asking
    }

    /// Stores decided requests until there are so many.
    func store(requests count: Int) async throws {
        guard count > storedRequests else { return }
        try await run(
            """
            INSERT INTO attest.inbox (request, content_digest, verdict)
            SELECT md5('history' || i)::uuid, sha256(int8send(i)),
                convert_to(repeat('v', 400), 'UTF8')
            FROM generate_series(\(storedRequests + 1), \(count)) AS i;
            """)
        storedRequests = count
    }

    /// The id of a stored key that never asks.
    static func otherKey(_ number: Int) -> KeyID {
        let bytes = withUnsafeBytes(of: Int64(number).bigEndian) { Array($0) }
        return KeyID(SHA256.hash(bytes))
    }

    /// Forgets what is in memory: the server starts anew, and the kernel drops its files' pages.
    func makeCold() async throws {
        try await database.query("CHECKPOINT")
        try postgres.stop(.fast)
        let data = postgres.folder + "/data"
        for case let name as String in FileManager.default.enumerator(atPath: data) ?? .init() {
            let file = open(data + "/" + name, O_RDONLY)
            guard file >= 0 else { continue }
            fdatasync(file)
            _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
            close(file)
        }
        try postgres.start()
    }

    /// Has the server write the plan of each statement that it executes into its log, or not.
    func explain(_ isOn: Bool) async throws {
        let name = database.name
        let settings =
            isOn
            ? [
                "session_preload_libraries TO 'auto_explain'",
                "auto_explain.log_min_duration TO 0", "auto_explain.log_analyze TO on",
                "auto_explain.log_buffers TO on", "log_min_messages TO log",
            ].map { "SET \($0)" } : ["RESET ALL"]
        for setting in settings { try await database.query("ALTER DATABASE \(name) \(setting)") }
    }

    /// The last plan in the log of each statement on our tables.
    func plans() throws -> [String] {
        let log = try String(contentsOfFile: postgres.folder + "/server.log", encoding: .utf8)
        var plans: [String: String] = [:]
        // A line of its own begins an entry; those of a plan are indented.
        for entry in log.split(separator: "LOG:  duration: ").dropFirst() {
            let lines = entry.split(separator: "\n").dropFirst().prefix { $0.hasPrefix("\t") }
            let text = lines.map { $0.dropFirst() }.joined(separator: "\n")
            guard let query = text.firstRange(of: "Query Text: ")?.upperBound,
                let plan = text.matches(of: #/(?m)^[A-Z][A-Za-z ]+ +\(cost=/#).first?.range
            else { continue }
            plans[String(text[query..<plan.lowerBound])] = String(text[plan.lowerBound...])
        }
        return plans.filter { $0.key.contains("attest.") }.sorted { $0.key < $1.key }
            .map { "\($0.key.split(separator: "\n").joined(separator: " "))\n\n\($0.value)" }
    }

    /// CPU seconds of the server so far.
    func seconds() throws -> Double {
        let text = try String(
            contentsOfFile: postgres.folder + "/data/postmaster.pid", encoding: .utf8)
        guard let process = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw HarnessFailure("the server's process is not found")
        }
        return CPUTime.secondsOfFamily(of: process)
    }

    /// Bytes that were written to the log so far.
    func logBytes() async throws -> Double {
        let rows = try await database.query("SELECT pg_current_wal_insert_lsn() - '0/0'")
        return rows.first?.first.flatMap(Double.init) ?? 0
    }

    /// Rows that were inserted and updated in our tables so far.
    func changedRows() async throws -> Double {
        let rows = try await database.query(
            """
            SELECT sum(n_tup_ins + n_tup_upd) FROM pg_stat_user_tables WHERE schemaname = 'attest'
            """)
        return rows.first?.first.flatMap(Double.init) ?? 0
    }

    private func run(_ script: String) async throws {
        scripts += 1
        let path = try folder.write(
            script + "\nVACUUM ANALYZE;\nCHECKPOINT;\n", to: "fill-\(scripts).sql")
        let client = try await ChildProcess.start(
            "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo, "-f", path],
            folder: folder, name: "fill-\(scripts)")
        let end = try await client.waitForEnd(within: Self.fillPatience)
        guard end == .exited(0) else { throw HarnessFailure("filling the database: \(client)") }
    }
}
