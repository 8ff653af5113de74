import AppAttest
import Wire

/// Records that hold a request, in all ways to write one.
enum AcceptedMessages {
    static let all = dialects + spellings + optionalFields + binaryMode + structuredMode

    private static let challengeText = "c2VydmVyLWNoYWxsZW5nZQ=="
    private static let textHash = ClientDataHash(hashing: Array(challengeText.utf8))
    private static let bytesHash = ClientDataHash(hashing: Array("server-challenge".utf8))
    private static let artifactHash = ClientDataHash(
        hashing: Sample.artifact + Array("server-challenge".utf8))
    private static let exactHash = ClientDataHash(exactly: [1, 2, 3])
    private static let plain = Sample.request(.registration, ClientDataHash(hashing: [1, 2, 3]))

    private static func limitedUse(_ hash: ClientDataHash) -> Request {
        var request = Sample.request(.registration, hash)
        request.isForLimitedUse = true
        return request
    }

    private static let dialects: [MessageCase] = [
        .accepted(
            "a Capgo registration hashes the challenge's text", Sample.capgoRegistration.json,
            Sample.request(.registration, textHash)),
        .accepted(
            "a Capgo assertion hashes the payload's text, escapes resolved",
            Sample.capgoAssertion.json,
            Sample.request(
                .assertion, ClientDataHash(hashing: Array(#"{"amount":"5 €"}"#.utf8)))),
        .accepted(
            "a Capgo registration may repeat the token as attestation",
            Sample.capgoRegistration.with("attestation", Sample.objectText).json,
            Sample.request(.registration, textHash)),
        .accepted(
            "a Capgo assertion may repeat the token as assertion",
            Sample.capgoAssertion.with("payload", "\"p\"")
                .with("assertion", Sample.objectText).json,
            Sample.request(.assertion, ClientDataHash(hashing: Array("p".utf8)))),
        .accepted(
            "a payload may have line breaks and NUL: it is only hashed",
            Sample.capgoAssertion.with("payload", #""a\n\u0000""#).json,
            Sample.request(.assertion, ClientDataHash(hashing: [0x61, 0x0A, 0]))),
        .accepted(
            "an App Check registration hashes the challenge's bytes",
            Sample.appCheckRegistration.json, Sample.request(.registration, bytesHash)),
        .accepted(
            "an App Check registration may leave limitedUse out",
            Sample.appCheckRegistration.without("limitedUse").json,
            Sample.request(.registration, bytesHash)),
        .accepted(
            "an App Check assertion hashes artifact and challenge, and has the artifact's key",
            Sample.appCheckAssertion.json, Sample.request(.assertion, artifactHash)),
        .accepted(
            "an App Check assertion may tell the artifact's key too",
            Sample.appCheckAssertion.with("key_id", Sample.keyText).json,
            Sample.request(.assertion, artifactHash)),
        .accepted(
            "a plain registration hashes the client data", Sample.plainRegistration.json, plain),
        .accepted(
            "a plain registration may give the hash",
            Sample.plainRegistration.without("clientData").with("clientDataHash", "\"AQID\"").json,
            Sample.request(.registration, exactHash)),
        .accepted(
            "a plain assertion may give the hash", Sample.plainAssertion.json,
            Sample.request(.assertion, exactHash)),
        .accepted(
            "a plain assertion hashes the client data",
            Sample.plainAssertion.without("clientDataHash").with("clientData", "\"AQID\"").json,
            Sample.request(.assertion, ClientDataHash(hashing: [1, 2, 3]))),
        .accepted(
            "a client data hash may have 1,024 bytes",
            Sample.plainAssertion.with(
                "clientDataHash",
                Sample.quoted(Base64.encode([UInt8](repeating: 7, count: 1024)))
            ).json,
            Sample.request(
                .assertion, ClientDataHash(exactly: [UInt8](repeating: 7, count: 1024)))),
    ]

    private static let spellings: [MessageCase] = [
        .accepted(
            "App Check fields may be in snake case",
            Members([
                ("key_id", Sample.keyText), ("attestation_statement", Sample.objectText),
                ("challenge", Sample.quoted(challengeText)), ("limited_use", "true"),
            ]).json, limitedUse(bytesHash)),
        .accepted(
            "a Capgo registration may ask for limited use",
            Sample.capgoRegistration.with("limitedUse", "true").json, limitedUse(textHash)),
        .accepted(
            "what is not for limited use may say so",
            Sample.plainRegistration.with("limitedUse", "false").json, plain),
        .accepted(
            "null is as good as nothing",
            Sample.plainRegistration.with("clientDataHash", "null").with("token", "null")
                .with("requestId", "null").with("appId", "null").with("subject", "null").json,
            plain),
        .accepted(
            "unknown fields are ignored, whatever they hold",
            Sample.plainRegistration.with("x", #"[{"y":[1,-2.5e3,true,null]},"\u00e9\/"]"#).json,
            plain),
        .accepted(
            "names that are only canonically equivalent are two names",
            Sample.plainRegistration.with("caf\u{E9}", "1").with("cafe\u{301}", "1").json, plain),
        .accepted(
            "white space around tokens does not count",
            " {\r\n\t\"keyId\" : \(Sample.keyText) ,\"attestation\":\(Sample.objectText),"
                + "\"clientData\":\"AQID\" }\n", plain),
        .accepted(
            "base64 may be in the URL alphabet and without padding",
            Sample.plainRegistration
                .with("keyId", urlSafe(Sample.keyText)).with(
                    "attestation", urlSafe(Sample.objectText)
                )
                .json, plain),
        .accepted(
            "names and values may be escaped",
            Sample.plainRegistration.without("clientData").adding(
                #"client\u0044ata"#, #""AQ\u0049D""#
            )
            .json, plain),
    ]

    private static let optionalFields: [MessageCase] = [
        .accepted(
            "request id, app id and subject are taken as they are",
            Sample.plainRegistration.with("requestId", "\"req-7f3a\"")
                .with("appId", "\"TEAMID1234.com.example.app\"").with("subject", "\"user ☃\"").json,
            Sample.request(
                .registration, ClientDataHash(hashing: [1, 2, 3]), requestID: Sample.requestID,
                appID: "TEAMID1234.com.example.app", subject: "user ☃")),
        .accepted(
            "request id and subject may fill their limits",
            Sample.plainRegistration
                .with("requestId", Sample.quoted(String(repeating: "é", count: 64)))
                .with("subject", Sample.quoted(String(repeating: "s", count: 256))).json,
            Sample.request(
                .registration, ClientDataHash(hashing: [1, 2, 3]),
                requestID: RequestID(String(repeating: "é", count: 64)),
                subject: String(repeating: "s", count: 256))),
    ]

    private static let identified = Sample.request(
        .registration, ClientDataHash(hashing: [1, 2, 3]), requestID: Sample.requestID)

    private static let binaryMode: [MessageCase] = [
        .accepted(
            "the event's id is the request id", Sample.plainRegistration.json,
            headers: [
                Header(name: "ce_specversion", text: "1.0"),
                Header(name: "ce_id", text: "req-7f3a"),
                Header(name: "ce_type", text: "com.example.attest.registration.requested.v1"),
                Header(name: "content-type", text: "application/json; charset=utf-8"),
            ], identified),
        .accepted(
            "the header ce_id alone will do", Sample.plainRegistration.json,
            headers: [Header(name: "ce_id", text: "req-7f3a")], identified),
        .accepted(
            "the id may be given twice, if it is the same",
            Sample.plainRegistration.with("requestId", "\"req-7f3a\"").json,
            headers: [
                Header(name: "ce_id", text: "req-7f3a"), Header(name: "ce_id", text: "req-7f3a"),
            ], identified),
        .accepted(
            "a null header counts as absent", Sample.plainRegistration.json,
            headers: [
                Header(name: "ce_id", value: nil), Header(name: "ce_specversion", value: nil),
            ], plain),
        .accepted(
            "a type that is none of ours says nothing", Sample.plainRegistration.json,
            headers: [Header(name: "ce_type", text: "com.example.device.enrolled")], plain),
    ]

    private static let structuredMode: [MessageCase] = [
        .accepted(
            "a structured event holds the request as data",
            Structured.event.with("data", Sample.plainRegistration.json).json,
            headers: Structured.headers, identified),
        .accepted(
            "a structured event holds the request as data_base64",
            Structured.event.with(
                "data_base64",
                Sample.quoted(Base64.encode(Array(Sample.plainRegistration.json.utf8)))
            ).json, headers: Structured.headers, identified),
        .accepted(
            "the content type's case and parameters don't count",
            Structured.event.with("data", Sample.plainRegistration.json).json,
            headers: [
                Header(name: "content-type", text: "Application/CloudEvents+JSON ; charset=UTF-8")
            ], identified),
    ]

    /// The same base64 in the other spelling.
    private static func urlSafe(_ text: String) -> String {
        String(
            text.compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }
}

/// A CloudEvent in structured mode, without its data.
enum Structured {
    static let headers = [
        Header(name: "content-type", text: "application/cloudevents+json; charset=utf-8")
    ]
    static let event = Members([
        ("specversion", "\"1.0\""), ("id", "\"req-7f3a\""), ("source", "\"//gateway.example\""),
        ("type", "\"com.example.attest.registration.requested.v1\""),
        ("datacontenttype", "\"application/json\""),
    ])
}
