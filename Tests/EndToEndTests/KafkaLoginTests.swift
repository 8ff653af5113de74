import AttestTestKit
import FoundationEssentials
import Glibc
import Harness
import KafkaTransport
import Testing

extension EndToEndTests {
    /// Workers that log in to Kafka over TLS.
    ///
    /// The broker is the mock one; what stands before it
    /// checks certificates and SASL as brokers do, and is no broker either.
    @Suite struct KafkaLoginTests {
        private static let password = "correct-horse"
        private static let lostAlert =
            "a broker that refuses the client's certificate, or misses one"

        /// Certificates, a list of logins, and where both are.
        private struct Bench {
            let certificates: TestCertificates
            let server: TestCertificates.Identity
            let worker: TestCertificates.Identity
            let folder: Folder

            init() throws {
                certificates = try TestCertificates()
                server = try certificates.issue("server", commonName: "kafka", host: "localhost")
                worker = try certificates.issue("worker", commonName: "worker-7")
                folder = try Folder("attest-login")
                try allow(tokens: [])
            }

            var logins: String { folder.path("logins.json") }

            /// From now on these tokens are taken, beside the one user.
            func allow(tokens: [String]) throws {
                let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
                _ = try folder.write(
                    #"{"users":{"ann":"\#(KafkaLoginTests.password)"},"tokens":[\#(list)]}"#,
                    to: "logins.json")
            }

            func gate(
                _ name: String, strict: Bool = false, drops: Bool = false
            ) async throws -> BrokerGate {
                var demands = BrokerGate.Demands()
                demands.identity = server
                demands.clientRoot = certificates.root
                demands.logins = logins
                demands.isStrict = strict
                demands.drops = drops
                return try await BrokerGate.start(
                    before: try Servers.shared().broker, demands, folder: folder, name: name)
            }

            /// Properties of a client that gets in, but for those that a test replaces.
            func properties(
                _ mechanism: String?, _ changes: [String: String] = [:]
            ) -> [String: String] {
                var properties = [
                    "reconnect.backoff.max.ms": "500", "security.protocol": "sasl_ssl",
                    "ssl.ca.location": certificates.root,
                    "ssl.certificate.location": worker.certificate,
                    "ssl.key.location": worker.key,
                ]
                if let mechanism {
                    properties["sasl.mechanism"] = mechanism
                    properties["sasl.username"] = "ann"
                    properties["sasl.password"] = KafkaLoginTests.password
                }
                return properties.merging(changes) { $1 }
            }

            /// A JSON Web Token that nobody signed.
            func token(lifetime seconds: Int, name: String) -> String {
                let expiry = Int(Date().timeIntervalSince1970) + seconds
                let parts = ["{}", #"{"sub":"\#(name)","exp":\#(expiry)}"#, name].map { part in
                    Data(part.utf8).base64EncodedString()
                        .replacing("+", with: "-").replacing("/", with: "_")
                        .replacing("=", with: "")
                }
                return parts.joined(separator: ".")
            }
        }

        private func world(
            _ name: String, _ gate: BrokerGate, _ properties: [String: String],
            _ oauth: WorkerSettings.Kafka.OAuth? = nil, apps: [WorkerSettings.App] = [app]
        ) async throws -> World {
            try await World(name, partitions: 1, apps: apps) { settings in
                settings.kafka.bootstrapServers = [gate.bootstrapServers]
                settings.kafka.properties = properties
                settings.kafka.oauth = oauth
            }
        }

        @Test func `a worker does all its work over mutual TLS and SCRAM`() async throws {
            let bench = try Bench()
            let gate = try await bench.gate("gate")
            let authority = TestAuthority(seed: 60)
            var records = try BadRecords(authority: authority)
            let world = try await world(
                "login", gate, bench.properties("SCRAM-SHA-512"),
                apps: [
                    WorkerSettings.App(
                        appId: BadRecords.appID,
                        trustAnchor: certificatePEM(authority.rootCertificate), simulated: true)
                ])
            let worker = try await world.startWorker()
            try world.send([records.registration, records.assertion("first")])
            try await eventually("both are answered; \(worker)", within: .seconds(60)) {
                try await world.answers().count == 2
            }
            try await stop([worker])
            #expect(Set(gate.seen) == ["peer worker-7", "sasl SCRAM-SHA-512 ann"])
            #expect(!worker.errors.contains(Self.password))
        }

        /// The gate knows the root alone, as brokers do: what lies between comes from the client.
        @Test func `a client certificate is sent with its chain`() async throws {
            let bench = try Bench()
            let gate = try await bench.gate("gate")
            let between = try bench.certificates.issue(
                "between", commonName: "Intermediate", isAuthority: true)
            let leaf = try bench.certificates.issue(
                "leaf", commonName: "worker-9", by: between)
            let chain = try bench.certificates.chain("chain", of: [leaf, between])
            let cases: [(String, certificate: String, ends: Int32)] = [
                ("login-leaf", leaf.certificate, 69), ("login-chain", chain, 0),
            ]
            for (name, certificate, code) in cases {
                let files = [
                    "ssl.certificate.location": certificate, "ssl.key.location": leaf.key,
                ]
                let world = try await world(name, gate, bench.properties("PLAIN", files))
                let check = try await world.runCommand("check")
                #expect(check.ended == .exited(code), "\(name): \(check.output)\(check)")
            }
            #expect(gate.seen.contains("peer worker-9"))
        }

        @Test func `each mechanism sends what a broker must see`() async throws {
            let bench = try Bench()
            let gate = try await bench.gate("gate")
            let token = bench.token(lifetime: 3600, name: "svc")
            try bench.allow(tokens: [token])
            let path = try bench.folder.write(token + "\n", to: "token")
            let answer = #"{"access_token":"\#(token)","expires_in":3600}"#
            let answerPath = try bench.folder.write(answer, to: "answer.json")
            let cases: [(name: String, mechanism: String?, oauth: WorkerSettings.Kafka.OAuth?)] = [
                ("login-plain", "PLAIN", nil), ("login-scram", "SCRAM-SHA-256", nil),
                ("login-file", nil, .init(tokenPath: path)),
                ("login-command", nil, .init(tokenCommand: ["cat", answerPath])),
            ]
            for (name, mechanism, oauth) in cases {
                let world = try await world(name, gate, bench.properties(mechanism), oauth)
                let check = try await world.runCommand("check")
                #expect(check.ended == .exited(0), "\(name): \(check.output)\(check)")
                let words = mechanism.map { "sasl \($0) ann" } ?? "sasl OAUTHBEARER of a token"
                #expect(gate.seen.last == words, "\(name): \(gate.seen)")
            }
        }

        /// Whoever is refused is told why, with the place, and without the secret.
        @Test func `what is refused is told with its reason`() async throws {
            let bench = try Bench()
            let gate = try await bench.gate("gate")
            let strangers = try TestCertificates()
            let other = try strangers.issue("other", commonName: "worker-7")
            let scram = bench.properties("SCRAM-SHA-256")
            let missing = bench.folder.path("no-token")
            let refusal = ["SSL alert number", Self.lostAlert]
            let cases: [(String, [String: String], WorkerSettings.Kafka.OAuth?, Int32, [String])] =
                [
                    (
                        "login-password", scram.merging(["sasl.password": "wrong-horse"]) { $1 },
                        nil,
                        77,
                        ["SASL authentication error"]
                    ),
                    (
                        "login-root", scram.merging(["ssl.ca.location": strangers.root]) { $1 },
                        nil,
                        69,
                        ["certificate verify failed"]
                    ),
                    (
                        "login-stranger",
                        scram.merging([
                            "ssl.certificate.location": other.certificate,
                            "ssl.key.location": other.key,
                        ]) { $1 }, nil, 69, refusal
                    ),
                    (
                        "login-token", bench.properties(nil), .init(tokenPath: missing), 69,
                        ["the token file \(missing) can't be read"]
                    ),
                    (
                        "login-no-source", bench.properties("OAUTHBEARER"), nil, 78,
                        ["kafka.oauth.tokenPath"]
                    ),
                ]
            for (name, properties, oauth, code, words) in cases {
                let world = try await world(name, gate, properties, oauth)
                let check = try await world.runCommand("check")
                let told = check.output + check.errors
                #expect(check.ended == .exited(code), "\(name): \(told)")
                #expect(words.contains { told.contains($0) }, "\(name): \(told)")
                #expect(!told.contains("wrong-horse") && !told.contains(Self.password))
            }
        }

        /// In TLS 1.3 the end of a connection may come before the alert that tells its reason.
        @Test func `a refusal whose alert is lost is told as what it may be`() async throws {
            let bench = try Bench()
            let gate = try await bench.gate("gate", drops: true)
            let world = try await world("login-dropped", gate, bench.properties("PLAIN"))
            let check = try await world.runCommand("check")
            #expect(check.ended == .exited(69))
            #expect((check.output + check.errors).contains(Self.lostAlert), "\(check.output)")
        }

        /// Kafka 4 looks at all of SCRAM's nonce, which Debian 12's librdkafka gets wrong.
        @Test func `SCRAM with Kafka 4 needs a newer librdkafka, and check says so`() async throws {
            let bench = try Bench()
            let gate = try await bench.gate("gate", strict: true)
            let world = try await world("login-strict", gate, bench.properties("SCRAM-SHA-256"))
            let check = try await world.runCommand("check")
            let isOld = check.output.contains("repeats its nonce in SCRAM")
            #expect(check.ended == .exited(isOld ? 77 : 0), "\(check.output)")
            #expect(gate.seen.contains("refused SCRAM-SHA-256") == isOld)
        }

        @Test func `tokens are renewed before they end, and used by the next login`() async throws {
            let bench = try Bench()
            let gate = try await bench.gate("gate")
            let first = bench.token(lifetime: 20, name: "first")
            let second = bench.token(lifetime: 3600, name: "second")
            try bench.allow(tokens: [first])
            let path = try bench.folder.write(first, to: "token")
            let count = bench.folder.path("count")
            let oauth = WorkerSettings.Kafka.OAuth(
                tokenCommand: ["sh", "-c", "cat \(path); echo >>\(count)"])
            let authority = TestAuthority(seed: 61)
            var records = try BadRecords(authority: authority)
            let world = try await world(
                "login-renewal", gate, bench.properties(nil), oauth,
                apps: [
                    WorkerSettings.App(
                        appId: BadRecords.appID,
                        trustAnchor: certificatePEM(authority.rootCertificate), simulated: true)
                ])
            let worker = try await world.startWorker()
            try world.send([records.registration])
            try await eventually("the first is answered; \(worker)", within: .seconds(60)) {
                try await world.answers().count == 1
            }
            // From now on only the second is any good: the clients ask for it by themselves.
            let before = try fetches(count)
            _ = try bench.folder.write(second, to: "token")
            try await eventually("both clients ask again; \(worker)", within: .seconds(60)) {
                try fetches(count) >= before + 2
            }
            try bench.allow(tokens: [second])
            try gate.cut()
            try world.send([records.assertion("second")])
            try await eventually("the second is answered; \(worker)", within: .seconds(60)) {
                try await world.answers().count == 2
            }
            #expect(!gate.seen.contains("refused OAUTHBEARER"))
            try await stop([worker])
            #expect(!worker.errors.contains(first) && !worker.errors.contains(second))
        }

        /// Its files get other contents under their names, as a Secret's do.
        @Test func `a certificate is rotated without a restart, and nothing is lost`()
            async throws
        {
            let bench = try Bench()
            let gate = try await bench.gate("gate")
            let next = try bench.certificates.issue("next", commonName: "worker-8")
            let authority = TestAuthority(seed: 62)
            var records = try BadRecords(authority: authority)
            let world = try await world(
                "login-rotation", gate, bench.properties("SCRAM-SHA-256"),
                apps: [
                    WorkerSettings.App(
                        appId: BadRecords.appID,
                        trustAnchor: certificatePEM(authority.rootCertificate), simulated: true)
                ])
            let worker = try await world.startWorker(["ATTEST_WORKER__LANES": "2"])
            func answer(_ record: SentRecord, count: Int) async throws {
                try world.send([record])
                try await eventually("\(count) are answered; \(worker)", within: .seconds(60)) {
                    try await world.answers().count == count
                }
            }
            try await answer(records.registration, count: 1)
            #expect(!gate.seen.contains("peer worker-8"))

            try replace(bench.worker.certificate, with: next.certificate)
            worker.send(SIGHUP)
            try await worker.waitFor("reload_failed", within: .seconds(20))
            #expect(worker.count(of: "clients_renewed") == 0, "the key is another certificate's")
            try replace(bench.worker.key, with: next.key)
            worker.send(SIGHUP)
            try await worker.waitFor("clients_renewed", count: 2, within: .seconds(60))
            #expect(worker.errors.contains("ssl.certificate.location (its file)"), "\(worker)")
            try await answer(records.assertion("second"), count: 2)
            #expect(gate.seen.contains("peer worker-8"))
            try await stop([worker])
        }

        private func replace(_ path: String, with other: String) throws {
            let bytes = try #require(FileManager.default.contents(atPath: other))
            try bytes.write(to: URL(filePath: path))
        }

        private func fetches(_ path: String) throws -> Int {
            (FileManager.default.contents(atPath: path) ?? Data()).count
        }
    }
}

private let app = WorkerSettings.App(appId: "TESTTEAM01.com.example.login")
