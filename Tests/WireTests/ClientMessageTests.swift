import AppAttest
import AttestTestKit
import LibCrypto
import SeededNumbers
import Testing
import Wire

/// What a gateway passes on, and that a worker reads it as it was meant.
@Suite struct ClientMessageTests {
    private static let keyText = Base64.encode((0..<32).map { $0 })
    private static let urlKeyText = keyText.replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")

    private func decode(
        _ message: ClientMessage, appID: String? = "TEAM.app", takesSubject: Bool = false
    ) throws -> DecodedRecord {
        let id = try #require(RequestID("r1"))
        let value = message.recordValue(requestID: id, appID: appID, takesSubject: takesSubject)
        return RequestMessage.decode(value: value, headers: [], limits: MessageLimits())
    }

    private struct NoRequest: Error {}

    private func request(_ body: String, _ form: ClientMessage.Form) throws -> Request {
        let decoded = try decode(ClientMessage(Array(body.utf8), form: form))
        guard case .request(let request) = decoded else {
            Issue.record("\(decoded)")
            throw NoRequest()
        }
        #expect(request.requestID?.text == "r1" && request.appID == "TEAM.app")
        return request
    }

    @Test func `an attestation in either spelling is the same request`() throws {
        let camel = try request(
            #"{"attestationStatement":"AQID","challenge":"BAU=","keyId":"\#(Self.keyText)"}"#,
            .attestation)
        let snake = try request(
            #"""
            {"attestation_statement":"AQID","challenge":"BAU","key_id":"\#(Self.urlKeyText)",
             "limited_use":false}
            """#, .attestation)
        #expect(camel.digest == snake.digest)
        #expect(camel.isAppCheck && camel.kind == .registration && camel.object == [1, 2, 3])
        #expect(camel.clientDataHash == ClientDataHash(hashing: [4, 5]))
    }

    @Test func `an artifact of another server is passed on, for a worker to refuse`() throws {
        let body = #"{"artifact":"AQID","assertion":"BAUG","challenge":"BwgJ"}"#
        let foreign = try ClientMessage(Array(body.utf8), form: .assertion)
        #expect(foreign.keyID == nil)
        guard case .unjudgeable(let refused) = try decode(foreign) else {
            Issue.record("a worker refuses it")
            return
        }
        #expect(refused.reason == .artifactInvalid && refused.requestID?.text == "r1")
    }

    @Test func `limitedUse goes along`() throws {
        for name in ["limitedUse", "limited_use"] {
            let body =
                #"{"attestationStatement":"AQ==","challenge":"Ag==","keyId":"\#(Self.keyText)","#
                + #""\#(name)":true}"#
            let message = try ClientMessage(Array(body.utf8), form: .attestation)
            let id = try #require(RequestID("r"))
            let value = message.recordValue(requestID: id, appID: nil, takesSubject: false)
            #expect(String(decoding: value, as: UTF8.self).contains(#""limitedUse":true"#))
        }
    }

    @Test func `Capgo's messages go through, text byte for byte`() throws {
        let registration = try request(
            #"{"platform":"ios","format":"apple-app-attest","keyId":"\#(Self.keyText)","#
                + #""challenge":"a \"text\" é","token":"AQID"}"#, .capgoRegistration)
        #expect(registration.clientDataHash == ClientDataHash(hashing: Array(#"a "text" é"#.utf8)))
        let assertion = try request(
            #"{"platform":"ios","format":"apple-app-attest","keyId":"\#(Self.keyText)","#
                + #""payload":"{}","token":"AQID","assertion":"AQID"}"#, .capgoAssertion)
        #expect(assertion.kind == .assertion && assertion.object == [1, 2, 3])
    }

    @Test(arguments: [#""limitedUse":true"#, #""limited_use":true"#, #""limitedUse":false"#])
    func `Capgo's apps can ask for a token for limited use`(member: String) throws {
        let body =
            #"{"platform":"ios","format":"apple-app-attest","keyId":"\#(Self.keyText)","#
            + #""token":"AQID",\#(member),"#
        let isAsked = member.hasSuffix("true")
        let registration = try request(body + #""challenge":"c"}"#, .capgoRegistration)
        #expect(registration.isForLimitedUse == isAsked)
        let assertion = try request(body + #""payload":"{}"}"#, .capgoAssertion)
        #expect(assertion.isForLimitedUse == isAsked)
    }

    @Test func `a challenge is asked for with an empty body, braces, or a purpose`() throws {
        for body in ["", "{}", " {} "] {
            let message = try ClientMessage(Array(body.utf8), form: .challenge)
            guard case .service(let service) = try decode(message) else {
                Issue.record("no challenge")
                continue
            }
            #expect(service.content == .challenge(appID: "TEAM.app", purpose: .any))
        }
        let body = Array(#"{"appId":"TEAM.app","purpose":"assertion"}"#.utf8)
        let message = try ClientMessage(body, form: .plainChallenge)
        #expect(message.appID == "TEAM.app")
        guard case .service(let service) = try decode(message) else {
            Issue.record("no challenge")
            return
        }
        #expect(service.content == .challenge(appID: "TEAM.app", purpose: .assertion))
    }

    @Test func `nobody slips in what is the gateway's to tell`() throws {
        let body =
            #"{"attestationStatement":"AQ==","challenge":"Ag==","keyId":"\#(Self.keyText)","#
            + #""requestId":"theirs","appId":"OTHER.app","subject":"someone","type":"consume"}"#
        let request = try request(body, .attestation)
        let plain = try self.request(
            #"{"attestationStatement":"AQ==","challenge":"Ag==","keyId":"\#(Self.keyText)"}"#,
            .attestation)
        #expect(request.subject == nil && request.digest == plain.digest)
        let capgo = try ClientMessage(
            Array(
                (#"{"platform":"ios","format":"apple-app-attest","keyId":"\#(Self.keyText)","#
                    + #""challenge":"c","token":"AQID","subject":"someone"}"#).utf8),
            form: .capgoRegistration)
        for takesSubject in [false, true] {
            guard case .request(let request) = try decode(capgo, takesSubject: takesSubject) else {
                Issue.record("no request")
                continue
            }
            #expect(request.subject == (takesSubject ? "someone" : nil))
        }
    }

    static let wrongBodies: [(String, ClientMessage.Form)] = [
        ("", .attestation), ("[]", .challenge), ("null", .challenge), ("{", .challenge),
        ("\u{FEFF}{}", .challenge), (#"{"a":1,"a":2}"#, .challenge), ("{}", .attestation),
        (#"{"challenge":"AQ==","keyId":"AQ==","attestationStatement":"AQ=="}"#, .attestation),
        (#"{"challenge":"A","keyId":"\#(keyText)","attestationStatement":"AQ=="}"#, .attestation),
        (#"{"challenge":"","keyId":"\#(keyText)","attestationStatement":"AQ=="}"#, .attestation),
        (#"{"challenge":"AQ==","keyId":"\#(keyText)","attestationStatement":7}"#, .attestation),
        (
            #"{"challenge":"AQ==","keyId":"\#(keyText)","key_id":"\#(keyText)","#
                + #""attestationStatement":"AQ=="}"#, .attestation
        ),
        (
            #"{"challenge":"AQ==","keyId":"\#(keyText)","attestationStatement":"AQ==","#
                + #""limitedUse":"yes"}"#, .attestation
        ),
        (#"{"artifact":"AQ==","assertion":"AQ=="}"#, .assertion),
        (#"{"assertion":"AQ==","challenge":"AQ=="}"#, .assertion),
        ("{}", .token), (#"{"appCheckToken":""}"#, .token), (#"{"appCheckToken":{}}"#, .token),
        (#"{"purpose":"other"}"#, .plainChallenge), (#"{"appId":""}"#, .plainChallenge),
        (#"{"keyId":"\#(keyText)","challenge":"c","token":"AQ=="}"#, .capgoRegistration),
    ]

    @Test(arguments: wrongBodies)
    func `what can't be passed on is told without a byte of it`(
        body: String, form: ClientMessage.Form
    ) {
        let problem = #expect(throws: ClientMessage.Problem.self) {
            try ClientMessage(Array(body.utf8), form: form)
        }
        #expect(!(problem?.detail.contains(Self.keyText) ?? true))
    }

    @Test func `no bytes are a trap, in any form`() {
        var random = SplitMix64(seed: 5)
        let seeds = Self.wrongBodies.map { Array($0.0.utf8) }.filter { !$0.isEmpty }
        for form in ClientMessage.Form.allCases {
            for _ in 0..<300 {
                var bytes = seeds.randomElement(using: &random) ?? []
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                if Bool.random(using: &random) { bytes.removeLast(bytes.count - place) }
                guard let message = try? ClientMessage(bytes, form: form),
                    let id = RequestID("r")
                else { continue }
                let value = message.recordValue(requestID: id, appID: nil, takesSubject: true)
                #expect(!value.isEmpty)
            }
        }
    }
}
