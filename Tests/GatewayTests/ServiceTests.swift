import Foundation
import Operations
import Synchronization
import Testing
import Wire
import Worker

@testable import Gateway

/// The way from a request to its answer, without sockets and without Kafka.
@Suite struct ServiceTests {
    @Test func `a request goes out with all that a worker needs, and comes back as its answer`()
        throws
    {
        let bench = GatewayBench()
        let exchange = bench.post("/v1/projects/1/apps/a:generateAppAttestChallenge")
        #expect(exchange.answer == nil, "it waits")
        let record = try #require(bench.publisher.records.first)
        #expect(record.topic == "requests" && record.key == nil && record.partition == nil)
        #expect(ReplyAddress(record.headers, topic: "replies") == .partition(4))
        let body = try bench.json(record.value)
        #expect(body["type"] as? String == "challenge" && body["appId"] as? String == "TEAM.app")
        let id = try #require(body["requestId"] as? String)
        #expect(id.utf8.count == 32)
        try bench.reply(#""outcome":"accepted","challenge":"Y2g=","ttl":"300s""#)
        let answer = try #require(exchange.answer)
        #expect(answer.status == 200)
        #expect(AnswerTests.text(answer) == #"{"challenge":"Y2g=","ttl":"300s"}"#)
        #expect(bench.service.waitingCount == 0)
    }

    @Test func `records are keyed by the key, so that one key has one order`() throws {
        let bench = GatewayBench()
        _ = bench.post("/v1/oauthClients/o:exchangeAppAttestAttestation", bench.attestation)
        #expect(bench.publisher.records.first?.key == Array(GatewayBench.keyText.utf8))
    }

    @Test func `a refused verdict is told with its reason and its request`() throws {
        let bench = GatewayBench()
        let exchange = bench.post(
            "/v1/oauthClients/o:exchangeAppAttestAttestation", bench.attestation)
        let id = try bench.lastID()
        try bench.reply(#""outcome":"rejected","reason":"challenge_used","retryable":false"#)
        let answer = try #require(exchange.answer)
        #expect(answer.status == 403)
        #expect(AnswerTests.text(answer).contains(#""reason":"CHALLENGE_USED""#))
        #expect(AnswerTests.text(answer).contains(id))
    }

    static let refused: [(String, String, String, [String: String], UInt32, String)] = [
        ("GET", "/v1/challenges", "", [:], 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/v1/nothing", "", [:], 404, "PATH_UNKNOWN"),
        (
            "POST", "/v1/projects/1/apps/b:generateAppAttestChallenge", "", [:], 404,
            "RESOURCE_UNKNOWN"
        ),
        ("POST", "/v1/challenges", #"{"appId":"OTHER.app"}"#, [:], 404, "RESOURCE_UNKNOWN"),
        ("POST", "/v1/challenges", "nonsense", [:], 400, "BODY_MALFORMED"),
        (
            "POST", "/v1/challenges", "{}", ["content-type": "text/xml"], 415,
            "CONTENT_TYPE_UNSUPPORTED"
        ),
        (
            "POST", "/v1/challenges", "", ["idempotency-key": ""], 400, "IDEMPOTENCY_KEY_INVALID"
        ),
        (
            "POST", "/v1/challenges", "", ["authorization": "Bearer nobody-knows-this-one"], 401,
            "BEARER_TOKEN_INVALID"
        ),
        (
            "POST", "/v1beta/projects/1:verifyAppCheckToken", #"{"appCheckToken":"t"}"#, [:], 403,
            "BACKENDS_ONLY"
        ),
        (
            "POST", "/v1beta/projects/2:verifyAppCheckToken", #"{"appCheckToken":"t"}"#,
            ["authorization": GatewayBench.bearer], 404, "RESOURCE_UNKNOWN"
        ),
    ]

    @Test(arguments: refused)
    func `what can't be served is told at once, and nothing is published`(
        method: String, path: String, body: String, headers: [String: String], status: UInt32,
        reason: String
    ) throws {
        let bench = GatewayBench()
        let exchange = bench.send(method, path, body, headers)
        let answer = try #require(exchange.answer)
        #expect(answer.status == status)
        #expect(AnswerTests.text(answer).contains(#""reason":"\#(reason)""#))
        #expect(bench.publisher.records.isEmpty && bench.service.waitingCount == 0)
    }

    @Test func `a challenge for one of several apps must say which`() throws {
        let bench = GatewayBench(otherApps: ["TEAM.other"])
        let answer = try #require(bench.post("/v1/challenges", "{}").answer)
        #expect(answer.status == 400, "a 404 would send an SDK away for a day")
        #expect(AnswerTests.text(answer).contains(#""reason":"APP_ID_MISSING""#))
        #expect(bench.post("/v1/challenges", #"{"appId":"TEAM.other"}"#).answer == nil)
        #expect(bench.publisher.records.count == 1)
    }

    @Test func `a backend consumes a token`() throws {
        let bench = GatewayBench()
        let exchange = bench.send(
            "POST", "/v1beta/projects/1:verifyAppCheckToken", #"{"app_check_token":"a.b.c"}"#,
            ["authorization": GatewayBench.bearer])
        let body = try bench.json(bench.publisher.records.first?.value)
        #expect(body["type"] as? String == "consume" && body["token"] as? String == "a.b.c")
        try bench.reply(#""outcome":"accepted""#)
        #expect(exchange.answer.map(AnswerTests.text) == "{}")
    }

    @Test func `a token is consumed under its own project alone`() throws {
        let bench = GatewayBench()
        let exchange = bench.send(
            "POST", "/v1beta/projects/1:verifyAppCheckToken",
            #"{"appCheckToken":"a.b.c","audience":"projects/2"}"#,
            ["authorization": GatewayBench.bearer])
        let body = try bench.json(bench.publisher.records.first?.value)
        #expect(body["audience"] as? String == "projects/1", "the path's, whatever the body says")
        try bench.reply(#""outcome":"rejected","reason":"token_invalid","retryable":false"#)
        #expect(exchange.answer?.status == 403)
        _ = bench.post("/v1/projects/1/apps/a:generateAppAttestChallenge")
        let other = try bench.json(bench.publisher.records.last?.value)
        #expect(other["audience"] == nil)
    }

    @Test func `the deadline is an answer, and the verdict that comes later is nobody's`() throws {
        let bench = GatewayBench()
        let exchange = bench.post("/v1/challenges")
        bench.pass(.milliseconds(9_999))
        bench.service.tick()
        #expect(exchange.answer == nil)
        bench.pass(.milliseconds(1))
        bench.service.tick()
        let answer = try #require(exchange.answer)
        #expect(answer.status == 503 && answer.headers.contains { $0.0 == "Retry-After" })
        try bench.reply(#""outcome":"accepted","challenge":"Y2g=","ttl":"1s""#)
        #expect(exchange.answer?.status == 503)
    }

    @Test func `a full table, a broker that is away and a full queue are 503`() throws {
        let bench = GatewayBench(waitingMax: 2)
        _ = [bench.post("/v1/challenges"), bench.post("/v1/challenges")]
        let third = try #require(bench.post("/v1/challenges").answer)
        #expect(third.status == 503)
        #expect(AnswerTests.text(third).contains("TOO_MANY_WAITING"))
        #expect(bench.publisher.records.count == 2, "what nobody waits for is not published")

        let away = GatewayBench()
        away.publisher.connect(false)
        #expect(away.post("/v1/challenges").answer?.status == 503)
        #expect(away.publisher.records.isEmpty && away.service.waitingCount == 0)

        let full = GatewayBench()
        full.publisher.fill()
        #expect(full.post("/v1/challenges").answer?.status == 503)
        #expect(full.service.waitingCount == 0)
    }

    @Test func `a request that can't be sent is told to whoever waits`() throws {
        let bench = GatewayBench()
        let exchange = bench.post("/v1/challenges")
        let id = try #require(bench.publisher.records.last.flatMap { SendID($0.headers) })
        bench.service.give(Refusal(.unavailable, "not_sent", "gone"), to: id)
        #expect(exchange.answer?.status == 503)
    }

    @Test func `rates are kept per address, and backends count among all alone`() throws {
        let bench = GatewayBench(
            rates: RateLimiter.Rates(
                callerPerMinute: 60, callerBurst: 2, totalPerSecond: 0, totalBurst: 1))
        for _ in 0..<2 { #expect(bench.post("/v1/challenges").answer == nil) }
        let limited = try #require(bench.post("/v1/challenges").answer)
        #expect(limited.status == 429 && limited.headers.contains { $0.0 == "Retry-After" })
        let guess = bench.send(
            "POST", "/v1/challenges", "", ["authorization": "Bearer a-guess-0123456789"])
        #expect(guess.answer?.status == 429, "guesses count as well")
        for _ in 0..<5 {
            let backend = bench.send(
                "POST", "/v1/challenges", "", ["authorization": GatewayBench.bearer])
            #expect(backend.answer == nil)
        }
    }

    @Test func `a repeated request has one id, and each sending of it its own answer`() throws {
        let bench = GatewayBench()
        let headers = ["idempotency-key": "7d4c"]
        let path = "/v1/oauthClients/o:exchangeAppAttestAttestation"
        let exchanges = (0..<2).map { _ in bench.send("POST", path, bench.attestation, headers) }
        let ids = try bench.publisher.records.map {
            try bench.json($0.value)["requestId"] as? String
        }
        #expect(ids.count == 2 && ids[0] == ids[1])
        let accepted =
            #""outcome":"accepted","artifact":"YQ==","appCheckToken":{"token":"t","ttl":"1s"}"#
        try bench.reply(accepted, to: 0)
        #expect(exchanges[0].answer?.status == 200)
        #expect(exchanges[1].answer == nil)
        // The worker answers the second record by the verdict of the first.
        try bench.reply(accepted, to: 1)
        #expect(
            exchanges[1].answer.map(AnswerTests.text) == exchanges[0].answer.map(AnswerTests.text))
    }

    /// An idempotency key can be known to others: whoever sends rubbish under it must not get what
    /// another's request is answered with.
    @Test func `nobody is answered by the verdict on another's request of the same id`() throws {
        let bench = GatewayBench()
        let headers = ["idempotency-key": "7d4c"]
        let path = "/v1/oauthClients/o:exchangeAppAttestAttestation"
        let honest = bench.send("POST", path, bench.attestation, headers)
        let rubbish = bench.send(
            "POST", path, bench.attestation.replacing("AQID", with: "AAAA"), headers)
        let accepted =
            #""outcome":"accepted","artifact":"YQ==","appCheckToken":{"token":"t","ttl":"1s"}"#
        try bench.reply(
            #""outcome":"rejected","reason":"request_id_conflict","retryable":false"#, to: 1)
        #expect(rubbish.answer?.status == 409 && honest.answer == nil)
        try bench.reply(accepted, to: 0)
        #expect(honest.answer?.status == 200)
        // Nor by what its own id was answered before, which came late.
        let late = bench.send(
            "POST", path, bench.attestation.replacing("AQID", with: "AAAA"), headers)
        try bench.reply(accepted, to: 0)
        #expect(late.answer == nil)
    }

    @Test func `the id of a repeated request is the caller's, the path's and the key's own`() throws
    {
        let bench = GatewayBench()
        let path = "/v1/oauthClients/o:exchangeAppAttestAttestation"
        let key = ["idempotency-key": "7d4c"]
        _ = bench.send("POST", path, bench.attestation, key)
        _ = bench.send(
            "POST", path, bench.attestation,
            key.merging(["authorization": GatewayBench.bearer]) { $1 })
        _ = bench.send("POST", path.replacing("v1", with: "v1beta"), bench.attestation, key)
        _ = bench.send("POST", path, bench.attestation, ["idempotency-key": "7d4d"])
        _ = bench.send(
            "POST", path,
            bench.attestation.replacing(
                GatewayBench.keyText, with: Base64.encode([UInt8](repeating: 9, count: 32))), key)
        _ = bench.post(path, bench.attestation)
        let ids = try bench.publisher.records.compactMap {
            try bench.json($0.value)["requestId"] as? String
        }
        #expect(ids.count == 6 && Set(ids).count == 6)
    }

    @Test func `an idempotency key that is used for two requests is a conflict`() throws {
        let bench = GatewayBench()
        let exchange = bench.post("/v1/challenges")
        try bench.reply(#""outcome":"rejected","reason":"request_id_conflict","retryable":false"#)
        #expect(exchange.answer?.status == 409)
        #expect(exchange.answer.map(AnswerTests.text)?.contains("ABORTED") ?? false)
    }

    @Test func `who drains lets nobody in, and answers those who wait`() throws {
        let bench = GatewayBench()
        let early = bench.post("/v1/challenges")
        bench.service.drain()
        #expect(bench.post("/v1/challenges").answer?.status == 503)
        #expect(!bench.observer.health(.readiness).isWell)
        try bench.reply(#""outcome":"accepted","challenge":"Y2g=","ttl":"1s""#)
        #expect(early.answer?.status == 200)
        let late = GatewayBench()
        let left = late.post("/v1/challenges")
        late.service.abandon()
        #expect(left.answer?.status == 503)
    }

    @Test func `replies that are nobody's harm nobody`() throws {
        let bench = GatewayBench()
        let exchange = bench.post("/v1/challenges")
        for value in [nil, "", "{}", "nonsense", #"{"requestId":"x","outcome":"accepted"}"#] {
            bench.service.received(value.map { Array($0.utf8) }, [])
        }
        #expect(exchange.answer == nil)
        let text = String(decoding: bench.observer.metrics(as: .prometheus), as: UTF8.self)
        #expect(text.contains(#"attest_gateway_replies_total{result="unreadable"} 4"#))
        #expect(text.contains(#"attest_gateway_replies_total{result="unawaited"} 1"#))
        #expect(text.contains("attest_gateway_waiting_requests 1"))
    }

    @Test func `a trace goes on, and what is refused is counted by its reason`() throws {
        let bench = GatewayBench()
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        _ = bench.send("POST", "/v1/challenges", "", ["traceparent": parent])
        let headers = try #require(bench.publisher.records.first).headers
        #expect(headers.contains(Header(name: "traceparent", text: parent)))
        _ = bench.send("POST", "/v1/challenges", "]", [:])
        let text = String(decoding: bench.observer.metrics(as: .prometheus), as: UTF8.self)
        #expect(text.contains(#"attest_gateway_refusals_total{reason="body_malformed"} 1"#))
        #expect(
            text.contains(#"attest_gateway_requests_total{method="challenges",status="400"} 1"#))
    }
}
