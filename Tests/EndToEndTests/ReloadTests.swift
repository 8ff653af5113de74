import AppAttest
import AttestTestKit
import Glibc
import Harness
import PostgresStore
import Testing
import Wire

extension EndToEndTests {
    @Suite struct ReloadTests {
        @Test func `a hundred apps, each with its policy, and their list changes`() async throws {
            let fleet = AppFleet(authority: TestAuthority(seed: 90))
            let apps = (0..<100).map(fleet.app)
            // One lane: a second that joins would be a rebalance of its own.
            let world = try await World("reload", apps: apps)
            let worker = try await world.startWorker()
            let early = (0..<100).flatMap { fleet.requests(of: $0, time: 1) }
            let stranger = fleet.request(100, time: 1, attempt: 1, .rejected("app_id_mismatch"))
            try await expectAnswers(early + [stranger], in: world, [worker])

            // One is withdrawn, one is new, and one becomes stricter.
            try world.change { settings in
                settings.apps.remove(at: 1)
                settings.apps.append(fleet.app(100))
                settings.apps[1].environments = ["development"]
                settings.worker.batchRecordsMax = 49
            }
            worker.send(SIGHUP)
            try await worker.waitFor("settings_reloaded", within: .seconds(20))
            let late = [
                fleet.request(1, time: 2, attempt: 1, .rejected("app_id_mismatch")),
                fleet.request(2, time: 2, attempt: 1, .rejected("environment_mismatch")),
                fleet.request(100, time: 2, attempt: 1, .accepted(reattested: false)),
                fleet.request(4, time: 2, attempt: 1, .accepted(reattested: false)),
            ]
            try await expectAnswers(late, in: world, [worker])
            #expect(worker.errors.contains(#""settings":"worker.batchRecordsMax""#), "\(worker)")

            try world.replaceSettings(with: "{ apps: [ nonsense")
            worker.send(SIGHUP)
            try await worker.waitFor("reload_failed", within: .seconds(20))
            let after = fleet.request(100, time: 3, attempt: 1, .accepted(reattested: false))
            try await expectAnswers([after], in: world, [worker])
            worker.send(SIGUSR1)
            try await worker.waitFor("worker_state", within: .seconds(20))
            worker.send(SIGUSR2)
            try await worker.waitFor("log_level_changed", within: .seconds(20))

            // The group did not notice any of it.
            #expect(worker.count(of: "partitions_revoked") == 0, "\(worker)")
            #expect(worker.count(of: "policy_adopted") <= 2)
            try await stop([worker])
        }

        @Test func `a password is rotated while old sessions live on`() async throws {
            let authority = TestAuthority(seed: 91)
            let passwords = ["first-\(UInt64.random(in: 0...UInt64.max))", "second-of-two"]
            let world = try await World("rotation", apps: [Load.app(authority)])
            try await world.database.query(
                """
                CREATE ROLE rotated LOGIN PASSWORD '\(passwords[0])'; \
                GRANT USAGE ON SCHEMA attest TO rotated; \
                GRANT ALL ON ALL TABLES IN SCHEMA attest TO rotated
                """)
            let port = try Servers.shared().postgres.port
            let file = try world.write(passwords[0] + "\n", to: "password")
            try world.change { settings in
                settings.postgres.connection =
                    "host=127.0.0.1 port=\(port) user=rotated dbname=rotation"
                settings.postgres.passwordFile = file
            }
            let load = Load(
                world.name, seed: 91, deviceCount: 8, assertionCount: 192, authority: authority)
            let oracle = Oracle(world, load)
            let worker = try await world.startWorker()
            func answer(_ part: Range<Int>) async throws {
                try world.send(load.requests[part].map(\.record))
                try await oracle.waitUntilAnswered(within: .seconds(60), [worker])
            }
            try await answer(0..<50)
            let sessions = try await sessions(in: world)
            #expect(sessions.count == 1)

            try await world.database.query("ALTER ROLE rotated PASSWORD '\(passwords[1])'")
            try await answer(50..<100)
            _ = try world.write(passwords[1] + "\n", to: "password")
            worker.send(SIGHUP)
            try await worker.waitFor("settings_reloaded", within: .seconds(20))
            #expect(worker.errors.contains(#""taken_over":"postgres.password""#), "\(worker)")
            try await answer(100..<150)
            #expect(try await self.sessions(in: world) == sessions, "the old session lives on")

            try await world.database.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rotated'")
            try await answer(150..<200)
            let later = try await self.sessions(in: world)
            #expect(later.count == 1 && later != sessions)
            #expect(worker.count(of: "partitions_revoked") == 0, "\(worker)")
            for password in passwords { #expect(!worker.errors.contains(password)) }
            try await stop([worker])
            try await oracle.expectEverythingRight()
        }

        /// The server processes of the worker's sessions.
        private func sessions(in world: World) async throws -> [String] {
            try await world.database.query(
                "SELECT pid FROM pg_stat_activity WHERE usename = 'rotated' ORDER BY pid"
            ).compactMap(\.first)
        }
    }
}

/// A hundred and more apps, of which no three neighbours have the same policy.
private struct AppFleet {
    let authority: TestAuthority

    /// What a worker is told of an app.
    func app(_ number: Int) -> WorkerSettings.App {
        let environments = [["production", "development"], ["production"], ["development"]]
        var app = WorkerSettings.App(
            appId: appID(number), environments: environments[number % 3 == 2 ? 1 : number % 3],
            trustAnchor: certificatePEM(authority.rootCertificate), simulated: true)
        if number % 7 == 3 { app.environments = environments[2] }
        app.reattestation = number % 5 == 0 ? "reject" : "accept"
        return app
    }

    private func appID(_ number: Int) -> String { "TESTTEAM01.com.example.app-\(number)" }

    /// Two registrations of one production key, and what the app's policy makes of them.
    func requests(of number: Int, time: Int) -> [PlannedRequest] {
        let app = app(number)
        guard app.environments.contains("production") else {
            return [request(number, time: time, attempt: 1, .rejected("environment_mismatch"))]
        }
        return [
            request(number, time: time, attempt: 1, .accepted(reattested: false)),
            request(
                number, time: time, attempt: 2,
                app.reattestation == "reject"
                    ? .rejected("key_already_registered") : .accepted(reattested: true)),
        ]
    }

    /// A registration of an app's key; each time has a key of its own.
    func request(
        _ number: Int, time: Int, attempt: Int, _ expectation: Harness.Expectation
    ) -> PlannedRequest {
        let device = SimulatedDevice(
            seed: UInt64(number * 10 + time), appID: appID(number), authority: authority)
        let id = "app-\(number)-\(time)-\(attempt)"
        let content = RegistrationContent.plain(clientData: Array(id.utf8))
        let attestation = device.attest(clientDataHash: content.clientDataHash, at: .now)
        let message = MintedRequest(registration: attestation, content, requestID: id)
        return PlannedRequest(
            requestID: id, keyID: message.recordKey, acceptedSignCount: nil,
            expectation: expectation,
            record: SentRecord(key: Array(message.recordKey.utf8), value: message.json))
    }
}

/// Sends requests and checks that each gets the verdict that was planned.
private func expectAnswers(
    _ requests: [PlannedRequest], in world: World, _ workers: [ChildProcess]
) async throws {
    try world.send(requests.map(\.record))
    var answers: [String: [[UInt8]]] = [:]
    try await eventually("all are answered; \(workers)", within: .seconds(60)) {
        answers = try await world.answers()
        return requests.allSatisfy { answers[$0.requestID ?? ""] != nil }
    }
    for request in requests {
        guard let bytes = answers[request.requestID ?? ""]?.first else { continue }
        let verdict = try ReceivedVerdict(parsing: bytes)
        #expect(
            Harness.Expectation(verdict).fulfils(request.expectation),
            "\(request.requestID ?? "") shall be \(request.expectation), is \(verdict)")
    }
}
