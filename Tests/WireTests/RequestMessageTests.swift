import AppAttest
import LibCrypto
import Testing
import Wire

@Suite struct RequestMessageTests {
    @Test(arguments: AcceptedMessages.all)
    func `a request is the same value in whatever way it is written`(message: MessageCase) throws {
        guard case .request(let expected) = message.expectation else {
            Issue.record("the case expects no request")
            return
        }
        guard case .request(var found) = message.decoded else {
            Issue.record("it became \(message.decoded)")
            return
        }
        // What a challenge is looked for in is what was signed.
        if let clientData = found.clientData {
            let signed = (found.artifact ?? []) + clientData
            #expect(ClientDataHash(hashing: signed) == found.clientDataHash)
        }
        found.clientData = nil
        found.artifact = nil
        found.isAppCheck = false
        #expect(found == expected)
    }

    @Test func `only what is for limited use has another digest than before there were tokens`() {
        var request = Sample.request(.assertion, ClientDataHash(hashing: [1]))
        let before = Request.digest(
            .assertion,
            [
                Sample.keyID.digest.bytes, request.object, request.clientDataHash.bytes, [], [],
            ])
        #expect(request.digest == before)
        #expect(request.formerDigest == nil)
        request.isForLimitedUse = true
        #expect(request.digest != before)
        #expect(request.formerDigest == before)
    }

    @Test(arguments: RefusedMessages.all)
    func `an object that is no request is answered`(message: MessageCase) throws {
        guard case .refused(let reason) = message.expectation,
            case .unjudgeable(let refusal) = message.decoded
        else {
            Issue.record("it became \(message.decoded)")
            return
        }
        #expect(refusal.reason == reason)
        #expect(refusal.digest == SHA256.hash(message.value ?? []))
        #expect(!refusal.detail.isEmpty)
    }

    @Test(arguments: UnreadableMessages.all)
    func `what holds no object is a dead letter`(message: MessageCase) {
        guard case .unreadable(let why) = message.expectation else {
            Issue.record("the case expects something readable")
            return
        }
        #expect(message.decoded == .unreadable(why))
    }

    @Test func `a value of exactly the limit is read`() {
        let json = Sample.plainRegistration.json
        let padding = String(repeating: " ", count: 256 * 1024 - json.utf8.count)
        let message = MessageCase.refused("", padding + json)
        guard case .request = message.decoded else {
            Issue.record("it became \(message.decoded)")
            return
        }
    }

    @Test func `thirty-two levels are read`() {
        let nested = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        let message = MessageCase.refused("", Sample.plainRegistration.with("x", nested).json)
        guard case .request = message.decoded else {
            Issue.record("it became \(message.decoded)")
            return
        }
    }

    // MARK: - What a refusal tells

    private func refusal(_ value: String, headers: [Header] = []) throws -> UnjudgeableRequest {
        let decoded = RequestMessage.decode(
            value: Array(value.utf8), headers: headers, limits: MessageLimits())
        guard case .unjudgeable(let refusal) = decoded else {
            throw Unexpected(decoded: decoded)
        }
        return refusal
    }

    private struct Unexpected: Error {
        let decoded: DecodedRecord
    }

    @Test func `a refusal tells all that could be read`() throws {
        let message = Sample.capgoRegistration.with("requestId", "\"req-7f3a\"")
            .with("subject", "\"user\"").with("token", "7")
        let refusal = try refusal(message.json)
        #expect(refusal.requestID == Sample.requestID)
        #expect(refusal.kind == .registration)
        #expect(refusal.keyID == Sample.keyID)
        #expect(refusal.subject == "user")
        #expect(refusal.reason == .malformedMessage)
    }

    @Test(arguments: [
        ("x", #"[{"y":1,"y":1}]"#), ("x", #""\ud83d""#),
        ("x", String(repeating: "[", count: 9000) + String(repeating: "]", count: 9000)),
    ])
    func `a flaw elsewhere leaves the request id readable`(name: String, json: String) throws {
        let message = Sample.plainRegistration.with("requestId", #""req-\u0037f3a""#)
        let refusal = try refusal(message.with(name, json).json)
        #expect(refusal.requestID == Sample.requestID)
        #expect(refusal.keyID == Sample.keyID)
        #expect(refusal.kind == .registration)
    }

    @Test func `a request id that occurs twice is none`() throws {
        let message = Sample.plainRegistration.with("requestId", "\"a\"").adding(
            "requestId", "\"a\"")
        #expect(try refusal(message.json).requestID == nil)
        #expect(
            try refusal(message.json, headers: [Header(name: "ce_id", text: "a")]).requestID == nil)
    }

    @Test func `a field can't take the place of the event's id`() throws {
        let message = Sample.plainRegistration.with("requestId", "\"of-another\"")
        #expect(
            try refusal(message.json, headers: [Header(name: "ce_id", text: "mine")]).requestID
                == nil)
        #expect(
            try refusal(message.json, headers: [Header(name: "ce_id", value: [0xFF])]).requestID
                == nil)
    }

    @Test func `ids that are only canonically equivalent differ`() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let message = Sample.plainRegistration.with("requestId", Sample.quoted(composed))
        #expect(
            try refusal(message.json, headers: [Header(name: "ce_id", text: decomposed)]).requestID
                == nil)
    }

    @Test(arguments: [
        (#"{"attestation":1}"#, RequestKind.registration), (#"{"challenge":1}"#, .registration),
        (#"{"attestation_statement":1}"#, .registration), (#"{"payload":1}"#, .assertion),
        (#"{"assertion":1}"#, .assertion), (#"{"artifact":1,"challenge":1}"#, .assertion),
        (#"{"token":1}"#, nil), (#"{"attestation":1,"assertion":1}"#, nil),
    ])
    func `the kind is told by any field that has one`(json: String, kind: RequestKind?) throws {
        #expect(try refusal(json).kind == kind)
    }

    @Test func `the kind is told by the event's type too`() throws {
        let headers = [Header(name: "ce_type", text: "attest.assertion.requested.v1")]
        #expect(try refusal("{}", headers: headers).kind == .assertion)
        #expect(try refusal(#"{"attestation":1}"#, headers: headers).kind == nil)
    }

    @Test func `a refusal's detail holds no byte of the message`() throws {
        for message in RefusedMessages.all {
            guard case .unjudgeable(let refusal) = message.decoded else { continue }
            #expect(!refusal.detail.contains("AQID"))
            #expect(refusal.detail.utf8.count < 100)
        }
    }

    // MARK: - Time

    /// As a `String`, such a name takes minutes to hash: normalization sorts the marks.
    @Test(arguments: [("\u{301}\u{316}", 4), (#"\u0301\u0316"#, 12)])
    func `a long run of combining marks in a name takes no time`(marks: String, byteCount: Int) {
        let run = String(repeating: marks, count: 240_000 / byteCount)
        let message = Sample.plainRegistration.with("a\(run)", "1")
        var decoded: DecodedRecord?
        let elapsed = ContinuousClock().measure { decoded = message.decoded() }
        #expect(decoded == Sample.plainRegistration.decoded())
        #expect(elapsed < .seconds(5))
    }

    // MARK: - Every beginning and every byte

    @Test func `no beginning of a message is a message`() {
        let bytes = Array(Sample.capgoAssertion.json.utf8)
        for length in 0..<bytes.count {
            let decoded = RequestMessage.decode(
                value: Array(bytes.prefix(length)), headers: [], limits: MessageLimits())
            #expect(decoded == .unreadable(length == 0 ? .emptyValue : .notAJSONObject))
        }
    }

    @Test func `any byte may be any other without a trap`() {
        let bytes = Array(Sample.plainRegistration.json.utf8)
        var requests: Set<DecodedRecord> = []
        for position in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[position] = byte
                requests.insert(
                    RequestMessage.decode(value: changed, headers: [], limits: MessageLimits()))
            }
        }
        #expect(requests.contains(.unreadable(.notAJSONObject)))
    }
}

extension Members {
    /// What the message is, without headers.
    fileprivate func decoded() -> DecodedRecord {
        RequestMessage.decode(value: Array(json.utf8), headers: [], limits: MessageLimits())
    }
}
