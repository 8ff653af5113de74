import AppAttest
import AttestTestKit
import Foundation
import Glibc
import Harness
import Operations
import Synchronization
import Testing
import Worker

extension EndToEndTests {
    /// Workers that keep receipts alive, at a server in the place of Apple's.
    @Suite struct RefreshTests {
        @Test func `no key is asked about twice when a worker dies in the midst of asking`()
            async throws
        {
            let authority = TestAuthority(seed: 95)
            let apple = try SlowApple(authority)
            defer { apple.stop() }
            let world = try await World("refresh", apps: [Load.app(authority)]) { settings in
                settings.apps[0].receiptTrustAnchor =
                    certificatePEM(authority.receiptRootCertificate)
                settings.kafka.topics.risk = settings.kafka.groupId + ".risk"
            }
            let riskTopic = try #require(world.riskTopic)
            try await world.broker.command("topic \(riskTopic):1")
            try world.change { settings in
                settings.receipts = WorkerSettings.Receipts(
                    keyPath: apple.keyPath, teamId: SlowApple.teamID, url: apple.url,
                    caPath: apple.root)
            }
            var phones = (0..<6).map { Phone(seed: 950 + UInt64($0), authority: authority) }

            // The first has some in hand, and waits for an answer when it dies.
            let first = try await world.startWorker()
            try world.send(phones[..<2].enumerated().map { $1.registration("early-\($0)") })
            try await eventually("Apple is asked; \(first)", within: .seconds(30)) {
                apple.asked == 1
            }
            try world.send(phones[2...].enumerated().map { $1.registration("late-\($0)") })
            try await eventually("all are answered; \(first)", within: .seconds(30)) {
                try await world.answers().count == 6
            }
            let second = try await world.startWorker()
            let orphans = try await Self.count("receipt IS NULL AND lease = 1", in: world)
            try await first.kill()
            let workers = [second, try await world.startWorker()]
            apple.isSlow = false

            try await eventually("the others get receipts; \(workers)", within: .seconds(30)) {
                try await Self.renewed(in: world) == 6 - orphans
            }
            // What the dead one had in hand is left alone for a day.
            let left = try await Self.count(
                "receipt IS NULL AND next_attempt > now() + interval '23 hours'", in: world)
            #expect(orphans > 0 && orphans <= 2 && left == orphans)
            #expect(apple.answered.count == 7 - orphans)
            #expect(Set(apple.answered.map(\.keyID)).count == apple.answered.count)
            #expect(apple.answered.allSatisfy { $0.status == 200 }, "\(apple.answered)")

            try await Self.expectRisk(world, &phones, riskTopic, workers)
            try await Self.expectNewKeyIsUsed(world, apple, workers)
            try await Self.expectPromptEnd(world, apple, workers)
        }

        /// Asked to end in the midst of asking, they do so at once.
        private static func expectPromptEnd(
            _ world: World, _ apple: SlowApple, _ workers: [ChildProcess]
        ) async throws {
            apple.isSlow = true
            let before = apple.asked
            try world.send([Phone(seed: 981, authority: apple.authority).registration("last")])
            try await eventually("Apple is asked; \(workers)", within: .seconds(30)) {
                apple.asked > before
            }
            let start = ContinuousClock.now
            try await stop(workers)
            #expect(ContinuousClock.now - start < .seconds(15))
        }

        /// Changes are told, and verdicts tell the metric.
        private static func expectRisk(
            _ world: World, _ phones: inout [Phone], _ topic: String, _ workers: [ChildProcess]
        ) async throws {
            let tail = try TopicTail(
                topic: topic, group: world.name, bootstrapServers: world.broker.bootstrapServers)
            let renewed = try await renewed(in: world)
            try await eventually("changes are told; \(workers)", within: .seconds(90)) {
                try await tail.readOn().count >= renewed
            }
            for record in try await tail.readOn() {
                let text = String(decoding: record.value ?? [], as: UTF8.self)
                #expect(text.contains(#""metric":3"#), "\(text)")
            }
            let asserted = phones.indices.map { phones[$0].assertion("assertion-\($0)") }
            try world.send(asserted)
            var verdicts: [ReceivedVerdict] = []
            try await eventually("assertions are answered; \(workers)", within: .seconds(60)) {
                let answers = try await world.answers()
                verdicts = try phones.indices.compactMap { number in
                    try answers["assertion-\(number)"]?.first.map(ReceivedVerdict.init(parsing:))
                }
                return verdicts.count == phones.count
            }
            #expect(verdicts.filter { $0.risk?.metric == 3 }.count == renewed, "\(verdicts)")
        }

        /// A key of another name is taken over on SIGHUP; the former one is worth nothing any more.
        private static func expectNewKeyIsUsed(
            _ world: World, _ apple: SlowApple, _ workers: [ChildProcess]
        ) async throws {
            let path = try apple.replaceKey()
            try world.change { $0.receipts?.keyPath = path }
            for worker in workers { worker.send(SIGHUP) }
            for worker in workers {
                try await worker.waitFor("settings_reloaded", within: .seconds(20))
            }
            let before = try await renewed(in: world)
            try world.send([Phone(seed: 980, authority: apple.authority).registration("rotated")])
            try await eventually("the new key is used; \(workers)", within: .seconds(30)) {
                try await renewed(in: world) > before
            }
            #expect(apple.answered.allSatisfy { $0.status == 200 }, "\(apple.answered)")
        }

        private static func renewed(in world: World) async throws -> Int {
            try await count("receipt IS NOT NULL AND metric = 3 AND ended IS NULL", in: world)
        }

        private static func count(_ condition: String, in world: World) async throws -> Int {
            try await world.database.query("SELECT 1 FROM attest.receipts WHERE \(condition)").count
        }
    }
}

/// A server in the place of Apple's that can be made to keep everybody waiting.
private final class SlowApple: Sendable {
    static let teamID = "TESTTEAM01"

    let authority: TestAuthority
    /// The first key that it knows.
    let keyPath: String
    /// For keys of production builds.
    let url: String
    private let apple: SimulatedReceiptServer
    private let server: TestHTTPSServer
    private let certificates: TestCertificates
    private let folder: Folder
    private let arrived = Arrivals()

    /// How many have asked; and the gate, which has one more inside while it is shut.
    private final class Arrivals: Sendable {
        let count = Mutex(0)
        let isShut = Mutex(true)
        let gate = DispatchGroup()
    }

    init(_ authority: TestAuthority) throws {
        self.authority = authority
        folder = try Folder("attest-apple")
        certificates = try TestCertificates()
        let identity = try certificates.issue("apple", commonName: "localhost", host: "localhost")
        let apple = SimulatedReceiptServer(authority: authority, teamID: Self.teamID)
        apple.metric = 3
        let arrived = arrived
        arrived.gate.enter()
        let address = try #require(ListenAddress("127.0.0.1:0"))
        server = try TestHTTPSServer(
            address: address, certificate: identity.certificateText, key: identity.keyText
        ) { question in
            arrived.count.withLock { $0 += 1 }
            _ = arrived.gate.wait(timeout: .now() + .seconds(60))
            let answer = apple.answer(
                authorization: question.authorization, body: question.body,
                environment: .production, at: .now)
            return TestHTTPSServer.Reply(status: answer.status, body: answer.body)
        }
        self.apple = apple
        url = "https://localhost:\(server.address.port)/v1/attestationData"
        let key = try certificates.issue("first", commonName: "first", host: nil).keyText
        keyPath = try folder.write(key, to: "AuthKey_FIRSTKEY01.p8")
        #expect(apple.register(Array(key.utf8), id: "FIRSTKEY01"))
    }

    /// The root of its certificate.
    var root: String { certificates.root }

    /// How many requests have come.
    var asked: Int { arrived.count.withLock { $0 } }

    /// Those that it gave an answer to.
    var answered: [SimulatedReceiptServer.Asked] { apple.asked }

    /// Whether nobody gets an answer.
    var isSlow: Bool {
        get { arrived.isShut.withLock { $0 } }
        set {
            arrived.isShut.withLock { isShut in
                guard isShut != newValue else { return }
                isShut = newValue
                if newValue { arrived.gate.enter() } else { arrived.gate.leave() }
            }
        }
    }

    /// Knows another key, and no more the first.
    func replaceKey() throws -> String {
        let key = try certificates.issue("second", commonName: "second", host: nil).keyText
        #expect(apple.register(Array(key.utf8), id: "SECONDKEY2"))
        apple.revoke("FIRSTKEY01")
        return try folder.write(key, to: "AuthKey_SECONDKEY2.p8")
    }

    /// Lets everybody go.
    func stop() {
        isSlow = false
        server.stop()
    }
}
