import Foundation
import Harness
import KeyStoreSuite
import Testing
import Worker

@testable import PostgresStore

/// Sessions over TLS with a real server, and every way in which one is refused.
@Suite(.serialized) struct TLSTests {
    private static let bench = Result { try Bench() }

    /// A server that takes nobody in without TLS, and the role `mutual` only with a certificate.
    private final class Bench: Sendable {
        let certificates: TestCertificates
        let client: TestCertificates.Identity
        let server: TemporaryPostgres
        static let password = "right-password"

        init() throws {
            certificates = try TestCertificates()
            let identity = try certificates.issue("server", commonName: "db", host: "localhost")
            client = try certificates.issue("client", commonName: "mutual")
            let revoked = try certificates.issue("revoked", commonName: "mutual")
            try certificates.revoke(revoked)
            server = try Bench.start(identity, certificates)
            let administrator = try TestSession(
                PostgresSettings(conninfo: server.conninfo(), group: "group", owner: "test"))
            for role in ["plain", "mutual"] {
                try administrator.execute("CREATE ROLE \(role) LOGIN PASSWORD '\(Self.password)'")
            }
        }

        static func start(
            _ identity: TestCertificates.Identity, _ certificates: TestCertificates
        ) throws -> TemporaryPostgres {
            var options = TemporaryPostgres.Options()
            options.listensOnLoopback = true
            options.files = [
                "server.crt": try identity.certificateText, "server.key": try identity.keyText,
                "ca.crt": try String(contentsOfFile: certificates.root, encoding: .utf8),
                "ca.crl": try certificates.revocationList(),
            ]
            options.settings = [
                "ssl = on", "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'",
                "ssl_ca_file = 'ca.crt'", "ssl_crl_file = 'ca.crl'",
                "ssl_min_protocol_version = 'TLSv1.3'",
            ]
            options.accessRules = [
                "hostssl all mutual 127.0.0.1/32 scram-sha-256 clientcert=verify-full",
                "hostssl all all 127.0.0.1/32 scram-sha-256",
                "host all all 127.0.0.1/32 reject",
            ]
            return try TemporaryPostgres(options)
        }

        /// The keywords of a session that succeeds, but for those that a test replaces.
        func settings(
            user: String, _ changes: [String: String] = [:], port: UInt16? = nil
        ) -> PostgresSettings {
            var keywords = [
                "host": "localhost", "hostaddr": "127.0.0.1", "port": "\(port ?? server.port)",
                "dbname": "postgres", "user": user, "password": Self.password,
                "sslmode": "verify-full", "sslrootcert": certificates.root,
                "channel_binding": "require",
            ]
            if user == "mutual" {
                keywords["sslcert"] = client.certificate
                keywords["sslkey"] = client.key
            }
            keywords.merge(changes) { $1 }
            let text = keywords.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            return PostgresSettings(conninfo: text, group: "group", owner: "test")
        }

        /// What is told of a session that is refused.
        func refusal(_ settings: PostgresSettings) -> Fault? {
            #expect(throws: Fault.self) { try TestSession(settings) }
        }
    }

    @Test(arguments: ["plain", "mutual"])
    func `a session is encrypted, and the password travels as SCRAM alone`(user: String) throws {
        let bench = try Self.bench.get()
        let session = try TestSession(bench.settings(user: user))
        let facts = try session.texts(
            """
            SELECT version || ' ' || COALESCE(client_dn, 'no certificate')
            FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl
            """)
        #expect(facts == [user == "mutual" ? "TLSv1.3 /CN=mutual" : "TLSv1.3 no certificate"])
    }

    /// What stands in the way is named, with the place; no password is.
    @Test func `a server that isn't the right one is refused, and the fault tells why`() throws {
        let bench = try Self.bench.get()
        let strangers = try TestCertificates()
        let refused: [(changes: [String: String], code: String, text: String)] = [
            (["sslrootcert": strangers.root], "tls", "certificate verify failed"),
            (["host": "db.example"], "tls", "does not match host name \"db.example\""),
            (["sslrootcert": "/nowhere/ca.pem"], "tls", "\"/nowhere/ca.pem\" does not exist"),
            (["sslmode": "disable", "channel_binding": "disable"], "28000", "no encryption"),
        ]
        for (changes, code, text) in refused {
            let fault = bench.refusal(bench.settings(user: "plain", changes))
            #expect(fault?.code == code, "\(changes): \(fault.debugDescription)")
            #expect(fault?.message.contains(text) == true, "\(fault.debugDescription)")
            #expect(fault?.message.contains("127.0.0.1") == true, "\(fault.debugDescription)")
            #expect(fault?.description.contains(Bench.password) == false)
        }
    }

    @Test func `a server whose certificate has expired is refused`() throws {
        let certificates = try Self.bench.get().certificates
        let server = try Bench.start(
            try certificates.issue("late", commonName: "db", host: "localhost", isExpired: true),
            certificates)
        defer { server.remove() }
        let bench = try Self.bench.get()
        let fault = bench.refusal(bench.settings(user: "plain", port: server.port))
        #expect(fault?.code == "tls")
        #expect(fault?.disposition == .retry, "a new certificate heals it")
        #expect(fault?.message.contains("out of date") == true, "\(fault.debugDescription)")
    }

    @Test func `a client without the right certificate or password is refused`() throws {
        let bench = try Self.bench.get()
        let certificates = bench.certificates
        let expired = try certificates.issue("old", commonName: "mutual", isExpired: true)
        let strangers = try TestCertificates()
        let stranger = try strangers.issue("stranger", commonName: "mutual")
        let revoked = TestCertificates.Identity(
            certificate: certificates.path("revoked.pem"), key: certificates.path("revoked.key"))
        for identity in [expired, stranger, revoked] {
            let fault = bench.refusal(
                bench.settings(
                    user: "mutual", ["sslcert": identity.certificate, "sslkey": identity.key]))
            #expect(fault?.code == "tls", "\(identity): \(fault.debugDescription)")
            #expect(fault?.message.contains("127.0.0.1") == true)
        }
        let other = bench.refusal(
            bench.settings(
                user: "mutual",
                try identity(certificates.issue("other", commonName: "somebody"))))
        // The server tells no one whether name or password was wrong.
        #expect(other?.code == "28P01", "\(other.debugDescription)")
        let wrong = bench.refusal(bench.settings(user: "plain", ["password": "wrong-password"]))
        #expect(wrong?.code == "28P01")
        #expect(wrong?.disposition == .stop(.noPermission))
        #expect(wrong?.description.contains("wrong-password") == false)
    }

    @Test func `new certificate files are used by the next session`() throws {
        let bench = try Self.bench.get()
        let certificates = bench.certificates
        let files = try certificates.issue("rotated", commonName: "mutual", isExpired: true)
        let settings = bench.settings(user: "mutual", identity(files))
        let store = PostgresKeyStore(settings)
        #expect(throws: Fault.self) { try store.keys(for: [Sample.keyID(1)]) }
        let fresh = try certificates.issue("fresh", commonName: "mutual")
        for (new, old) in [(fresh.certificate, files.certificate), (fresh.key, files.key)] {
            try FileManager.default.removeItem(atPath: old)
            try FileManager.default.copyItem(atPath: new, toPath: old)
        }
        let fault = #expect(throws: Fault.self) { try store.keys(for: [Sample.keyID(1)]) }
        // In, as far as the tables that this database lacks.
        #expect(fault?.code == "3F000" || fault?.code == "42P01", "\(fault.debugDescription)")
    }

    private func identity(_ files: TestCertificates.Identity) -> [String: String] {
        ["sslcert": files.certificate, "sslkey": files.key]
    }
}
