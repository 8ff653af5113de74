import PostgresStore
import Testing
import Worker

@testable import attest_worker

/// `migrate` and `check` against a real PostgreSQL, and brokers that aren't there.
@Suite(.serialized) struct DatabaseCommandTests {
    func run(_ command: String, _ server: TemporaryPostgres, _ flags: String...) -> (
        code: ExitCode, test: TestConsole
    ) {
        let test = TestConsole()
        let code = AttestWorker.run(
            [command, "--postgres.connection=\(server.conninfo())"] + flags,
            console: test.console(environment: ["ATTEST_APPS": "[{appId: \"T.b\"}]"]))
        return (code, test)
    }

    @Test func `migrate applies once, and check sees before and after`() throws {
        let server = try TemporaryPostgres()
        defer { server.remove() }
        let check = ["--kafka.bootstrapServers=127.0.0.1:1"]

        let before = run("check", server, check[0])
        #expect(before.code == .incompatible)
        #expect(before.test.outputText.contains("FAIL  database schema: lacks 0001_"))
        #expect(before.test.outputText.contains("attest-worker migrate"))

        let dryRun = run("migrate", server, "--dry-run")
        #expect(dryRun.code == .success)
        #expect(dryRun.test.outputText.hasPrefix("would apply 0001_"))
        let first = run("migrate", server)
        #expect(first.code == .success)
        #expect(first.test.outputText.hasPrefix("applied 0001_"))
        let second = run("migrate", server)
        #expect(second.code == .success)
        #expect(second.test.outputText == "nothing to do\n")

        let after = run("check", server, check[0])
        #expect(after.code == .unavailable)
        #expect(after.test.outputText.contains("ok    database schema: "))
        #expect(after.test.outputText.contains("ok    database session: "))
        #expect(after.test.outputText.contains("FAIL  brokers: "))
    }

    @Test(arguments: ["migrate", "check"])
    func `a server that isn't there is unavailable, and no password is told`(command: String) {
        let test = TestConsole()
        let code = AttestWorker.run(
            [
                command, "--postgres.connection=host=127.0.0.1 port=1 password=hunter2",
                "--kafka.bootstrapServers=127.0.0.1:1", "--apps=[{appId: \"T.b\"}]",
            ], console: test.console())
        #expect(code == .unavailable)
        #expect(!(test.outputText + test.errorText).contains("hunter2"))
    }

    @Test(arguments: ["nonsense", "host=", "host='db", "postgresql://[::1/db", "hosst=db", "=x"])
    func `a connection string that libpq can't read is a wrong setting`(text: String) {
        let test = TestConsole()
        let secret = "hunter2"
        let string = text == "host=" ? "host=\(secret) passwort=\(secret)" : text
        let code = AttestWorker.run(
            ["migrate", "--postgres.connection=\(string)"], console: test.console())
        // By a flag; in a file it would be `.config`.
        #expect(code == .usage)
        #expect(test.errorText.contains("postgres.connection"), "\(test.errorText)")
        #expect(test.errorText.contains("as libpq reads them"))
        #expect(!test.errorText.contains(secret))
    }
}
