import Foundation
import Gateway
import Operations
import Testing
import Wire

/// Verdicts as the contract's JSON, and refusals as google.rpc.Status.
@Suite struct AnswerTests {
    static func text(_ answer: HTTPAnswer) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    static func verdict(_ members: String) throws -> ReplyVerdict {
        try #require(ReplyVerdict(value: Array("{\"requestId\":\"r1\",\(members)}".utf8)))
    }

    private func answer(
        _ members: String, _ method: Gateway.Method, _ version: Route.Version = .v1
    ) throws -> String {
        let answer = try GatewayAnswer.make(
            Self.verdict("\"outcome\":\"accepted\"," + members),
            for: Route(version: version, method: method, resource: nil))
        #expect(answer.status == 200)
        #expect(answer.headers.contains { $0 == ("Cache-Control", "no-store") })
        return Self.text(answer)
    }

    @Test func `an accepted verdict has the contract's members and no others`() throws {
        let noise = #""keyId":"a2V5","signCount":3,"risk":{"metric":2},"source":{"topic":"t"}"#
        #expect(
            try answer(
                noise + #","challenge":"Y2g=","ttl":"300s""#, .generateAppAttestChallenge)
                == #"{"challenge":"Y2g=","ttl":"300s"}"#)
        #expect(
            try answer(
                noise + #","artifact":"YXJ0","appCheckToken":{"token":"a.b.c","ttl":"3600s"}"#,
                .exchangeAppAttestAttestation)
                == #"{"artifact":"YXJ0","appCheckToken":{"token":"a.b.c","ttl":"3600s"}}"#)
        #expect(
            try answer(
                noise + #","token":"a.b.c","ttl":"3.500s""#, .exchangeAppAttestAssertion)
                == #"{"token":"a.b.c","ttl":"3.500s"}"#)
        #expect(try answer(noise, .verifyAppCheckToken, .v1beta) == "{}")
        #expect(
            try answer(#""alreadyConsumed":true"#, .verifyAppCheckToken, .v1beta)
                == #"{"alreadyConsumed":true}"#)
        #expect(
            try answer(noise + #","reattested":false"#, .registrations)
                == #"{"outcome":"accepted","keyId":"a2V5","reattested":false,"requestId":"r1"}"#)
        #expect(
            try answer(#""token":"a.b.c","ttl":"60s""#, .assertions)
                == #"{"outcome":"accepted","requestId":"r1","token":"a.b.c","ttl":"60s"}"#)
    }

    @Test func `v1beta tells the token under its former name too`() throws {
        #expect(
            try answer(
                #""artifact":"YQ==","appCheckToken":{"token":"t","ttl":"1s"}"#,
                .exchangeAppAttestAttestation, .v1beta)
                == #"{"artifact":"YQ==","appCheckToken":{"attestationToken":"t","token":"t","#
                + #""ttl":"1s"}}"#)
        #expect(
            try answer(#""token":"t","ttl":"1s""#, .exchangeAppAttestAssertion, .v1beta)
                == #"{"attestationToken":"t","token":"t","ttl":"1s"}"#)
    }

    @Test func `what workers are not set up for is no answer that a client takes for one`() throws {
        for (method, reason) in [
            (Method.generateAppAttestChallenge, "challenge_not_configured"),
            (.exchangeAppAttestAttestation, "artifact_not_configured"),
            (.exchangeAppAttestAssertion, "token_not_configured"),
        ] {
            let refusal = #expect(throws: Refusal.self) {
                try answer(#""keyId":"a2V5""#, method)
            }
            #expect(refusal?.status == 501 && refusal?.reason == reason)
        }
    }

    /// Every reason a verdict may have, and what App Check's client makes of the status.
    @Test(arguments: Reason.all)
    func `each reason has a status that makes clients do the right thing`(reason: Reason) throws {
        let refusal = Refusal(rejectedFor: reason.code, isRetryable: reason.isRetryable)
        let expected: UInt32 =
            switch reason {
            case .worker(.malformedMessage), .worker(.unsupportedFormat): 400
            case .worker(.requestIDConflict), .worker(.staleRequest): 409
            case .worker(.unknownApp), .worker(.requestTooOld), .worker(.requestFromTheFuture),
                .worker(.requestTimeUnknown), .worker(.unprocessable), .worker(.notConfigured):
                503
            default: 403
            }
        #expect(refusal.status == expected, "\(reason.code)")
        #expect((refusal.retryAfter != nil) == (expected == 503))
    }

    @Test func `a refusal is a google.rpc.Status with reason, domain and request`() throws {
        var refusal = Refusal(rejectedFor: "challenge_used", isRetryable: false)
        refusal.requestID = RequestID("r\"1")
        let answer = refusal.answer
        #expect(answer.status == 403)
        #expect(
            Self.text(answer)
                == #"{"error":{"code":403,"message":"the request is refused","#
                + #""status":"PERMISSION_DENIED","details":[{"@type":"#
                + #""type.googleapis.com/google.rpc.ErrorInfo","reason":"CHALLENGE_USED","#
                + #""domain":"attest-worker","metadata":{"requestId":"r\"1"}}]}}"#)
        #expect(try JSONSerialization.jsonObject(with: Data(answer.body)) is [String: Any])
    }

    @Test func `pauses and what is allowed stand in the headers`() {
        let busy = Refusal(.unavailable, "busy", "busy", retryAfter: 7).answer
        #expect(busy.headers.contains { $0 == ("Retry-After", "7") })
        let wrong = Refusal(.unimplemented, "m", "m", finerStatus: 405, allowed: "POST").answer
        #expect(wrong.status == 405 && wrong.headers.contains { $0 == ("Allow", "POST") })
        let unknown = Refusal(.unauthenticated, "u", "u").answer
        #expect(unknown.headers.contains { $0.0 == "WWW-Authenticate" })
    }

    @Test(
        arguments: [
            nil, "", "{}", "[]", #"{"outcome":"accepted"}"#, #"{"requestId":"r"}"#,
            #"{"requestId":"r","outcome":"rejected"}"#, #"{"requestId":"","outcome":"accepted"}"#,
            #"{"requestId":"r","outcome":"accepted","reason":"x"}"#,
            #"{"requestId":"r","outcome":"perhaps"}"#, #"{"requestId":7,"outcome":"accepted"}"#,
        ])
    func `what is no verdict is nobody's answer`(value: String?) {
        #expect(ReplyVerdict(value: value.map { Array($0.utf8) }) == nil)
    }
}
