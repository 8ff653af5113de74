import AttestTestKit
import Glibc
import Harness
import Testing

extension EndToEndTests {
    @Suite struct KeysTests {
        private let subject = "ann@example.com"

        @Test func `a key is revoked and erased while a worker runs, and never comes back`()
            async throws
        {
            let authority = TestAuthority(seed: 50)
            var records = try BadRecords(authority: authority)
            let policy = WorkerSettings.App(
                appId: BadRecords.appID, trustAnchor: certificatePEM(authority.rootCertificate),
                simulated: true)
            let world = try await World("keys", partitions: 1, apps: [policy])
            let worker = try await world.startWorker()
            func reason(_ requestID: String, _ record: SentRecord) async throws -> String? {
                try world.send([record])
                try await eventually("an answer to \(requestID); \(worker)", within: .seconds(30)) {
                    try await world.answers()[requestID] != nil
                }
                let bytes = try #require(try await world.answers()[requestID]?.last)
                return try ReceivedVerdict(parsing: bytes).reason
            }
            func keys(_ arguments: String...) async throws -> ChildProcess {
                let command = try await world.runOperator("keys", arguments)
                #expect(command.ended == .exited(0), "\(command): \(command.output)")
                return command
            }

            let registration = records.registration
            #expect(try await reason("registration", registration) == nil)
            let first = records.assertion("first", subject: subject)
            #expect(try await reason("first", first) == nil)
            let listed = try await keys("list", "--json").output
            let keyID = try #require(listed.firstMatch(of: /"keyId":"([^"]+)"/)?.output.1)

            let app = "--app-id=\(BadRecords.appID)"
            _ = try await keys("revoke", app, "--reason=stolen", String(keyID))
            let second = records.assertion("second", subject: subject)
            #expect(try await reason("second", second) == "key_revoked")

            #expect(try await storedOwners(world) == 2)
            let erased = try await keys("erase", app, String(keyID))
            #expect(erased.output == "\(keyID) is now erased\n")
            #expect(erased.errors == "3 verdicts in the inbox are replaced by key_erased\n")
            #expect(try await storedOwners(world) == 0)

            let third = records.assertion("third", subject: subject)
            #expect(try await reason("third", third) == "key_erased")
            var again = registration
            again.value = again.value.map { value in
                Array(
                    String(decoding: value, as: UTF8.self)
                        .replacing(#""registration""#, with: #""once more""#).utf8)
            }
            #expect(try await reason("once more", again) == "key_erased")
            try await expectErasedAnswers(to: first, in: world, worker)
            #expect(try await storedOwners(world) == 0)
            #expect(!worker.errors.contains(subject) && !worker.errors.contains(keyID))
            try await stop([worker])
        }

        /// A request that was accepted before its key was erased comes again, twice.
        private func expectErasedAnswers(
            to first: SentRecord, in world: World, _ worker: ChildProcess
        ) async throws {
            try world.send([first, first])
            try await eventually("the first one thrice; \(worker)", within: .seconds(30)) {
                try await world.answers()["first"]?.count == 3
            }
            let answers = try #require(try await world.answers()["first"])
            #expect(answers[1] == answers[2])
            let repeated = try ReceivedVerdict(parsing: answers[1])
            #expect(repeated.reason == "key_erased")
            #expect(repeated.subject == nil)
            #expect(repeated.verdictId == (try ReceivedVerdict(parsing: answers[0])).verdictId)
        }

        /// How many verdicts in the inbox name the key's owner.
        private func storedOwners(_ world: World) async throws -> Int {
            let rows = try await world.database.query(
                "SELECT count(*) FROM attest.inbox"
                    + " WHERE position('\(subject)'::bytea IN verdict) > 0")
            return Int(rows.first?.first ?? "") ?? -1
        }
    }
}
