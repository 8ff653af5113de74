import AppAttest
import AttestTestKit
import Glibc
import Harness
import Testing
import Wire

extension EndToEndTests {
    /// Gateways among many, among the wrong, and in trouble.
    @Suite struct GatewayLoadTests {
        private static let path = "/v1/\(GatewayWorld.resource):"

        @Test func `a thousand exchanges at once, and nobody who dawdles is in their way`()
            async throws
        {
            Self.raiseFileLimit()
            let gateways = try await GatewayWorld("thousand", seed: 91)
            let worker = try await gateways.startWorker()
            let (gateway, address) = try await gateways.startGateway(partition: 1)
            let dawdlers = try (0..<50).map { _ in
                let socket = try HTTPExchange.connect(to: address)
                let head = Array("POST \(Self.path)generateAppAttestChallenge HTTP/1.1\r\nHo".utf8)
                _ = send(socket, head, head.count, Int32(MSG_NOSIGNAL))
                return socket
            }
            defer { for socket in dawdlers { close(socket) } }

            let phones = (0..<1000).map { gateways.phone(1000 + $0, at: address) }
            let challenges = try await Self.all(
                phones.map { _ in ("generateAppAttestChallenge", "") }, at: address)
            let bodies = try await Self.attestations(of: phones, over: challenges)
            let tokens = try await Self.all(
                bodies.map { ("exchangeAppAttestAttestation", $0) }, at: address)
            #expect(tokens.allSatisfy { $0.status == 200 })
            #expect(Set(tokens.map(\.body)).count == 1000)
            let metrics = try gateway.metrics
            #expect(metrics.sum("attest_gateway_waiting_requests") == 0)
            #expect(metrics.sum("attest_gateway_connections") ?? 0 >= 50)
            #expect(try gateway.http("/livez").status == 200)
            try await stop([gateway, worker])
        }

        @Test func `a gateway that was killed is asked again, and answers the same`() async throws {
            let gateways = try await GatewayWorld("killed", seed: 92)
            let worker = try await gateways.startWorker()
            let (first, address) = try await gateways.startGateway(partition: 0)
            var phone = gateways.phone(1, at: address)
            let body = phone.attestation(over: try await phone.challenge())
            let key = ["X-Goog-Api-Key: \(GatewayWorld.apiKey)", "Idempotency-Key: once"]

            // The worker sleeps, so the request is on the topic and nobody has answered it.
            worker.send(SIGSTOP)
            let before = try await gateways.world.requests.readOn().count
            let bytes = GatewayWorld.bytes(
                Self.path + "exchangeAppAttestAttestation", body, key)
            async let lost = try? blocking { try HTTPExchange.send(bytes, to: address) }
            try await eventually("the request is on the topic", within: .seconds(20)) {
                try await gateways.world.requests.readOn().count > before
            }
            try await first.kill()
            #expect(await lost?.status ?? 0 == 0, "its answer went down with the gateway")

            let (second, newAddress) = try await gateways.startGateway(partition: 0)
            // A stranger who knows the key has something else sent under it, and waits as well.
            let other = GatewayWorld.bytes(
                Self.path + "exchangeAppAttestAttestation", phone.attestation(over: [1]), key)
            async let stranger = blocking { try HTTPExchange.send(other, to: newAddress) }
            try await eventually("the stranger waits", within: .seconds(10)) {
                try second.metrics.sum("attest_gateway_waiting_requests") == 1
            }
            worker.send(SIGCONT)
            #expect(try await stranger.status == 409, "the verdict before it is another's")
            let answers = [
                try await GatewayWorld.post(
                    Self.path + "exchangeAppAttestAttestation", body, key, to: newAddress),
                try await GatewayWorld.post(
                    Self.path + "exchangeAppAttestAttestation", body, key, to: newAddress),
            ]
            #expect(answers[0].status == 200, "\(answers[0])")
            #expect(answers[0].body == answers[1].body)
            // The challenge was used once, by one decision, whatever was published how often.
            let verdicts = try await gateways.world.answers().filter { $0.key.hasPrefix("i-") }
            let kinds = verdicts.values.map { Set($0).count }
            #expect(kinds == [2], "the decision, and the stranger's conflict")

            try await Self.expectOutage(gateways, second, newAddress, worker)
        }

        /// Without a worker the deadline answers; a stop answers those who wait.
        private static func expectOutage(
            _ gateways: GatewayWorld, _ gateway: ChildProcess, _ address: String,
            _ worker: ChildProcess
        ) async throws {
            let (hasty, hastyAddress) = try await gateways.startGateway(
                partition: 1, ["ATTEST_GATEWAY__DEADLINE": "300ms"])
            worker.send(SIGSTOP)
            let late = try await GatewayWorld.post(
                path + "generateAppAttestChallenge", "", to: hastyAddress)
            #expect(late.status == 503 && late.headers["retry-after"] != nil)
            #expect(late.body.contains("DEADLINE_EXCEEDED"))
            let bytes = GatewayWorld.bytes(
                path + "generateAppAttestChallenge", "",
                ["X-Goog-Api-Key: \(GatewayWorld.apiKey)"])
            async let waiting = blocking { try HTTPExchange.send(bytes, to: address) }
            try await eventually("one waits", within: .seconds(10)) {
                try gateway.metrics.sum("attest_gateway_waiting_requests") == 1
            }
            gateway.send(SIGTERM)
            worker.send(SIGCONT)
            #expect(try await waiting.status == 200, "who waits is answered before the end")
            #expect(try await gateway.waitForEnd(within: .seconds(20)) == .exited(0))
            try await stop([hasty, worker])
        }

        /// Sends all at once, each on a connection of its own, and then takes the answers.
        private static func all(
            _ requests: [(method: String, body: String)], at address: String
        ) async throws -> [HTTPExchange.Answer] {
            let bytes = requests.map { request in
                GatewayWorld.bytes(
                    path + request.method, request.body,
                    ["X-Goog-Api-Key: \(GatewayWorld.apiKey)"])
            }
            return try await blocking {
                let sockets = try bytes.map { bytes in
                    let socket = try HTTPExchange.connect(to: address)
                    guard send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
                    else { throw HarnessFailure("a request could not be sent: errno \(errno)") }
                    return socket
                }
                return try sockets.map { socket in
                    defer { close(socket) }
                    return try HTTPExchange.receive(from: socket, address)
                }
            }
        }

        /// What each phone sends, made on as many processors as there are: for a debug build it
        /// is as much work as all exchanges are for the worker.
        private static func attestations(
            of phones: [AppCheckPhone], over challenges: [HTTPExchange.Answer]
        ) async throws -> [String] {
            try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for (number, (phone, answer)) in zip(phones, challenges).enumerated() {
                    group.addTask {
                        var phone = phone
                        // {"challenge":"…", up to the next quote.
                        let text = answer.body.split(separator: "\"").dropFirst(3).first
                        let challenge = try #require(Base64.decode(String(text ?? "")))
                        return (number, phone.attestation(over: challenge))
                    }
                }
                var bodies = Array(repeating: "", count: phones.count)
                for try await (number, body) in group { bodies[number] = body }
                return bodies
            }
        }

        private static func raiseFileLimit() {
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            guard getrlimit(resource, &limit) == 0 else { return }
            limit.rlim_cur = limit.rlim_max
            setrlimit(resource, &limit)
        }
    }
}
