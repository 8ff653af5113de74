import AppAttest
import KeyStoreSuite
import LibCrypto
import Synchronization
import Worker

@testable import PostgresStore

/// The server that all tests of a run share.
///
/// It goes when the process ends.
enum TestServer {
    private static let server = Result { () throws(Fault) in
        let server = try TemporaryPostgres()
        let administrator = try TestServer.connect(server.conninfo())
        try administrator.execute("CREATE DATABASE migrated")
        _ = try Migrations.apply(
            PostgresSettings(
                conninfo: server.conninfo(database: "migrated"), group: "group", owner: "test"))
        return server
    }

    static var shared: TemporaryPostgres {
        get throws(Fault) { try server.get() }
    }

    fileprivate static func connect(_ conninfo: String) throws(Fault) -> TestSession {
        try TestSession(PostgresSettings(conninfo: conninfo, group: "group", owner: "test"))
    }
}

/// A session for what no store does.
final class TestSession {
    let connection: Connection

    init(_ settings: PostgresSettings) throws(Fault) {
        do {
            connection = try Connection(settings)
        } catch {
            throw error.fault("connect")
        }
    }

    /// Runs a script.
    func execute(_ sql: String) throws(Fault) {
        do {
            try connection.script(sql)
        } catch {
            throw error.fault("execute")
        }
    }

    /// Reads one text column.
    func texts(_ sql: String) throws(Fault) -> [String?] {
        do {
            var texts: [String?] = []
            let statement = Statement(name: "test_\(sql.hashValue)", sql: sql)
            try connection.run([Command(statement)]).first?.forEach { (row) throws(PostgresError) in
                texts.append(try row.optionalText(0))
            }
            return texts
        } catch {
            throw error.fault("read")
        }
    }

    /// Reads one number.
    func number(_ sql: String) throws(Fault) -> Int? {
        try texts("SELECT (\(sql))::text").first.flatMap { $0 }.flatMap { Int($0) }
    }
}

/// A database of its own, with the schema in it.
struct TestDatabase: KeyStoreWorld {
    private static let counter = Atomic(0)
    let name: String
    let server: TemporaryPostgres
    /// Whether stores behave as behind a pooler in transaction mode.
    var isPooled = false

    /// Creates it, as a copy of one that is migrated, or empty.
    init(migrated: Bool = true) throws(Fault) {
        server = try TestServer.shared
        name = "test_\(Self.counter.add(1, ordering: .relaxed).newValue)"
        try TestServer.connect(server.conninfo())
            .execute("CREATE DATABASE \(name) TEMPLATE \(migrated ? "migrated" : "template1")")
    }

    /// Empties all tables.
    func empty() throws(Fault) {
        try connect().execute(
            "TRUNCATE attest.keys, attest.attestations, attest.inbox, "
                + "attest.partition_progress, attest.withdrawals, "
                + "attest.receipts, attest.refresh_pace, attest.used_once")
    }

    var settings: PostgresSettings { settings(group: "group") }

    func settings(group: String) -> PostgresSettings {
        var settings = PostgresSettings(
            conninfo: server.conninfo(database: name), group: group, owner: "test")
        settings.inboxRetentionDays = suiteRetentionDays
        settings.isPooled = isPooled
        return settings
    }

    func connect() throws(Fault) -> TestSession {
        try TestSession(settings)
    }

    func makeStore(group: String) -> PostgresKeyStore {
        PostgresKeyStore(settings(group: group))
    }

    func makeReceipts() -> PostgresReceiptStore {
        PostgresReceiptStore(settings)
    }

    func makeRegister() -> PostgresKeyRegister {
        PostgresKeyRegister(settings)
    }

    func put(_ registration: KeyRegistration) throws(Fault) {
        let session = try connect()
        let keyID = registration.key.keyID
        let state = BatchState()
        let revived = registration.key.status == .erased
        var writable = registration
        if revived {
            writable.key.status = .active
            writable.key.publicKey = [UInt8](repeating: 4, count: 65)
        }
        do {
            try session.execute("DELETE FROM attest.keys WHERE key_id = \(literal(keyID))")
            _ = try session.connection.run(
                try writeCommands(
                    BatchWrites(registrations: [writable]), state: state, group: "group"))
        } catch let error as PostgresError {
            throw error.fault("put")
        } catch {
            throw Fault(
                operation: "put", code: "test", disposition: .stop(.software), message: "\(error)")
        }
        guard revived else { return }
        try session.execute(
            "UPDATE attest.keys SET status = 'erased', public_key = '', attested_on = NULL, "
                + "last_used_on = NULL, reattested = NULL "
                + "WHERE key_id = \(literal(keyID))")
    }

    func registration(of keyID: KeyID) throws -> KeyRegistration? {
        guard let key = try makeStore().keys(for: [keyID])[keyID] else { return nil }
        let statement = Statement(
            name: "test_registration",
            sql: """
                SELECT receipt, platform, os_version,
                    (extract(epoch FROM attested_at) * 1000)::int8
                FROM attest.attestations WHERE key_id = $1
                """)
        var found: KeyRegistration?
        let command = Command(statement, .bytes(keyID.digest.bytes))
        try connect().connection.run([command]).first?.forEach { (row) throws(PostgresError) in
            found = KeyRegistration(
                key: key, receipt: try row.bytes(0), platform: try row.optionalText(1),
                osVersion: try row.optionalText(2),
                attestedAt: Instant(milliseconds: try row.integer(3)))
        }
        return found
    }

    func inboxCount() throws(Fault) -> Int {
        try connect().number("SELECT count(*) FROM attest.inbox") ?? -1
    }

    func ageInbox(days: Int) throws(Fault) {
        try connect().execute("UPDATE attest.inbox SET decided_on = decided_on - \(days)")
    }

    private func literal(_ keyID: KeyID) -> String {
        let digits = Array("0123456789abcdef")
        let hex = keyID.digest.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "'\\x\(String(hex))'"
    }
}
