import AppAttest
import Testing
import Wire

/// Requests that the worker serves without judging an object.
@Suite struct ServiceRequestTests {
    private func decode(_ json: String, _ headers: [Header] = []) -> DecodedRecord {
        RequestMessage.decode(
            value: Array(json.utf8), headers: headers, limits: MessageLimits())
    }

    @Test(arguments: [
        ("", SignedChallenge.Purpose.any), (#","purpose":"any""#, .any),
        (#","purpose":null"#, .any), (#","purpose":"registration""#, .registration),
        (#","purpose":"assertion","more":[1]"#, .assertion),
    ])
    func `a challenge is asked for by its type`(more: String, purpose: SignedChallenge.Purpose) {
        let decoded = decode(#"{"type":"challenge","requestId":"r","appId":"T.a"\#(more)}"#)
        #expect(
            decoded
                == .service(
                    ServiceRequest(
                        requestID: RequestID("r"),
                        content: .challenge(appID: "T.a", purpose: purpose))))
    }

    @Test(arguments: [
        #"{"type":"challenge"}"#, #"{"type":"challenge","appId":""}"#,
        #"{"type":"challenge","appId":7}"#, #"{"type":"challenge","appId":"T.a","purpose":"x"}"#,
        #"{"type":"challenge","appId":"T.a","purpose":1}"#,
        #"{"type":"challenge","appId":"T.a","token":"AAAA"}"#,
        #"{"type":"challenge","appId":"T.a","challenge":"AAAA"}"#,
        #"{"type":"challenge","appId":"T.a","keyId":"AAAA"}"#,
    ])
    func `one that says too little or too much is answered`(json: String) {
        guard case .unjudgeable(let refusal) = decode(json) else {
            Issue.record("it became \(decode(json))")
            return
        }
        #expect(refusal.reason == .malformedMessage)
        #expect(refusal.kind == .challenge)
    }

    @Test(arguments: [
        ("", nil, nil), (#","appId":null,"audience":null,"more":1"#, nil, nil),
        (#","appId":"T.a""#, "T.a", nil), (#","audience":"projects/1""#, nil, "projects/1"),
        (#","appId":"T.a","audience":"x""#, "T.a", "x"),
    ])
    func `a token is consumed, of any app or of one, for anybody or for one`(
        more: String, appID: String?, audience: String?
    ) {
        #expect(
            decode(#"{"type":"consume","requestId":"r","token":"a.b.c"\#(more)}"#)
                == .service(
                    ServiceRequest(
                        requestID: RequestID("r"),
                        content: .consume(token: "a.b.c", appID: appID, audience: audience))))
    }

    @Test(arguments: [
        #"{"type":"consume"}"#, #"{"type":"consume","token":""}"#,
        #"{"type":"consume","token":["a.b.c"]}"#,
        #"{"type":"consume","token":"a.b.c","appId":""}"#,
        #"{"type":"consume","token":"a.b.c","audience":""}"#,
        #"{"type":"consume","token":"a.b.c","audience":["a"]}"#,
        #"{"type":"consume","token":"a.b.c","keyId":"AAAA"}"#,
        #"{"type":"consume","token":"a.b.c","token":"a.b.c"}"#,
        #"{"type":"consume","token":"\#(String(repeating: "a", count: 8193))"}"#,
    ])
    func `one that can't be consumed as it stands is answered`(json: String) {
        guard case .unjudgeable(let refusal) = decode(json) else {
            Issue.record("it became \(decode(json))")
            return
        }
        #expect(refusal.reason == .malformedMessage)
        #expect(refusal.kind == .consume)
        #expect(!refusal.detail.contains("a.b.c"))
    }

    @Test func `the event's type must agree`() {
        let json = #"{"type":"challenge","appId":"T.a"}"#
        let right = Header(name: "ce_type", text: "org.x.attest.challenge.requested.v1")
        guard case .service = decode(json, [right]) else {
            Issue.record("it became \(decode(json, [right]))")
            return
        }
        let wrong = Header(name: "ce_type", text: "org.x.attest.assertion.requested.v1")
        guard case .unjudgeable(let refusal) = decode(json, [wrong]) else {
            Issue.record("it became \(decode(json, [wrong]))")
            return
        }
        #expect(refusal.kind == nil)
    }

    @Test func `another type is a field like any other`() {
        let json = Sample.plainRegistration.with("type", #""registration""#).json
        guard case .request = decode(json) else {
            Issue.record("it became \(decode(json))")
            return
        }
    }

    @Test func `what is asked for tells requests apart`() {
        let digests = [("T.a", SignedChallenge.Purpose.any), ("T.b", .any), ("T.a", .assertion)]
            .map {
                ServiceRequest(
                    requestID: nil, content: .challenge(appID: $0.0, purpose: $0.1)
                ).digest
            }
        let tokens = [
            ("a", nil, nil), ("b", nil, nil), ("a", "T.a", nil), ("a", nil, "T.a"),
            ("a", "T.a", "x"),
        ].map {
            ServiceRequest(
                requestID: nil, content: .consume(token: $0.0, appID: $0.1, audience: $0.2)
            ).digest
        }
        #expect(Set(digests + tokens).count == 8)
        // Stored by versions that knew no audience: a repetition must find its answer.
        #expect(
            tokens[0] == Request.digest(.consume, [Array("a".utf8), []])
                && tokens[2] == Request.digest(.consume, [Array("a".utf8), Array("T.a".utf8)]))
    }

    @Test(arguments: [
        (Duration.seconds(300), "300s"), (.milliseconds(3500), "3.500s"),
        (.milliseconds(300_007), "300.007s"), (.zero, "0s"),
    ])
    func `a duration is written as protobuf does`(duration: Duration, text: String) {
        #expect(ProtobufDuration.text(duration) == text)
    }
}
