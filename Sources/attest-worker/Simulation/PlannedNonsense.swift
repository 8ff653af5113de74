import AppAttest
import Wire

/// Messages that can't be judged, each with what must come of it.
enum PlannedNonsense {
    /// A message of another platform of the same plugin: its JSON and the kind it shows.
    static func otherPlatform(id: String, number: Int) -> PlannedRequest {
        let isRegistration = number % 2 == 0
        let (kind, field): (RequestKind, String) =
            isRegistration ? (.registration, "challenge") : (.assertion, "payload")
        let json = """
            {"format":"google-play-integrity-standard","keyId":"android-\(number)",\
            "\(field)":"\(id)","platform":"android","requestId":"\(id)","token":"eyJhbGciOiJub25l"}
            """
        return PlannedRequest(
            id: id, kind: .otherPlatform, key: Array("android-\(number)".utf8),
            value: Array(json.utf8), headers: [], age: .zero,
            expectation: .verdict(
                ExpectedVerdict(
                    kind: kind, outcome: PlannedKind.otherPlatform.outcome, keyID: nil)))
    }

    /// A JSON object with a request id that breaks the schema.
    static func malformed(id: String, number: Int, keyID: KeyID) -> PlannedRequest {
        let keyText = keyID.text
        let variants: [(members: String, isKeyReadable: Bool)] = [
            // Base64 with a blank in it.
            (#""assertion":"oWlz aWdu","clientData":"AQID","keyId":"\#(keyText)""#, true),
            // What was signed is missing.
            (#""assertion":"oWlzaWdu","keyId":"\#(keyText)""#, true),
            // A member twice: a gateway may have checked the one, a worker would verify the other.
            (
                #""assertion":"oWlzaWdu","clientData":"AQID","clientData":"BAUG","#
                    + #""keyId":"\#(keyText)""#, true
            ),
            // A key id of another type.
            (#""assertion":"oWlzaWdu","clientData":"AQID","keyId":17"#, false),
        ]
        let variant = variants[number % variants.count]
        let json = "{\(variant.members),\"requestId\":\"\(id)\"}"
        return PlannedRequest(
            id: id, kind: .malformed, key: Array(keyText.utf8), value: Array(json.utf8),
            headers: [], age: .zero,
            expectation: .verdict(
                ExpectedVerdict(
                    kind: .assertion, outcome: PlannedKind.malformed.outcome,
                    keyID: variant.isKeyReadable ? keyID : nil)))
    }

    /// A record in which no request can be read.
    static func garbage(id: String, number: Int) -> PlannedRequest {
        let variants: [(value: [UInt8]?, header: Header?, cause: UnreadableRecord)] = [
            (nil, nil, .emptyValue),
            (Array("GET / HTTP/1.1".utf8), nil, .notAJSONObject),
            (Array("[1,2,3]".utf8), nil, .notAJSONObject),
            ([0x7B, 0x22, 0xFF, 0x22, 0x7D], nil, .notAJSONObject),
            (
                Array("{}".utf8), Header(name: "ce_specversion", text: "2.0"),
                .unreadableEnvelope
            ),
            (oversized, nil, .valueTooLarge),
        ]
        let variant = variants[number % variants.count]
        let correlation = Header(name: PlannedRequest.correlationHeader, text: id)
        return PlannedRequest(
            id: id, kind: .garbage, key: nil, value: variant.value,
            headers: [correlation] + [variant.header].compactMap { $0 }, age: .zero,
            expectation: .deadLetter(variant.cause))
    }

    /// One value for all records of this sort, a byte above the limit.
    private static let oversized = [UInt8](
        repeating: UInt8(ascii: "x"), count: MessageLimits().valueBytesMax + 1)
}
