import AppAttest
import AttestTestKit
import Harness
import Testing
import Wire

extension EndToEndTests {
    /// App Check's contract on the topics, as a gateway that only forwards JSON sees it.
    @Suite struct ExchangeTests {
        private static let appID = "TESTTEAM01.com.example.exchange"

        /// The answer to one request, once it is there.
        private func answer(
            _ requestID: String, _ value: [UInt8], partition: Int32 = 0, in world: World
        ) async throws -> ReceivedVerdict {
            try world.send([SentRecord(key: nil, value: value, partition: partition)])
            return try await answers([requestID], in: world)[0]
        }

        private func answers(
            _ requestIDs: [String], in world: World
        ) async throws -> [ReceivedVerdict] {
            try await eventually("answers to \(requestIDs)", within: .seconds(60)) {
                let answers = try await world.answers()
                return requestIDs.allSatisfy { answers[$0] != nil }
            }
            let answers = try await world.answers()
            return try requestIDs.map { try ReceivedVerdict(parsing: #require(answers[$0]?.last)) }
        }

        private func challenge(_ requestID: String, in world: World) async throws -> [UInt8] {
            let message =
                #"{"requestId":"\#(requestID)","type":"challenge","appId":"\#(Self.appID)"}"#
            let verdict = try await answer(requestID, Array(message.utf8), in: world)
            #expect(verdict.ttl == "300s")
            return try #require(verdict.challenge.flatMap { Base64.decode($0) })
        }

        /// The artifact that a registration is answered with; its challenge serves once.
        private func register(
            _ device: SimulatedDevice, _ number: Int, in world: World
        ) async throws -> [UInt8] {
            let content = RegistrationContent.appCheck(
                challenge: try await challenge("for \(number)", in: world))
            let attested = device.attest(clientDataHash: content.clientDataHash, at: .now)
            let id = "registration \(number)"
            let message = MintedRequest(registration: attested, content, requestID: id)
            let verdict = try await answer(id, message.json, in: world)
            #expect(verdict.outcome == "accepted", "\(verdict)")
            let artifact = try #require(verdict.artifact.flatMap { Base64.decode($0) })
            #expect(Artifact.claimedKeyID(in: artifact) == device.keyID)
            let again = MintedRequest(registration: attested, content, requestID: "\(id) again")
            let refused = try await answer("\(id) again", again.json, in: world)
            #expect(refused.reason == "challenge_used")
            return artifact
        }

        @Test func `an attestation is exchanged for an artifact, and each challenge serves once`()
            async throws
        {
            let authority = TestAuthority(seed: 70)
            var app = WorkerSettings.App(
                appId: Self.appID, trustAnchor: certificatePEM(authority.rootCertificate),
                simulated: true)
            app.challenge = "signed"
            let world = try await World("exchange", apps: [app]) { $0.worker.lanes = 2 }
            let secret = String(repeating: "secret of the test ", count: 3)
            let file = try world.write(secret + "\n", to: "secret")
            let worker = try await world.startWorker([
                "ATTEST_CHALLENGES__SECRET_FILE": file, "ATTEST_ARTIFACTS__SECRET_FILE": file,
            ])

            // Two phones, each with an artifact of its own.
            var phones: [(device: SimulatedDevice, artifact: [UInt8])] = []
            for number in 1...2 {
                let device = SimulatedDevice(
                    seed: UInt64(70 + number), appID: Self.appID, authority: authority)
                phones.append((device, try await register(device, number, in: world)))
            }

            // Both use one challenge at the same moment, in two partitions, for two lanes.
            let shared = try await challenge("shared", in: world)
            var records: [SentRecord] = []
            for number in phones.indices {
                let content = AssertionContent.appCheck(
                    artifact: phones[number].artifact, challenge: shared)
                let asserted = phones[number].device.assert(clientDataHash: content.clientDataHash)
                let message = MintedRequest(
                    assertion: asserted, content, requestID: "assertion \(number)")
                records.append(
                    SentRecord(key: nil, value: message.json, partition: Int32(number)))
            }
            try world.send(records)
            let verdicts = try await answers(["assertion 0", "assertion 1"], in: world)
            #expect(verdicts.count { $0.outcome == "accepted" } == 1, "\(verdicts)")
            #expect(verdicts.count { $0.reason == "challenge_used" } == 1, "\(verdicts)")

            // The same requests once more have the same answers, byte for byte.
            // While the second lane joins the group, commits are refused, and a record that comes
            // again is answered again: more than two of one are right.
            let before = try await world.answers().mapValues(\.count)
            try world.send(records)
            try await eventually("both again", within: .seconds(60)) {
                let answers = try await world.answers()
                return ["assertion 0", "assertion 1"].allSatisfy {
                    answers[$0]?.count ?? 0 > before[$0] ?? 0
                }
            }
            let repeated = try await world.answers()
            for id in ["assertion 0", "assertion 1"] {
                #expect(Set(repeated[id] ?? []).count == 1)
            }
            #expect(!worker.errors.contains("secret of the test"))
            try await stop([worker])
        }
    }
}
