import FoundationEssentials
import Glibc
import Harness
import KeyStoreSuite
import Synchronization
import Testing
import Worker

@testable import PostgresStore

/// A server that is down, read only, not ours, or not to be trusted.
///
/// Each test has a server of its own, as it changes it.
@Suite(.serialized) struct ServerStateTests {
    private func makeServer() throws(Fault) -> TemporaryPostgres {
        var options = TemporaryPostgres.Options()
        options.listensOnLoopback = true
        return try TemporaryPostgres(options)
    }

    private func settings(_ conninfo: String) -> PostgresSettings {
        var settings = PostgresSettings(conninfo: conninfo, group: "group", owner: "test")
        settings.connectTimeoutSeconds = 2
        return settings
    }

    private func execute(_ sql: String, on server: TemporaryPostgres) throws(Fault) {
        var patient = settings(server.conninfo())
        patient.connectTimeoutSeconds = 20
        try TestSession(patient).execute(sql)
    }

    private func refusal(of store: PostgresKeyStore) -> Fault? {
        #expect(throws: Fault.self) { try store.keys(for: [Sample.keyID(1)]) }
    }

    @Test(arguments: [TemporaryPostgres.StopMode.fast, .immediate])
    func `a restart costs a retry and no row`(_ mode: TemporaryPostgres.StopMode) throws {
        let server = try makeServer()
        defer { server.remove() }
        _ = try Migrations.apply(settings(server.conninfo()))
        let store = PostgresKeyStore(settings(server.conninfo()))
        let none = BatchReads(partitions: [], keyIDs: [], requests: [])
        try store.transact(none) { _ in
            (writes: BatchWrites(registrations: [Sample.registration(1)]), result: ())
        }
        try server.stop(mode)
        let started = ContinuousClock.now
        #expect(refusal(of: store)?.disposition == .retry)
        #expect(refusal(of: store)?.disposition == .retry)
        #expect(ContinuousClock.now - started < .seconds(2))
        try server.start()
        #expect(try store.keys(for: [Sample.keyID(1)]).count == 1)
    }

    @Test func `a probe tells whether the server would let us write`() throws {
        let server = try makeServer()
        defer { server.remove() }
        let tries = Mutex<[Bool]>([])
        let store = PostgresKeyStore(settings(server.conninfo())) { isOpen in
            tries.withLock { $0.append(isOpen) }
        }
        // No schema is needed for it.
        try store.probe()
        try execute("ALTER SYSTEM SET default_transaction_read_only = on", on: server)
        try execute("SELECT pg_reload_conf()", on: server)
        var fault: Fault?
        let isRefused = try eventually {
            do {
                try store.probe()
                return false
            } catch let error as Fault {
                fault = error
                return true
            }
        }
        #expect(isRefused)
        #expect(fault?.code == "25006")
        #expect(fault?.disposition == .retry)
        try server.stop(.immediate)
        #expect(throws: Fault.self) { try store.probe() }
        let told = tries.withLock { $0 }
        #expect(told.first == true && told.last == false)
    }

    @Test func `a server that turns read only is left until it is writable again`() throws {
        let server = try makeServer()
        defer { server.remove() }
        _ = try Migrations.apply(settings(server.conninfo()))
        let store = PostgresKeyStore(settings(server.conninfo()))
        #expect(try store.claim([Sample.partition(0): 0])[Sample.partition(0)]?.epoch == 1)
        try execute("ALTER SYSTEM SET default_transaction_read_only = on", on: server)
        try execute("SELECT pg_reload_conf()", on: server)
        var fault: Fault?
        let isRefused = try eventually {
            do {
                _ = try store.claim([Sample.partition(0): 0])
                return false
            } catch let error as Fault {
                fault = error
                return true
            }
        }
        try #require(isRefused)
        #expect(fault?.code == "25006")
        #expect(fault?.disposition == .retry)
        #expect(store.connection == nil)
        // A new session isn't even begun.
        #expect(refusal(of: store)?.disposition == .retry)
        var session = settings(server.conninfo())
        session.conninfo += " options='-c default_transaction_read_only=off'"
        try TestSession(session).execute("ALTER SYSTEM RESET default_transaction_read_only")
        try TestSession(session).execute("SELECT pg_reload_conf()")
        #expect(try eventually { (try? store.claim([Sample.partition(0): 0])) != nil })
    }

    @Test func `the writable one of several hosts is found`() throws {
        let server = try makeServer()
        defer { server.remove() }
        _ = try Migrations.apply(settings(server.conninfo()))
        let silent = try PostgresProxy(to: server)
        defer { silent.close() }
        silent.set(.silent)
        // One that is not there, one that accepts and never answers, and the right one.
        let hosts = "/nonexistent,\(silent.folder),\(server.folder)"
        var several = settings(
            "host=\(hosts) port=5432,5432,\(server.port) user=postgres dbname=postgres")
        several.replyTimeoutMilliseconds = 5000
        #expect(try PostgresKeyStore(several).keys(for: [Sample.keyID(1)]).isEmpty)
    }

    @Test func `refusals end the process and don't tell the password`() throws {
        let server = try makeServer()
        defer { server.remove() }
        let right = try #require(server.loopbackConninfo())
        let wrong = right.split(separator: " ").map {
            $0.hasPrefix("password=") ? "password=hunter2hunter2" : String($0)
        }.joined(separator: " ")
        let refused = try #require(refusal(of: PostgresKeyStore(settings(wrong))))
        #expect(refused.disposition == .stop(.noPermission))
        #expect(refused.code == "28P01")
        #expect(refused.operation == "connect to PostgreSQL")
        #expect(!"\(refused)".contains("hunter2"))

        let elsewhere = refusal(
            of: PostgresKeyStore(settings(server.conninfo(database: "nowhere"))))
        #expect(elsewhere?.code == "3D000")
        #expect(elsewhere?.disposition == .stop(.incompatible))

        let unmigrated = refusal(of: PostgresKeyStore(settings(right)))
        #expect(unmigrated?.code == "42P01")
        #expect(unmigrated?.disposition == .stop(.incompatible))

        try execute("CREATE ROLE stranger LOGIN", on: server)
        _ = try Migrations.apply(settings(server.conninfo()))
        let stranger = refusal(
            of: PostgresKeyStore(
                settings("host=\(server.folder) port=\(server.port) user=stranger dbname=postgres"))
        )
        #expect(stranger?.code == "42501")
        #expect(stranger?.disposition == .stop(.noPermission))
    }

    @Test(arguments: ["host=x password=hunter2 oops", "hunter2", "postgres://u:hunter2@h:x y/"])
    func `a connection string that can't be read is not repeated`(_ conninfo: String) throws {
        let fault = try #require(refusal(of: PostgresKeyStore(settings(conninfo))))
        #expect(fault.disposition == .stop(.config))
        #expect(!"\(fault)".contains("hunter2"))
        #expect(!"\(settings(conninfo))".contains("hunter2"))
        #expect(!String(reflecting: settings(conninfo)).contains("hunter2"))
    }

    @Test(arguments: [
        ("host=a user=u password=one", "host=a user=v password=two", true),
        ("host=a sslcert=/1 sslkey=/2", "host=a", true),
        ("postgresql://u:one@a:5432/d", "host=a port=5432 dbname=d", true),
        ("host=a dbname=d", "host=b dbname=d", false), ("host=a dbname=d", "host=a", false),
        ("host=a", "host=a sslmode=disable", false), ("host=a", "no string", false),
    ])
    func `a connection string of the same database differs in who asks`(
        one: String, other: String, isSame: Bool
    ) {
        #expect(PostgresSettings.leadToSameDatabase(one, other) == isSame)
        #expect(PostgresSettings.leadToSameDatabase(other, one) == isSame)
    }

    @Test func `a replaced password counts for the next session`() throws {
        let server = try makeServer()
        defer { server.remove() }
        _ = try Migrations.apply(settings(server.conninfo()))
        try execute("CREATE ROLE rotated LOGIN SUPERUSER PASSWORD 'one'", on: server)
        var settings = settings("host=127.0.0.1 port=\(server.port) user=rotated dbname=postgres")
        settings.password = "one"
        settings.connectTimeoutSeconds = 20
        let access = Live(DatabaseAccess(conninfo: settings.conninfo, password: "one"))
        let store = PostgresKeyStore(settings, access: access)
        #expect(try store.keys(for: [Sample.keyID(1)]).isEmpty)
        try execute("ALTER ROLE rotated PASSWORD 'two'", on: server)
        #expect(try store.keys(for: [Sample.keyID(1)]).isEmpty)
        let first = store.connection?.serverProcessID
        store.close()
        #expect(refusal(of: store)?.code == "28P01")
        access.replace(with: DatabaseAccess(conninfo: settings.conninfo, password: "two"))
        #expect(try store.keys(for: [Sample.keyID(1)]).isEmpty)
        #expect(store.connection?.serverProcessID != first)
        // One in the connection string comes first.
        settings.conninfo += " password=two"
        #expect(try PostgresKeyStore(settings).keys(for: [Sample.keyID(1)]).isEmpty)
    }

    @Test func `a server that forgets commits is refused unless that is allowed`() throws {
        let server = try makeServer()
        defer { server.remove() }
        _ = try Migrations.apply(settings(server.conninfo()))
        try execute("ALTER DATABASE postgres SET synchronous_commit = off", on: server)
        #expect(
            refusal(of: PostgresKeyStore(settings(server.conninfo())))?.disposition
                == .stop(.config))
        var lenient = settings(server.conninfo())
        lenient.allowsAsynchronousCommit = true
        #expect(try PostgresKeyStore(lenient).keys(for: [Sample.keyID(1)]).isEmpty)
        let facts = try ServerCheck.facts(settings(server.conninfo()))
        #expect(facts.synchronousCommit == "off")
        // A temporary server is not durable, unless that is asked for.
        #expect(!facts.writesThrough)
    }

    @Test func `the server tells how many sessions are left for the worker's role`() throws {
        let server = try makeServer()
        defer { server.remove() }
        let before = try ServerCheck.facts(settings(server.conninfo()))
        #expect(before.synchronousCommit == "on")
        #expect((1...97).contains(before.sessionsFree))
        let session = try TestSession(settings(server.conninfo()))
        try session.execute("CREATE ROLE plain LOGIN")
        let plain = settings(
            "host=\(server.folder) port=\(server.port) user=plain dbname=postgres")
        // Statistics of the server come a moment late.
        var left = before.sessionsFree
        #expect(
            try eventually {
                left = try ServerCheck.facts(plain).sessionsFree
                return left < before.sessionsFree
            }, "\(left) of \(before.sessionsFree)")
    }

    @Test func `nothing is left when its process is killed`() async throws {
        var template = Array("/tmp/attest-killed-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let base = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        defer { rmdir(base) }
        chmod(base, 0o777)
        await #expect(processExitsWith: .signal(SIGKILL)) { [base = base as String] in
            setenv("TMPDIR", base, 1)
            let server = try TemporaryPostgres()
            guard server.folder.hasPrefix(base) else { return }
            kill(getpid(), SIGKILL)
        }
        let isEmpty = try eventually {
            try FileManager.default.contentsOfDirectory(atPath: base).isEmpty
        }
        #expect(isEmpty)
    }

    private func commandLine(of processID: Int) throws -> String {
        try String(contentsOfFile: "/proc/\(processID)/cmdline", encoding: .utf8)
    }

    @Test func `nothing is left of a temporary server`() throws {
        let server = try makeServer()
        let folder = server.folder
        let session = try TestSession(settings(server.conninfo()))
        let pid = try #require(
            try session.number("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"))
        #expect(try commandLine(of: pid).contains("postgres"))
        #expect(access(folder, F_OK) == 0)
        server.remove()
        server.remove()
        #expect(access(folder, F_OK) == -1)
        // Nothing, or a process that has ended and whose new parent has not noticed.
        #expect((try? commandLine(of: pid)) ?? "" == "")
    }
}
