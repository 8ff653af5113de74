import AppAttest
import AppleReceipts
import AttestTestKit
import Foundation
import HTTPClient
import Harness
import KeyStoreSuite
import LibCrypto
import Operations
import Testing
import Worker

@testable import attest_worker

/// Receipts as Apple's are, over HTTPS, to a server that answers everything Apple does and more.
@Suite(.serialized) struct AppleServerTests {
    private static let teamID = "TEAM123456"
    private static let appID = "TEAM123456.com.example.app"
    private static let keyPath = "/keys/AuthKey_ABC123DEFG.p8"

    /// A server, a device whose key is registered, and what asks for it.
    private final class World {
        let authority = TestAuthority(seed: 8)
        let apple: SimulatedReceiptServer
        let certificates: TestCertificates
        let server: TestHTTPSServer
        let database = InMemoryDatabase()
        let keyID: KeyID
        let registeredAt: Instant
        let path = "/v1/attestationData"

        init(delay: Duration = .zero) throws {
            let apple = SimulatedReceiptServer(authority: authority, teamID: teamID)
            self.apple = apple
            certificates = try TestCertificates()
            let identity = try certificates.issue(
                "apple", commonName: "localhost", host: "localhost")
            let address = try #require(ListenAddress("127.0.0.1:0"))
            server = try TestHTTPSServer(
                address: address, certificate: identity.certificateText, key: identity.keyText
            ) { question in
                Tool.pause(delay)
                let answer = apple.answer(
                    authorization: question.authorization, body: question.body,
                    environment: question.path.hasPrefix("/dev") ? .development : .production,
                    at: LaneClock.system.wall())
                return TestHTTPSServer.Reply(status: answer.status, body: answer.body)
            }
            #expect(apple.register(AppleServerTests.pem(7), id: "ABC123DEFG"))
            registeredAt = LaneClock.system.wall()
            let device = SimulatedDevice(
                seed: 80, appID: appID, environment: .production, authority: authority)
            keyID = device.keyID
            let minted = device.attest(challenge: [1, 2, 3], at: registeredAt)
            let object = try AttestationObject(parsing: minted.object)
            let facts = ReceiptFacts(
                createdAt: registeredAt, notBefore: nil,
                expiresAt: registeredAt.advanced(by: .seconds(90 * 86_400)), metric: nil)
            let registration = KeyRegistration(
                key: StoredKey(
                    keyID: keyID, appID: appID, environment: .production,
                    publicKey: device.publicKey, signCount: 0, subject: nil, status: .active,
                    attestedBy: .simulated), receipt: Array(object.receipt), platform: nil,
                osVersion: nil, attestedAt: registeredAt)
            let state = ReceiptState(keyID, facts, RefreshRules())
            database.change { rows in
                rows.keys[registration.key.keyID] = registration
                rows.receipts[registration.key.keyID] = InMemoryReceiptRow(
                    state: state, appID: registration.key.appID,
                    seenOn: registration.attestedAt.day)
            }
        }

        /// Asks about the key, whether or not it is due.
        func refresh(
            key: [UInt8]? = AppleServerTests.pem(7), caFile: String? = nil, path: String? = nil,
            timeout: Duration = .seconds(20), port: UInt16? = nil
        ) throws -> (result: String, detail: String) {
            var http = HTTPClient.Settings()
            http.timeout = timeout
            http.caFile = caFile ?? certificates.root
            let url = "https://localhost:\(port ?? server.address.port)\(path ?? self.path)"
            let service = try AppleReceiptService(
                AppleReceiptService.Settings(
                    productionURL: url, developmentURL: url, http: http)
            ) { false }
            var app = AppPolicy(
                relyingParty: RelyingParty(
                    appID: appID, environments: [.production],
                    trustAnchor: try #require(TrustAnchor(der: authority.rootCertificate))),
                isSimulated: true)
            app.receiptAnchor = TrustAnchor(der: authority.receiptRootCertificate)
            let policy = Live(
                Policy(apps: [app], maxRequestAge: .seconds(1), maxClockSkew: .seconds(1)))
            var settings = RefresherSettings(
                appIDs: { [appID] }, fleet: teamID, rules: RefreshRules(), riskTopic: "risk",
                group: "group")
            settings.tellsChanges = false
            let refresher = Refresher(
                settings: settings,
                neighbours: (InMemoryReceiptStore(database), service, SilentTopic()),
                check: ReceiptCheck(policy),
                tokens: ProviderTokens(
                    Live(ProviderAccess(keyPath: keyPath, keyID: nil, teamID: teamID))
                ) { _ in key },
                clock: .system, random: SystemRandomNumberGenerator(), stop: StopSignal(),
                pause: { _ in }, log: .silent, observer: RefreshObserver(clock: .system))
            switch try refresher.refresh(keyID, of: appID) {
            case .tried(let outcome, let detail): return (outcome.name, detail)
            case let other: return ("\(other)", "not asked")
            }
        }

        var row: InMemoryReceiptRow? { database.rows.receipts[keyID] }
    }

    @Test func `a receipt is exchanged, verified and stored, and the next one in turn`() throws {
        let world = try World()
        world.apple.metric = 3
        #expect(try world.refresh().result == "renewed")
        let row = try #require(world.row)
        #expect(row.state.metric == 3 && row.receipt != nil)
        #expect(world.apple.asked.map(\.status) == [200])
        // The new one has a not-before: it is not even sent.
        let early = try world.refresh()
        #expect(early.result.hasPrefix("early") && early.detail == "not asked")
        #expect(world.apple.asked.count == 1)
        #expect(world.row == row)
    }

    @Test func `each answer is taken for what it is, and nothing wrong is stored`() throws {
        let world = try World()
        let cases: [(SimulatedReceiptServer.Behaviour, String)] = [
            (.status(304), "too_early"), (.status(400), "refused"),
            (.status(401), "unauthorized"), (.status(404), "no_data"),
            (.status(429), "throttled"), (.status(500), "server_error"),
            (.status(503), "server_error"), (.status(200), "unusable"),
            (.status(302), "unusable"), (.garbage, "unusable"),
            (.wrongEnvironment, "unusable"), (.old, "unusable"), (.forged, "unusable"),
        ]
        for (behaviour, result) in cases {
            world.apple.behaviour = behaviour
            #expect(try world.refresh().result == result, "\(behaviour)")
            #expect(world.row?.receipt == nil && world.row?.state.metric == nil)
        }
        #expect(world.apple.asked.count == cases.count)
        world.apple.behaviour = .honest
        #expect(try world.refresh().result == "renewed")
    }

    @Test func `no body but a newer receipt of the key is stored`() throws {
        let world = try World()
        func attested(_ seed: UInt64, _ appID: String) throws -> [UInt8] {
            let device = SimulatedDevice(
                seed: seed, appID: appID, environment: .production, authority: world.authority)
            let minted = device.attest(challenge: [1], at: world.registeredAt)
            return Array(try AttestationObject(parsing: minted.object).receipt)
        }
        func text(_ bytes: [UInt8]) -> [UInt8] { Array(Data(bytes).base64EncodedString().utf8) }
        let own = try #require(world.database.rows.keys[world.keyID]?.receipt)
        let cases: [(name: String, body: [UInt8], detail: String?)] = [
            ("nothing", [], "not_base64"),
            ("bytes, not base64", own, "not_base64"),
            ("zeros", [UInt8](repeating: 0, count: 100), "not_base64"),
            ("more than any receipt", [UInt8](repeating: 65, count: (64 << 10) + 1), nil),
            ("as much as is read", [UInt8](repeating: 65, count: 64 << 10), nil),
            ("half of the text", Array(text(own).prefix(2000)), nil),
            ("half of the receipt", text(Array(own.prefix(1500))), nil),
            ("something behind it", text(own + [0]), nil),
            ("that of the attestation", text(own), "no_metric"),
            ("that of another key", text(try attested(81, Self.appID)), nil),
            ("that of another app", text(try attested(80, "TEAM123456.other")), nil),
        ]
        for (name, body, detail) in cases {
            world.apple.behaviour = .body(body)
            let answer = try world.refresh()
            #expect(answer.result == "unusable", "\(name)")
            if let detail { #expect(answer.detail == detail, "\(name)") }
            #expect(world.row?.receipt == nil && world.row?.state.metric == nil, "\(name)")
        }
        world.apple.behaviour = .honest
        #expect(try world.refresh().result == "renewed")
    }

    @Test func `who asks, and about whose keys, is checked`() throws {
        let world = try World()
        #expect(try world.refresh(key: Self.pem(9)).result == "unauthorized")
        #expect(try world.refresh(path: "/dev/v1/attestationData").result == "refused")
        // A key that is replaced while workers run.
        world.apple.revoke("ABC123DEFG")
        #expect(try world.refresh().result == "unauthorized")
        #expect(world.apple.register(Self.pem(9), id: "ABC123DEFG"))
        #expect(try world.refresh(key: Self.pem(9)).result == "renewed")
    }

    @Test func `without an answer it is told why`() throws {
        let world = try World(delay: .seconds(3))
        #expect(try world.refresh(timeout: .seconds(1)).result == "timeout")
        let other = try TestCertificates()
        #expect(try world.refresh(caFile: other.root).result == "tls")
        let port = world.server.address.port
        world.server.stop()
        #expect(try world.refresh(port: port).result == "unreachable")
    }

    /// PKCS#8 around a scalar of one number.
    static func pem(_ number: UInt8) -> [UInt8] {
        let head = Data(base64Encoded: "MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCA=") ?? Data()
        let body = (head + Data(repeating: number, count: 32)).base64EncodedString()
        return Array("-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n".utf8)
    }
}

private final class SilentTopic: VerdictSink {
    func enqueue(_: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault) {}

    func reports(wait _: Duration) throws(Fault) -> [DeliveryReport] { [] }

    func close(wait _: Duration) {}
}
