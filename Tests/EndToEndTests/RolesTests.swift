import Harness
import Testing

extension EndToEndTests {
    /// What the roles of `schemas/roles.sql` can't do.
    ///
    /// What they can, all other tests show, as their workers and operators log in with them.
    @Suite struct RolesTests {
        private static let forbidden: [(Database.Role, String)] = [
            (.worker, "DELETE FROM attest.keys"),
            (.worker, "UPDATE attest.keys SET status = 'active'"),
            (.worker, "UPDATE attest.keys SET app_id = 'OTHERTEAM1.app'"),
            (.worker, "UPDATE attest.keys SET public_key = ''"),
            (.worker, "UPDATE attest.keys SET subject = 'me'"),
            (.worker, "TRUNCATE attest.keys"),
            (.worker, "DROP TABLE attest.keys"),
            (.worker, "ALTER TABLE attest.keys DISABLE TRIGGER ALL"),
            (.worker, "CREATE TABLE attest.mine (x int)"),
            (.worker, "UPDATE attest.inbox SET verdict = ''"),
            (.worker, "DELETE FROM attest.partition_progress"),
            (.worker, "SELECT reason FROM attest.withdrawals"),
            (.worker, "INSERT INTO attest.schema_version VALUES (99, 'x', '')"),
            (.operator, "DELETE FROM attest.withdrawals"),
            (.operator, "UPDATE attest.keys SET sign_count = 4294967295"),
            (.operator, "UPDATE attest.partition_progress SET next_offset = 0"),
            (.operator, "DELETE FROM attest.keys"),
            (.operator, "DELETE FROM attest.inbox"),
            (.operator, "INSERT INTO attest.inbox (request) VALUES (gen_random_uuid())"),
            (.reader, "SELECT subject FROM attest.keys"),
            (.reader, "SELECT key_id FROM attest.keys"),
            (.reader, "SELECT 1 FROM attest.inbox"),
            (.reader, "SELECT 1 FROM attest.attestations"),
            (.reader, "UPDATE attest.keys SET status = 'revoked'"),
        ]

        @Test func `no role can do more than it needs`() async throws {
            let database = try await Database.create("roles", on: try Servers.shared().postgres)
            for (role, sql) in Self.forbidden {
                let asRole = Database(conninfo: database.conninfo(as: role), name: database.name)
                let error = await #expect(throws: HarnessFailure.self) {
                    try await asRole.query(sql)
                }
                let text = error.map { "\($0)" } ?? ""
                let isRefused =
                    text.contains("permission denied") || text.contains("must be owner")
                #expect(isRefused, "\(role): \(sql): \(text)")
            }
        }

        @Test func `a worker can't lower a sign count, whatever it says`() async throws {
            let database = try await Database.create(
                "role-counts", on: try Servers.shared().postgres)
            let worker = Database(conninfo: database.conninfo(as: .worker), name: database.name)
            try await worker.query(
                """
                INSERT INTO attest.keys
                    (key_id, app_id, environment, public_key, sign_count, status, attested_by)
                VALUES (sha256('key'), 'T.app', 'production', '\\x04' || sha256('') || sha256(''),
                    7, 'active', 'apple')
                """)
            try await worker.query("UPDATE attest.keys SET sign_count = 8")
            let error = await #expect(throws: HarnessFailure.self) {
                try await worker.query("UPDATE attest.keys SET sign_count = 7")
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("a sign count never falls"))
        }

        @Test func `a reader sees how far partitions and how many keys there are`() async throws {
            let database = try await Database.create("readers", on: try Servers.shared().postgres)
            let reader = Database(conninfo: database.conninfo(as: .reader), name: database.name)
            let counts = try await reader.query(
                "SELECT count(status) FROM attest.keys UNION ALL"
                    + " SELECT count(*) FROM attest.partition_progress")
            #expect(counts == [["0"], ["0"]])
        }
    }
}
