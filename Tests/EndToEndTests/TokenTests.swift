import AppAttest
import AttestTestKit
import Foundation
import Glibc
import Harness
import LibCrypto
import SampleKeys
import Testing
import Wire

extension EndToEndTests {
    /// Tokens as apps, services and operators meet them.
    @Suite struct TokenTests {
        private static let appID = "TESTTEAM01.com.example.tokens"
        private static let issuer = "https://attest.example"
        private static let audience = ["projects/123", "projects/demo"]
        private static let authority = TestAuthority(seed: 72)
        private static let secret = Array("challenges of the test, challenges of it".utf8)

        /// One phone, whose requests the test sends.
        private struct Phone {
            var device: SimulatedDevice
            let partition: Int32

            init(_ number: UInt64, partition: Int32) {
                device = SimulatedDevice(
                    seed: 720 + number, appID: TokenTests.appID, authority: TokenTests.authority)
                self.partition = partition
            }

            func registration(_ id: String, _ challenge: [UInt8]) -> SentRecord {
                let content = RegistrationContent.plain(clientData: challenge)
                let attested = device.attest(clientDataHash: content.clientDataHash, at: .now)
                return record(MintedRequest(registration: attested, content, requestID: id).json)
            }

            mutating func assertion(
                _ id: String, _ challenge: [UInt8], limitedUse: Bool = false
            ) -> SentRecord {
                let content = AssertionContent.plain(clientData: challenge)
                let asserted = device.assert(clientDataHash: content.clientDataHash)
                var json = MintedRequest(assertion: asserted, content, requestID: id).json
                if limitedUse {
                    json.removeLast()
                    json += #","limitedUse":true}"#.utf8
                }
                return record(json)
            }

            private func record(_ json: [UInt8]) -> SentRecord {
                SentRecord(key: Array(device.keyID.text.utf8), value: json, partition: partition)
            }
        }

        private func challenge(_ number: UInt8) throws -> [UInt8] {
            let secrets = try #require(SecretKeyRing(current: Self.secret))
            return try #require(
                SignedChallenge(
                    appID: Self.appID, purpose: .any,
                    expiry: Instant.now.advanced(by: .seconds(300)),
                    random: [UInt8](repeating: number, count: SignedChallenge.randomByteCount),
                    secrets: secrets)
            ).bytes
        }

        private func consumption(_ id: String, _ token: String, partition: Int32) -> SentRecord {
            let json = #"{"requestId":"\#(id)","type":"consume","token":"\#(token)"}"#
            return SentRecord(key: nil, value: Array(json.utf8), partition: partition)
        }

        private func world() async throws -> World {
            var app = WorkerSettings.App(
                appId: Self.appID, trustAnchor: certificatePEM(Self.authority.rootCertificate),
                simulated: true)
            app.challenge = "signed"
            app.tokens = .init(subject: "1:123:ios:abc", audience: Self.audience)
            let world = try await World("tokens", apps: [app])
            let old = try world.write(
                String(decoding: SampleKeys.p256(1), as: UTF8.self), to: "old.pem")
            try world.change { $0.tokens = .init(issuer: Self.issuer, keyFiles: [old]) }
            return world
        }

        private func start(_ world: World) async throws -> ChildProcess {
            let file = try world.write(String(decoding: Self.secret, as: UTF8.self), to: "secret")
            return try await world.startWorker(["ATTEST_CHALLENGES__SECRET_FILE": file])
        }

        /// The answers to these requests, each of one content, once all are there.
        private func answers(
            _ ids: [String], in world: World
        ) async throws -> [String: ReceivedVerdict] {
            try await eventually("answers to \(ids)", within: .seconds(90)) {
                let answers = try await world.answers()
                return ids.allSatisfy { answers[$0] != nil }
            }
            let answers = try await world.answers()
            return try Dictionary(
                uniqueKeysWithValues: ids.map { id in
                    let all = answers[id] ?? []
                    #expect(Set(all).count == 1, "\(id) has one verdict")
                    return (id, try ReceivedVerdict(parsing: try #require(all.first)))
                })
        }

        @Test func `others verify the tokens, through a rotation, and each is consumed once`()
            async throws
        {
            let world = try await world()
            let worker = try await start(world)
            var (first, second) = (Phone(1, partition: 0), Phone(2, partition: 1))
            try world.send([
                first.registration("r-1", try challenge(1)),
                second.registration("r-2", try challenge(2)),
                first.assertion("a-1", try challenge(3)),
                second.assertion("a-2", try challenge(4), limitedUse: true),
            ])
            let early = try await answers(["r-1", "r-2", "a-1", "a-2"], in: world)

            // The new key is in front at once here; services of this test read the set anew.
            let new = try world.write(
                String(decoding: SampleKeys.rsa, as: UTF8.self), to: "new.pem")
            try world.change { $0.tokens?.keyFiles.insert(new, at: 0) }
            worker.send(SIGHUP)
            try await worker.waitFor("settings_reloaded", within: .seconds(20))
            let shared = UInt8(10)...17
            var late = [first.assertion("a-3", try challenge(5))]
            for number in shared {
                let id = "limited \(number)"
                late.append(first.assertion(id, try challenge(100 + number), limitedUse: true))
            }
            try world.send(late)
            let limited = try await answers(
                ["a-3"] + shared.map { "limited \($0)" }, in: world)
            let all = early.merging(limited) { _, new in new }
            #expect(all.values.allSatisfy { $0.outcome == "accepted" }, "\(all)")
            let published = try worker.http("/.well-known/jwks.json").body
            try expectVerified(all, keySet: published)
            let secret = try world.write(
                String(decoding: Self.secret, as: UTF8.self), to: "secret")
            let printed = try await world.runCommand(
                "jwks", ["--challenges.secretFile=\(secret)"])
            #expect(printed.output == published + "\n", "\(printed)")

            try await race(
                limited.filter { $0.key.hasPrefix("limited") }.values.compactMap(\.token),
                [first, second], in: world, worker)
        }

        /// Each token in two partitions, and each of as many challenges with two phones, at two
        /// workers one of which dies.
        private func race(
            _ tokens: [String], _ phones: [Phone], in world: World, _ worker: ChildProcess
        ) async throws {
            var phones = phones
            let other = try await start(world)
            try await eventually("both have a partition; \(other)", within: .seconds(60)) {
                other.count(of: "partitions_assigned") > 0
            }
            var records: [SentRecord] = []
            for (number, token) in tokens.enumerated() {
                let bytes = try challenge(UInt8(200 + number))
                for partition in [0, 1] {
                    records += [
                        consumption(
                            "consume \(number) \(partition)", token, partition: Int32(partition)),
                        phones[partition].assertion("race \(number) \(partition)", bytes),
                    ]
                }
            }
            try world.send(records)
            try await eventually("some are answered", within: .seconds(60)) {
                try await world.answers().keys.contains { $0.hasPrefix("consume") }
            }
            try await worker.kill()
            let third = try await start(world)
            // All of them once more, as gateways do that were left without an answer.
            try world.send(records)
            let ids = tokens.indices.flatMap { number in
                [0, 1].flatMap { ["consume \(number) \($0)", "race \(number) \($0)"] }
            }
            let verdicts = try await answers(ids, in: world)
            for number in tokens.indices {
                let consumed = [0, 1].compactMap { verdicts["consume \(number) \($0)"] }
                #expect(consumed.map(\.outcome) == ["accepted", "accepted"])
                #expect(consumed.count { $0.alreadyConsumed == true } == 1, "\(consumed)")
                let raced = [0, 1].compactMap { verdicts["race \(number) \($0)"] }
                #expect(raced.count { $0.outcome == "accepted" } == 1, "\(raced)")
                #expect(raced.count { $0.reason == "challenge_used" } == 1, "\(raced)")
            }
            for process in [worker, other, third] {
                #expect(!process.errors.contains("eyJ"), "no token in a log")
                #expect(!process.errors.contains("PRIVATE KEY"))
            }
            try await stop([other, third])
        }

        /// What PyJWT makes of tokens and key set.
        private struct Checked: Decodable {
            struct Token: Decodable {
                struct Claims: Decodable {
                    var aud: [String]
                    var sub: String
                    var iat: Int64
                    var exp: Int64
                    var jti: String?
                }

                var alg: String
                var claims: Claims
            }

            var valid: [Token]
            var refused: Int
        }

        private func expectVerified(
            _ verdicts: [String: ReceivedVerdict], keySet: String
        ) throws {
            let ids = verdicts.keys.sorted()
            let tokens = try ids.map {
                try #require(verdicts[$0]?.token ?? verdicts[$0]?.appCheckToken?.token)
            }
            let folder = try Folder("attest-tokens-check")
            let input: [String: Any] = [
                "jwks": try JSONSerialization.jsonObject(with: Data(keySet.utf8)),
                "issuer": Self.issuer, "audience": Self.audience[1],
                "now": Instant.now.wholeSeconds, "tokens": tokens,
            ]
            let text = try JSONSerialization.data(withJSONObject: input)
            let path = try folder.write(String(decoding: text, as: UTF8.self), to: "case.json")
            let check = Process()
            let output = Pipe()
            // Debian's own Python, whose packages these are.
            check.executableURL = URL(filePath: "/usr/bin/python3")
            check.arguments = [
                URL(filePath: #filePath).deletingLastPathComponent()
                    .appending(path: "check_tokens.py").path(), path,
            ]
            check.standardOutput = output
            try check.run()
            let told = try output.fileHandleForReading.readToEnd() ?? Data()
            check.waitUntilExit()
            try #require(check.terminationStatus == 0)
            let checked = try JSONDecoder().decode(Checked.self, from: told)
            #expect(checked.refused == tokens.count * 3)
            #expect(checked.valid.count == tokens.count)
            for (id, token) in zip(ids, checked.valid) {
                let isEarly = ["r-1", "r-2", "a-1", "a-2"].contains(id)
                let isLimited = id == "a-2" || id.hasPrefix("limited")
                #expect(token.alg == (isEarly ? "ES256" : "RS256"), "\(id)")
                #expect(token.claims.aud == Self.audience)
                #expect(token.claims.sub == "1:123:ios:abc")
                #expect(token.claims.exp - token.claims.iat == (isLimited ? 300 : 3600), "\(id)")
                #expect((token.claims.jti != nil) == isLimited, "\(id)")
            }
            #expect(Set(checked.valid.compactMap(\.claims.jti)).count == 9)
        }
    }
}
