import AppAttest
import AttestTestKit
import Glibc
import Harness
import Testing
import Wire

extension EndToEndTests {
    /// Phones as App Check's SDK makes them, gateway, broker, worker, and back.
    @Suite struct GatewayTests {
        @Test func `phones get tokens through gateways, and each refusal as the SDK knows it`()
            async throws
        {
            let gateways = try await GatewayWorld("gateway", seed: 90)
            let worker = try await gateways.startWorker()
            let (first, firstAddress) = try await gateways.startGateway(partition: 0)
            let (second, secondAddress) = try await gateways.startGateway(partition: 2)

            try await Self.expectLife(of: gateways.phone(1, at: firstAddress))
            try await Self.expectRefusals(gateways, firstAddress)
            try await Self.expectWrongCallers(gateways, firstAddress)
            try await Self.expectCapgo(gateways, secondAddress)

            let verdicts = try await gateways.world.answers().values
            // Neither gateway has seen the other's verdicts; what comes again nobody awaits.
            let repeated = verdicts.reduce(0) { $0 + $1.count - Set($1).count }
            for gateway in [first, second] {
                let metrics = try gateway.metrics
                let unawaited = metrics.sum(
                    "attest_gateway_replies_total", ["result": "unawaited"])
                #expect(try #require(unawaited) <= Double(repeated))
                #expect(metrics.sum("attest_gateway_replies_total", ["result": "unreadable"]) == 0)
                #expect(metrics.sum("attest_gateway_waiting_requests") == 0)
            }
            let answered = try [first, second].map {
                try $0.metrics.sum("attest_gateway_replies_total", ["result": "answered"]) ?? 0
            }
            #expect(answered[0] >= 8 && answered[1] >= 3)
            // One verdict a request; the conflict is told under the id that it conflicts with.
            #expect(verdicts.count { Set($0).count > 1 } == 1)
            #expect(!first.errors.contains(GatewayWorld.apiKey))
            try await stop([first, second, worker])
        }

        /// A first token by attestation, the next ones by assertions; one is for limited use.
        private static func expectLife(of phone: AppCheckPhone) async throws {
            var phone = phone
            var last = ""
            for isLimited in [false, false, true] {
                let outcome = try await phone.token(at: .zero, isLimited: isLimited)
                guard case .token(let token) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(token.split(separator: ".").count == 3)
                last = token
            }
            try await expectConsumed(last, at: phone.gateway)
            #expect(phone.keysMade == 0 && phone.artifact != nil)
            // The same over v1beta, with the former name of the token.
            let challenge = try await phone.challenge()
            let answer = try await phone.send(
                "exchangeAppAttestAssertion", phone.assertion(over: challenge), version: "v1beta")
            #expect(answer.status == 200 && answer.body.contains(#""attestationToken""#))
            // A challenge serves once: the phone, which could not know, is not sent away for a day.
            let again = try await phone.send(
                "exchangeAppAttestAssertion", phone.assertion(over: challenge))
            #expect(again.status == 403 && again.body.contains("CHALLENGE_USED"))
            #expect(again.headers["content-type"]?.hasPrefix("application/json") ?? false)

            phone.spoilArtifact()
            #expect(try await phone.token(at: .zero) == .refused(403))
            #expect(try await phone.token(at: .seconds(1)) == .stayedAway)
            #expect(try await phone.token(at: .seconds(2)) == .refused(403))
            #expect(try await phone.token(at: .seconds(5)) == .stayedAway, "twice as long")
        }

        /// A backend consumes a token for limited use, once; a phone may not, and no other token.
        private static func expectConsumed(_ token: String, at address: String) async throws {
            let path = "/v1beta/projects/123:verifyAppCheckToken"
            let body = #"{"appCheckToken":"\#(token)"}"#
            let backend = [GatewayWorld.bearer]
            let foreign = "/v1beta/projects/456:verifyAppCheckToken"
            let elsewhere = try await GatewayWorld.post(foreign, body, backend, to: address)
            #expect(elsewhere.status == 403 && elsewhere.body.contains("TOKEN_INVALID"))
            let first = try await GatewayWorld.post(path, body, backend, to: address)
            #expect(first.status == 200 && first.body == "{}", "\(first)")
            let second = try await GatewayWorld.post(path, body, backend, to: address)
            #expect(second.status == 200 && second.body == #"{"alreadyConsumed":true}"#)
            let forged = body.replacing(".", with: ".x")
            #expect(try await GatewayWorld.post(path, forged, backend, to: address).status == 403)
            #expect(try await GatewayWorld.post(path, body, to: address).status == 403)
        }

        private static func expectRefusals(
            _ gateways: GatewayWorld, _ address: String
        ) async throws {
            // An attestation that is refused: the phone makes another key, and that one is taken.
            var liar = gateways.phone(2, at: address)
            liar.lie = .attestedData(.signCountOne)
            guard case .token = try await liar.token(at: .zero) else {
                Issue.record("the second key is honest")
                return
            }
            #expect(liar.keysMade == 1)

            // A resource that nobody has: a day's rest.
            var lost = gateways.phone(3, at: address)
            lost.resource = "projects/123/apps/1:123:ios:other"
            #expect(try await lost.token(at: .zero) == .refused(404))
            #expect(try await lost.token(at: .seconds(86_399)) == .stayedAway)

            // A key that is not known: refused, and tried again soon.
            var stranger = gateways.phone(4, at: address)
            stranger.headers = ["X-Goog-Api-Key: somebody-elses-key"]
            #expect(try await stranger.token(at: .zero) == .refused(401))
            #expect(try await stranger.token(at: .seconds(2)) == .refused(401))

            // The same request repeated by a client that wants the same answer.
            var patient = gateways.phone(5, at: address)
            let challenge = try await patient.challenge()
            let body = patient.attestation(over: challenge)
            let repeated = ["Idempotency-Key: 0b9d"]
            let answers = [
                try await patient.send("exchangeAppAttestAttestation", body, more: repeated),
                try await patient.send("exchangeAppAttestAttestation", body, more: repeated),
            ]
            #expect(answers[0].status == 200 && answers[0].body == answers[1].body)
            // With other content it is a conflict.
            let other = patient.attestation(over: try await patient.challenge())
            let conflict = try await patient.send(
                "exchangeAppAttestAttestation", other, more: repeated)
            #expect(conflict.status == 409 && conflict.body.contains("ABORTED"))
        }

        /// Whoever sends nonsense harms nobody, and is told what is wrong.
        private static func expectWrongCallers(
            _ gateways: GatewayWorld, _ address: String
        ) async throws {
            let path = "/v1/\(GatewayWorld.resource):exchangeAppAttestAttestation"
            for (body, status) in [("nonsense", 400), (#"{"challenge":"AQ=="}"#, 400)] {
                #expect(try await GatewayWorld.post(path, body, to: address).status == status)
            }
            let large = String(repeating: "x", count: 100_000)
            let tooLarge = try await GatewayWorld.post(path, large, to: address)
            #expect(tooLarge.status == 413 && tooLarge.body.contains("BODY_TOO_LARGE"))
            let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunks = (0..<2).map { _ in "10000\r\n" + String(repeating: "y", count: 65_536) }
            let chunked = Array((head + chunks.joined(separator: "\r\n") + "\r\n0\r\n\r\n").utf8)
            let chunkedAnswer = try await blocking {
                try HTTPExchange.send(
                    Array(
                        String(decoding: chunked, as: UTF8.self).replacing(
                            "Host: x", with: "Host: x\r\nConnection: close"
                        ).utf8), to: address)
            }
            #expect(chunkedAnswer.status == 413)
            let got = try await blocking { try HTTPExchange.get(path, from: address) }
            #expect(got.status == 405 && got.headers["allow"] == "POST")
            // Each ends as a head does: whoever leaves that out is cut off for silence, 10 s later.
            let heads = ["\u{16}\u{3}\u{1}\u{2}", "POST", "GET / HTTP/9.9"]
            for bytes in heads.map({ $0 + "\r\n\r\n" }) {
                let answer = try await blocking {
                    try HTTPExchange.send(Array(bytes.utf8), to: address)
                }
                #expect(answer.status != 200)
            }
        }

        private static func expectCapgo(
            _ gateways: GatewayWorld, _ address: String
        ) async throws {
            let asked = try await GatewayWorld.post("/v1/challenges", "", to: address)
            let challenge = try #require(asked.body.firstMatch(of: /"challenge":"([^"]+)"/)).output
                .1
            var device = SimulatedDevice(
                seed: 9_100, appID: GatewayWorld.appID, authority: gateways.authority)
            let attested = device.attest(
                clientDataHash: ClientDataHash(hashing: Array(challenge.utf8)), at: .now)
            let head = #"{"platform":"ios","format":"apple-app-attest","#
            let keyID = #""keyId":"\#(device.keyID.text)","#
            let registered = try await GatewayWorld.post(
                "/v1/registrations",
                head + keyID + #""challenge":"\#(challenge)","#
                    + #""token":"\#(Base64.encode(attested.object))"}"#, to: address)
            #expect(registered.status == 200, "\(registered)")
            #expect(registered.body.contains(#""outcome":"accepted""#))
            #expect(!registered.body.contains("source"), "what is the fleet's own stays there")

            let next = try await GatewayWorld.post("/v1/challenges", "{}", to: address)
            let payload = try #require(next.body.firstMatch(of: /"challenge":"([^"]+)"/)).output.1
            let asserted = device.assert(clientData: Array(payload.utf8))
            let body =
                head + keyID + #""payload":"\#(payload)","#
                + #""token":"\#(Base64.encode(asserted.object))"}"#
            let accepted = try await GatewayWorld.post("/v1/assertions", body, to: address)
            #expect(accepted.status == 200, "\(accepted)")
            let replayed = try await GatewayWorld.post("/v1/assertions", body, to: address)
            #expect(replayed.status == 403)
        }
    }
}
