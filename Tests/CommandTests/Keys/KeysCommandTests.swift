import AppAttest
import FoundationEssentials
import LibCrypto
import PostgresStore
import Testing
import Wire
import Worker

@testable import attest_worker

/// `keys` against a real PostgreSQL.
@Suite(.serialized) struct KeysCommandTests {
    private static let appID = "TESTTEAM01.com.example.keys"

    /// A server with the tables and a few keys in them.
    private struct Bench {
        let server: TemporaryPostgres

        init() throws {
            server = try TemporaryPostgres()
            _ = try Migrations.apply(settings)
            let store = PostgresKeyStore(settings)
            defer { store.close() }
            let reads = BatchReads(partitions: [], keyIDs: [], requests: [])
            let registrations = (1...5).map(Self.registration)
            let entries = (1...5).map(Self.entry)
            try store.transact(reads) { _ in
                (writes: BatchWrites(inbox: entries, registrations: registrations), result: ())
            }
        }

        var settings: PostgresSettings {
            PostgresSettings(conninfo: server.conninfo(), group: "group", owner: "test")
        }

        static func keyID(_ number: Int) -> KeyID { KeyID(SHA256.hash([UInt8(number)])) }

        static func registration(_ number: Int) -> KeyRegistration {
            KeyRegistration(
                key: StoredKey(
                    keyID: keyID(number), appID: KeysCommandTests.appID,
                    environment: .production,
                    publicKey: [UInt8](repeating: 4, count: 65), signCount: 3,
                    subject: "owner\u{1B}[2J \(number)", status: .active, attestedBy: .apple),
                receipt: [1, 2, 3], platform: "iphoneos", osVersion: "27.0",
                attestedAt: Instant(milliseconds: 1_790_000_000_000))
        }

        static func entry(_ number: Int) -> InboxEntry {
            var verdict = Verdict(
                verdictID: VerdictID(SHA256.hash([UInt8(number)])), outcome: .accepted,
                source: RecordPlace(topic: "requests", partition: 0, offset: Int64(number)))
            verdict.keyID = keyID(number)
            verdict.subject = "owner \(number)"
            return InboxEntry(
                identity: RequestIdentity(SHA256.hash([UInt8(number)])),
                contentDigest: SHA256.hash([UInt8(number)]), verdict: verdict.encode())
        }

        func keys(_ arguments: String..., input: String = "") -> (
            code: ExitCode, output: String, errors: String
        ) {
            let test = TestConsole()
            let code = AttestWorker.run(
                ["keys"] + arguments + ["--postgres.connection=\(server.conninfo())"],
                console: test.console(input: input))
            return (code, test.outputText, test.errorText)
        }
    }

    @Test func `keys are shown, listed by pages, revoked and erased`() throws {
        let bench = try Bench()
        defer { bench.server.remove() }
        let app = "--app-id=\(Self.appID)"
        let first = Bench.keyID(1).text
        let url = String(first.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.dropLast())

        let shown = bench.keys("show", app, url)
        #expect(shown.code == .success, "\(shown.errors)")
        #expect(shown.output.contains("status:       active\n"))
        // What a gateway sent can't move the terminal's cursor.
        #expect(shown.output.contains(#"subject:      owner\u001b[2J 1"#))

        let page = bench.keys("list", app, "--limit", "3", "--json")
        #expect(page.code == .success)
        let ids = try page.output.split(separator: "\n").map { line in
            try JSONDecoder().decode(Listed.self, from: Data(line.utf8)).keyId
        }
        #expect(ids == (1...5).map(Bench.keyID).sorted().prefix(3).map(\.text))
        let last = try #require(ids.last)
        #expect(page.errors == "there may be more: --after=\(last)\n")
        let rest = bench.keys("list", "--after=\(last)", "--json")
        #expect(rest.output.split(separator: "\n").count == 2)
        #expect(rest.errors == "")

        let dry = bench.keys("revoke", app, "--reason=lost", "--dry-run", first)
        #expect(dry.output == "\(first) would be revoked\n")
        #expect(bench.keys("list", "--status=revoked", "--json").output == "")
        let revoked = bench.keys("revoke", app, "--reason", "phone was lost", first)
        #expect(revoked.code == .success)
        #expect(revoked.output == "\(first) is now revoked\n")
        #expect(bench.keys("show", app, first).output.contains("reason:       phone was lost\n"))
        let again = bench.keys("revoke", app, "--reason=x", first, "--json")
        let line = #"{"keyId":"\#(first)","outcome":"unchanged","status":"revoked"}"#
        #expect(again.output == line + "\n")

        let erased = bench.keys(
            "erase", app, "--keys=-", input: "\(url)\n\(Bench.keyID(2).text)\n")
        #expect(erased.code == .success, "\(erased.errors)")
        #expect(erased.errors == "2 verdicts in the inbox are replaced by key_erased\n")
        let tombstone = bench.keys("show", app, first, "--json").output
        #expect(tombstone.contains(#""status":"erased""#))
        for gone in ["owner", "publicKey", "iphoneos", "27.0", "receiptBytes", "lost"] {
            #expect(!tombstone.contains(gone))
        }
        #expect(bench.keys("erase", app, first).errors.hasPrefix("0 verdicts"))
    }

    @Test func `a key is moved to another subject, for a reason that is kept`() throws {
        let bench = try Bench()
        defer { bench.server.remove() }
        let app = "--app-id=\(Self.appID)"
        let first = Bench.keyID(1).text
        #expect(bench.keys("move", app, "--to=bob", first).code == .usage)
        #expect(bench.keys("move", app, "--reason=sold", first).code == .usage)
        let dry = bench.keys("move", app, "--to=bob", "--reason=sold", "--dry-run", first)
        #expect(dry.output == "\(first) would belong to the subject\n")
        #expect(bench.keys("list", "--subject=bob", "--json").output == "")
        let moved = bench.keys("move", app, "--to=bob", "--reason=ticket 4711", first)
        #expect(moved.code == .success, "\(moved.errors)")
        #expect(moved.output == "\(first) belongs now to the subject\n")
        #expect(bench.keys("list", app, "--subject=bob", "--json").output.contains(first))
        let shown = bench.keys("show", app, first).output
        #expect(shown.contains("subject:      bob\n"))
        #expect(shown.contains("moved for:    ticket 4711\n"))
        let again = bench.keys("move", app, "--to=bob", "--reason=x", first, "--json").output
        #expect(again == #"{"keyId":"\#(first)","outcome":"unchanged","status":"active"}"# + "\n")
        #expect(bench.keys("erase", app, first).code == .success)
        let tombstone = bench.keys("show", app, first, "--json").output
        #expect(!tombstone.contains("4711"))
        #expect(tombstone.contains("movedAt"))
        let gone = bench.keys("move", app, "--to=eve", "--reason=x", first, "--json")
        #expect(gone.output.contains(#""outcome":"unchanged","status":"erased""#))
        #expect(gone.code == .negative, "a script must not take it for moved")
        #expect(bench.keys("revoke", app, "--reason=x", first).code == .negative)
    }

    @Test func `what is not there, or another app's, ends with 1 and changes nothing`() throws {
        let bench = try Bench()
        defer { bench.server.remove() }
        let known = Bench.keyID(1).text
        let unknown = Bench.keyID(99).text
        let missing = bench.keys(
            "revoke", "--app-id=\(Self.appID)", "--reason=x", known, unknown)
        #expect(missing.code == .negative)
        #expect(missing.output == "\(known) is now revoked\n\(unknown) is not known\n")
        for action in ["show", "erase"] {
            let other = bench.keys(action, "--app-id=OTHERTEAM1.org.example", known)
            #expect(other.code == .negative)
            #expect(other.output == "\(known) belongs to another app\n")
        }
        #expect(bench.keys("list", "--status=erased", "--json").output == "")
    }

    @Test(arguments: [
        (["keys"], "one of show, list, revoke, move, erase"),
        (["keys", "kill"], "one of show, list, revoke, move, erase"),
        (["keys", "show", "--app-id=T.b"], "name at least one key"),
        (["keys", "show", key], "--app-id must be given"),
        (["keys", "revoke", "--app-id=T.b", key], "--reason must be given"),
        (["keys", "revoke", "--app-id=T.b", "--reason=a\nb", key], "on one line"),
        (["keys", "list", "--limit=0"], "--limit must be a whole number from 1 to 10000"),
        (["keys", "list", "--since=yesterday"], "--since must be a time"),
        (["keys", "list", "--status=dead"], "--status must be active, revoked or erased"),
        (["keys", "list", "--after=AAAA"], "--after must be a key id"),
        (["keys", "erase", "--app-id=T.b", "--keys=nowhere"], "nowhere does not exist"),
        (["keys", "erase", "--app-id=T.b", "--keys=-"], "word 2 of - is no key id"),
    ])
    func `a wrong command line is told`(arguments: [String], message: String) {
        let test = TestConsole()
        let input = "\(Self.key)\nAAAA\n"
        #expect(AttestWorker.run(arguments, console: test.console(input: input)) == .usage)
        #expect(test.errorText.contains(message), "\(test.errorText)")
    }

    @Test(arguments: [["AAAA"], [key, "AAAA"], ["--json", "AAAA"], ["AAAA", "--config", "f"]])
    func `what is no key id is told, and what one looks like`(words: [String]) {
        let test = TestConsole()
        let code = AttestWorker.run(
            ["keys", "show", "--app-id=T.b"] + words, console: test.console())
        #expect(code == .usage)
        #expect(test.errorText.contains("AAAA is no key id: that is base64"), "\(test.errorText)")
        #expect(!test.errorText.contains("f is no key id"))
        #expect(!test.errorText.contains("is not a flag"))
    }

    private static let key = Bench.keyID(1).text

    private struct Listed: Decodable {
        var keyId: String
    }
}
