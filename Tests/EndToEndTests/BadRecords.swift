import AppAttest
import AttestTestKit
import FoundationEssentials
import Harness
import Wire

/// Every kind of bad input that can travel in a record.
struct BadRecords {
    /// The app of all devices here.
    static let appID = "TESTTEAM01.com.example.bad-input"

    private let authority: TestAuthority
    /// A registered device; what is sent in its name is refused, so that its sign count stays.
    private(set) var device: SimulatedDevice
    private let base: RawMessage

    /// Records around one registered device.
    init(authority: TestAuthority) throws {
        self.authority = authority
        device = SimulatedDevice(seed: 1, appID: BadRecords.appID, authority: authority)
        let content = RegistrationContent.plain(clientData: Array("challenge".utf8))
        base = try RawMessage(
            MintedRequest(
                registration: device.attest(clientDataHash: content.clientDataHash, at: .now),
                content))
    }

    /// The registration of the device: honest.
    var registration: SentRecord {
        SentRecord(key: nil, value: Array(base.with("requestId", quoted("registration")).json.utf8))
    }

    /// An honest assertion.
    mutating func assertion(_ requestID: String, subject: String? = nil) -> SentRecord {
        let content = AssertionContent.plain(clientData: Array(requestID.utf8))
        let message = MintedRequest(
            assertion: device.assert(clientDataHash: content.clientDataHash), content,
            requestID: requestID, subject: subject)
        return SentRecord(key: Array(message.recordKey.utf8), value: message.json)
    }

    /// All that is wrong and needs nothing but one record.
    mutating func all() -> [BadRecord] {
        unreadable + malformed + tolerated + untimely + attestations + assertions()
    }

    // MARK: - Messages

    private var unreadable: [BadRecord] {
        let text = base.json
        return [
            BadRecord(
                "null key and value", SentRecord(key: nil, value: nil), .deadLetter("empty_value")),
            BadRecord("null value", nil, "empty_value"),
            BadRecord(
                "empty key and value", SentRecord(key: [], value: []), .deadLetter("empty_value")),
            BadRecord("no JSON", Array("garbage".utf8), "not_a_json_object"),
            BadRecord("an array", Array("[\(text)]".utf8), "not_a_json_object"),
            BadRecord("a cut object", Array(text.utf8.dropLast()), "not_a_json_object"),
            BadRecord("two objects", Array((text + text).utf8), "not_a_json_object"),
            BadRecord(
                "invalid UTF-8", Array(#"{"x":""#.utf8) + [0xC3, 0x28, 0x22, 0x7D],
                "not_a_json_object"),
            BadRecord("a raw NUL", Array("{\"x\":\"\u{0}\"}".utf8), "not_a_json_object"),
            BadRecord("1 MiB", [UInt8](repeating: 0x78, count: 1 << 20), "value_too_large"),
            BadRecord(
                "an envelope of another version",
                SentRecord(
                    key: nil, value: Array(text.utf8),
                    headers: [
                        Header(name: "ce_specversion", text: "0.3"), Header(name: "x", value: nil),
                    ]),
                .deadLetter("unreadable_envelope")),
        ]
    }

    private var malformed: [BadRecord] {
        let malformed = Expectation.rejected("malformed_message")
        let long = String(repeating: "x", count: 257)
        return [
            BadRecord(
                "no field at all", SentRecord(key: nil, value: Array("{}".utf8)),
                .verdict(malformed)),
            BadRecord("a number for a text", base.with("keyId", "1"), malformed),
            BadRecord("null for a text", base.with("attestation", "null"), malformed),
            BadRecord("a missing field", base.without("clientData"), malformed),
            BadRecord(
                "a field that occurs twice", base.adding("clientData", quoted("AQID")), malformed),
            BadRecord("fields of two dialects", base.with("challenge", quoted("x")), malformed),
            BadRecord("base64 with a space", base.with("clientData", quoted("AQ ID")), malformed),
            BadRecord("base64 with stray bits", base.with("clientData", quoted("AR==")), malformed),
            BadRecord(
                "base64 of both alphabets", base.with("clientData", quoted("+_AA")), malformed),
            BadRecord("a key id of 31 bytes", base.with("keyId", base64(31)), malformed),
            BadRecord("a key id of 33 bytes", base.with("keyId", base64(33)), malformed),
            BadRecord("a long request id", base.with("requestId", quoted(long)), malformed),
            BadRecord("a long subject", base.with("subject", quoted(long)), malformed),
            BadRecord("a long app id", base.with("appId", quoted(long)), malformed),
            BadRecord(
                "an escaped NUL in the request id", base.with("requestId", #""a\u0000b""#),
                malformed),
            BadRecord(
                "an escaped NUL in the subject", base.with("subject", #""a\u0000b""#), malformed),
            BadRecord("half a surrogate pair", base.with("x", #""\ud83d""#), malformed),
            BadRecord("60,000 levels", base.with("x", nested(60_000)), malformed),
            BadRecord(
                "another format", base.with("format", quoted("packed")),
                .rejected("unsupported_format")),
            BadRecord(
                "another app", base.with("appId", quoted("TESTTEAM01.other")),
                .rejected("app_id_mismatch")),
        ]
    }

    /// Unusual, and right all the same: the device is known by then.
    private var tolerated: [BadRecord] {
        let accepted = Expectation.accepted(reattested: true)
        let value = Array(base.json.utf8)
        return [
            BadRecord("a null key", SentRecord(key: nil, value: value), .verdict(accepted)),
            BadRecord("an empty key", SentRecord(key: [], value: value), .verdict(accepted)),
            BadRecord(
                "a key of no UTF-8", SentRecord(key: [0xFF, 0], value: value), .verdict(accepted)),
            BadRecord("an unknown field", base.with("x", #"{"y":[null,1e3]}"#), accepted),
            BadRecord(
                "base64 without padding", base.changing("keyId") { $0.filter { $0 != "=" } },
                accepted),
            BadRecord(
                "base64 for URLs",
                base.changing("attestation") { String($0.map { ["+": "-", "/": "_"][$0] ?? $0 }) },
                accepted),
        ]
    }

    private var untimely: [BadRecord] {
        let value = Array(base.json.utf8)
        func record(_ timestamp: Int64) -> SentRecord {
            SentRecord(key: nil, value: value, timestamp: Instant(milliseconds: timestamp))
        }
        let year: Int64 = 366 * 86_400_000
        return [
            // librdkafka takes 0 for "now".
            BadRecord("of 1970", record(1), .verdict(.rejected("request_too_old"))),
            BadRecord(
                "of next year", record(Instant.now.milliseconds + year),
                .verdict(.rejected("request_from_the_future"))),
            BadRecord("without a time", record(-1), .verdict(.rejected("request_time_unknown"))),
        ]
    }

    // MARK: - Objects

    private var attestations: [BadRecord] {
        AttestationLie.allCases.map { lie in
            let content = RegistrationContent.plain(clientData: Array("\(lie)".utf8))
            let attestation = device.attest(
                clientDataHash: content.clientDataHash, at: .now, lie: lie)
            return BadRecord(
                "attestation: \(lie)", MintedRequest(registration: attestation, content),
                attestation.object, lie.rejection)
        }
    }

    private mutating func assertions() -> [BadRecord] {
        AssertionLie.allCases.map { lie in
            let content = AssertionContent.plain(clientData: Array("\(lie)".utf8))
            let assertion = device.assert(clientDataHash: content.clientDataHash, lie: lie)
            return BadRecord(
                "assertion: \(lie)", MintedRequest(assertion: assertion, content),
                assertion.object, lie.rejection)
        }
    }

    // MARK: - Parts

    private func base64(_ count: Int) -> String {
        quoted(Data(repeating: 9, count: count).base64EncodedString())
    }

    private func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
}

extension BadRecord {
    /// A lying object: larger ones than the message's limit are not even looked at.
    fileprivate init(
        _ name: String, _ message: MintedRequest, _ object: [UInt8], _ rejection: RejectionCode
    ) {
        let isReadable = !object.isEmpty && object.count <= MessageLimits().objectBytesMax
        self.init(
            name, SentRecord(key: Array(message.recordKey.utf8), value: message.json),
            .verdict(.rejected(isReadable ? rejection.rawValue : "malformed_message")))
    }
}
