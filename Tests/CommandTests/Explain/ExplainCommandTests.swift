import AppAttest
import FoundationEssentials
import LibCrypto
import PostgresStore
import Testing
import Wire
import Worker

@testable import attest_worker

/// `explain`, and the audit that it reads, against a real PostgreSQL.
@Suite(.serialized) struct ExplainCommandTests {
    private static let keyID = KeyID(SHA256.hash([1]))
    private static let policy = #"{"apps":[{"appId":"TEAM.app"}]}"#

    private static func identity(_ id: String) -> RequestIdentity {
        RequestIdentity(
            requestID: RequestID(id), place: RecordPlace(topic: "", partition: 0, offset: 0),
            timestampMilliseconds: nil)
    }

    private static func verdict(_ id: String, _ outcome: Verdict.Outcome) -> Verdict {
        var verdict = Verdict(
            verdictID: identity(id).verdictID, outcome: outcome,
            source: RecordPlace(topic: "requests", partition: 3, offset: 7))
        verdict.requestID = RequestID(id)
        verdict.keyID = keyID
        verdict.kind = .assertion
        verdict.subject = "ann@example.com"
        verdict.signCount = 5
        verdict.appID = "TEAM.app"
        return verdict
    }

    private struct Bench {
        let server: TemporaryPostgres

        init() throws {
            server = try TemporaryPostgres()
            _ = try Migrations.apply(settings)
        }

        var settings: PostgresSettings {
            var settings = PostgresSettings(
                conninfo: server.conninfo(), group: "group", owner: "test")
            settings.auditRetentionDays = 400
            return settings
        }

        /// Stores a decision as a lane does.
        func put(_ verdict: Verdict, _ id: String, isAudited: Bool) throws {
            let store = PostgresKeyStore(settings)
            defer { store.close() }
            var audit: AuditBatch?
            if isAudited {
                let basis = AuditBasis(
                    policy: ExplainCommandTests.policy, revocations: SHA256.hash([9]),
                    workerVersion: "1.2.3")
                let facts = AuditFacts(
                    verdict, recordMilliseconds: 1_790_000_000_000,
                    stored: AuditFacts.Stored(
                        environment: "production", signCount: 7, status: "active",
                        owner: "unnamed"))
                audit = AuditBatch(basis: basis)
                audit?.entries.append(
                    AuditEntry(
                        identity: identity(id), contentDigest: SHA256.hash([5]),
                        facts: try #require(facts.encoded)))
            }
            let entry = InboxEntry(
                identity: identity(id), contentDigest: SHA256.hash([5]),
                verdict: verdict.encode())
            let reads = BatchReads(partitions: [], keyIDs: [], requests: [])
            try store.transact(reads) { _ in
                (writes: BatchWrites(inbox: [entry], audit: audit), result: ())
            }
        }

        func run(_ arguments: String...) -> (code: ExitCode, output: String, errors: String) {
            let test = TestConsole()
            let code = AttestWorker.run(
                arguments + ["--postgres.connection=\(server.conninfo())"],
                console: test.console())
            return (code, test.outputText, test.errorText)
        }
    }

    @Test func `what was kept of a decision tells why, until its key is erased`() throws {
        let bench = try Bench()
        defer { bench.server.remove() }
        let replayed = Self.verdict("one", .rejected(.worker(.counterNotIncreasing)))
        try bench.put(replayed, "one", isAudited: true)
        try bench.put(Self.verdict("two", .accepted), "two", isAudited: true)
        try bench.put(Self.verdict("three", .accepted), "three", isAudited: false)

        let told = bench.run("explain", "--request-id=one")
        #expect(told.code == .success, "\(told.errors)")
        #expect(told.output.hasPrefix("The sign count was not above"))
        for part in [
            "bears the sign count 5; 7 was the highest", "requests 3:7", "counter_not_increasing",
            "version:      1.2.3", SHA256.hash(Array(Self.policy.utf8)).bytes.hexadecimal,
            SHA256.hash([9]).bytes.hexadecimal, "attest.audit",
        ] {
            #expect(told.output.contains(part), "\(part)")
        }
        let json = bench.run("explain", "--request-id=two", "--json").output
        #expect(json.contains(#""from":"audit""#))
        #expect(json.contains(#""workerVersion":"1.2.3""#))
        #expect(!json.contains("ann"))
        let policy = bench.run("explain", "--request-id", "one", "--policy")
        #expect(policy.output == Self.policy + "\n")

        let alone = bench.run("explain", "--request-id=three")
        #expect(alone.output.contains("the inbox alone"))
        #expect(alone.output.contains("its sign count was new"))
        #expect(bench.run("explain", "--request-id=three", "--policy").code == .negative)
        #expect(bench.run("explain", "--request-id=four").code == .negative)
        #expect(bench.run("explain").code == .usage)

        let store = PostgresKeyStore(bench.settings)
        defer { store.close() }
        #expect(try store.pruneAudit(rowsMax: 10) == 0)
        let register = PostgresKeyRegister(bench.settings)
        defer { register.close() }
        #expect(try register.eraseVerdicts(of: [Self.keyID], isDryRun: false) { _ in } == 3)
        let (_, audit) = try store.explanation(of: Self.identity("one"))
        #expect(audit.map(\.facts) == [AuditFacts.ofErased.encoded])
        let erased = bench.run("explain", "--request-id=one").output
        #expect(erased.hasPrefix("The key was erased, and"))
        #expect(!erased.contains("TEAM.app"))
    }

    @Test func `a policy is tried on what was decided, and nothing changes`() throws {
        let bench = try Bench()
        defer { bench.server.remove() }
        let store = PostgresKeyStore(bench.settings)
        defer { store.close() }
        let key = StoredKey(
            keyID: Self.keyID, appID: "TEAM.app", environment: .production,
            publicKey: [UInt8](repeating: 4, count: 65), signCount: 5, subject: "ann@example.com",
            status: .active, attestedBy: .apple)
        let registration = KeyRegistration(
            key: key, receipt: [], platform: nil, osVersion: nil,
            attestedAt: Instant(milliseconds: 1_790_000_000_000))
        try store.transact(BatchReads(partitions: [], keyIDs: [], requests: [])) { _ in
            (writes: BatchWrites(registrations: [registration]), result: ())
        }
        let before = try #require(try store.keys(for: [Self.keyID])[Self.keyID])
        try bench.put(Self.verdict("one", .accepted), "one", isAudited: false)
        let replayed = Self.verdict("two", .rejected(.worker(.counterNotIncreasing)))
        try bench.put(replayed, "two", isAudited: false)
        let files = [
            "same": #"{apps: [{appId: "TEAM.app"}]}"#,
            "other": #"{apps: [{appId: "TEAM.app", environments: ["development"]}]}"#,
            "limits": #"{apps: [{appId: "TEAM.app", replayWindow: 8, counterJump: {max: 9}}]}"#,
            "wrong": #"{apps: [{appId: "TEAM.app", environment: "x"}]}"#,
        ]
        func check(_ arguments: String...) -> (ExitCode, String) {
            let test = TestConsole()
            let code = AttestWorker.run(
                ["check", "--postgres.connection=\(bench.server.conninfo())"] + arguments,
                console: test.console(files: files))
            return (code, test.outputText + test.errorText)
        }
        let same = check("--policy=same")
        #expect(same.0 == .success)
        #expect(same.1 == "2 requests were judged again: 2 as before\n")
        let other = check("--policy", "other", "--against-last=10", "--json")
        #expect(other.0 == .negative)
        #expect(
            other.1.contains(
                #""wouldBeRefused":{"environment_mismatch":{"examples":["one"],"requests":1}}"#),
            "\(other.1)")
        #expect(check("--policy=other", "--against-last=1").1.contains("1 requests were judged"))
        let limits = check("--policy=limits")
        #expect(limits.0 == .success)
        for line in [
            "2 requests were judged again: 1 as before",
            "1 can't be told: too little is kept of them", "  counterJump: ", "  replayWindow: ",
        ] {
            #expect(limits.1.contains(line), "\(limits.1)")
        }
        for count in ["-1", "1.5", "", "99999999999999999999"] {
            #expect(check("--policy=same", "--against-last=\(count)").0 == .usage, "\(count)")
        }
        #expect(check("--policy=wrong").0 == .config)
        #expect(check("--policy=none").0 == .config)
        #expect(check("--policy=same", "--against-last=0").0 == .usage)
        #expect(try store.keys(for: [Self.keyID])[Self.keyID] == before)
    }

    @Test func `decisions past the retention leave in small steps`() throws {
        let bench = try Bench()
        defer { bench.server.remove() }
        for id in ["one", "two", "three"] {
            try bench.put(Self.verdict(id, .accepted), id, isAudited: true)
        }
        var settings = bench.settings
        settings.auditRetentionDays = -1
        let store = PostgresKeyStore(settings)
        defer { store.close() }
        #expect(try store.pruneAudit(rowsMax: 2) == 2)
        #expect(try store.pruneAudit(rowsMax: 2) == 1)
        #expect(try store.pruneAudit(rowsMax: 2) == 0)
        #expect(try store.explanation(of: Self.identity("one")).inbox != nil)
    }

    @Test(arguments: Reason.all) func `each reason has a sentence of its own`(reason: Reason) {
        let sentence = reason.sentence
        #expect(sentence.hasSuffix(".") && sentence.count > 20, "\(reason.code)")
        let same = Reason.all.filter { $0.sentence == sentence }
        #expect(same == [reason])
    }
}
