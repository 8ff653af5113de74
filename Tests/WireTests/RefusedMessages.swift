import AppAttest
import Wire

/// Records that are JSON objects but no request: each is answered.
enum RefusedMessages {
    static let all = fields + dialects + formats + texts + lengths + flaws + envelopes

    private static let plain = Sample.plainRegistration
    private static let capgo = Sample.capgoRegistration
    private static let appCheck = Sample.appCheckRegistration

    // MARK: - Fields

    private static let fields: [MessageCase] = [
        ("Capgo", capgo, ["platform", "format", "keyId", "challenge", "token"]),
        ("Capgo", Sample.capgoAssertion, ["platform", "format", "keyId", "payload", "token"]),
        ("App Check", appCheck, ["keyId", "attestationStatement", "challenge"]),
        ("plain", plain, ["keyId", "attestation", "clientData"]),
        ("plain", Sample.plainAssertion, ["keyId", "assertion", "clientDataHash"]),
    ].flatMap { dialect, message, names in
        names.flatMap { name in broken(name, in: message, of: dialect) }
    }

    private static func broken(
        _ name: String, in message: Members, of dialect: String
    ) -> [MessageCase] {
        let values = [("null", "null"), ("a number", "1"), ("an array", "[]"), ("true", "true")]
        return [.refused("\(dialect) without \(name)", message.without(name).json)]
            + values.map { what, json in
                .refused("\(dialect) with \(name) as \(what)", message.with(name, json).json)
            } + [
                .refused(
                    "\(dialect) with an empty \(name)", message.with(name, "\"\"").json,
                    name == "format" ? .unsupportedFormat : .malformedMessage)
            ]
    }

    // MARK: - Dialects

    private static let other = "\"AQIDBAUG\""

    private static let dialects: [MessageCase] = [
        .refused("an empty object", "{}"),
        .refused("fields of no dialect", #"{"hello":"world"}"#),
        .refused("Capgo with client data", capgo.with("clientData", other).json),
        .refused("Capgo with a client data hash", capgo.with("clientDataHash", other).json),
        .refused("Capgo with challenge and payload", capgo.with("payload", other).json),
        .refused("Capgo with the statement", capgo.with("attestationStatement", other).json),
        .refused("Capgo with an artifact", capgo.with("artifact", other).json),
        .refused("Capgo with the alias of the other kind", capgo.with("assertion", other).json),
        .refused(
            "Capgo with an alias that is not the token", capgo.with("attestation", other).json,
            schema: .silent),
        .refused("Capgo on android", capgo.with("platform", "\"android\"").json),
        .refused("App Check with client data", appCheck.with("clientData", other).json),
        .refused("App Check with an attestation", appCheck.with("attestation", other).json),
        .refused("App Check with an assertion", appCheck.with("assertion", other).json),
        .refused("App Check with a payload", appCheck.with("payload", other).json),
        .refused("App Check with a key id in both spellings", appCheck.with("key_id", other).json),
        .refused(
            "App Check with the statement in both spellings",
            appCheck.with("attestation_statement", Sample.objectText).json),
        .refused("App Check with limitedUse as text", appCheck.with("limitedUse", "\"no\"").json),
        .refused(
            "App Check with limited use in both spellings",
            appCheck.with("limited_use", "true").json),
        .refused("plain with limitedUse as a number", plain.with("limitedUse", "1").json),
        .refused("App Check with artifact and statement", appCheck.with("artifact", other).json),
        .refused("plain with attestation and assertion", plain.with("assertion", other).json),
        .refused("plain with client data and hash", plain.with("clientDataHash", other).json),
        .refused("plain with a challenge", plain.with("challenge", other).json),
        .refused("plain with a payload", plain.with("payload", other).json),
        .refused("plain with the snake-case key id", plain.with("key_id", Sample.keyText).json),
    ]

    private static let formats: [MessageCase] = [
        .refused(
            "an artifact that no worker made",
            Sample.appCheckAssertion.with("artifact", "\"YXJ0aWZhY3Q=\"").json,
            .artifactInvalid),
        .refused(
            "the key id of another key than the artifact's",
            Sample.appCheckAssertion.with("keyId", Sample.quoted(Base64.encode(Sample.keyBytes)))
                .json, schema: .silent),
        .refused(
            "an App Check assertion whose limitedUse is a text",
            Sample.appCheckAssertion.with("limitedUse", "\"true\"").json),
        .refused(
            "a Play Integrity token",
            capgo.with("platform", "\"android\"")
                .with("format", "\"google-play-integrity-standard\"")
                .with("keyId", "\"android-standard-integrity\"").json, .unsupportedFormat),
        .refused(
            "the plugin's web fallback",
            Members([("platform", "\"web\""), ("format", "\"web-fallback\"")]).json,
            .unsupportedFormat),
        .refused(
            "another format in the plain dialect", plain.with("format", "\"packed\"").json,
            .unsupportedFormat),
    ]

    // MARK: - Texts

    private static let texts: [MessageCase] =
        ["requestId", "appId", "subject"].flatMap { name in
            [
                ("as a number", "7"), ("as an object", "{}"), ("empty", "\"\""),
                ("with NUL", #""a\u0000b""#), ("with a line break", #""a\nb""#),
                ("with DEL", "\"a\u{7F}b\""), ("with a C1 control", "\"a\u{9F}b\""),
                ("too long", Sample.quoted(String(repeating: "x", count: 257))),
            ].map { what, json in .refused("\(name) \(what)", plain.with(name, json).json) }
        } + [
            .refused(
                "requestId of 129 bytes",
                plain.with("requestId", Sample.quoted(String(repeating: "x", count: 129))).json)
        ]

    private static let lengths: [MessageCase] =
        [
            ("with white space", "AQ ID"), ("with a line break", #"AQ\nID"#),
            ("with stray bits", "AR"),
            ("padded too far", "AQID="), ("padded too little", "AQ="), ("of one character", "A"),
            ("in both alphabets", "+_AA"), ("not base64", "A*ID"),
        ].map { what, text in
            .refused(
                "client data \(what)", plain.with("clientData", Sample.quoted(text)).json,
                schema: ["stray bits", "both"].contains { what.contains($0) } ? .silent : .invalid)
        } + [
            .refused("a key id of 31 bytes", plain.with("keyId", long(31)).json),
            .refused("a key id of 33 bytes", plain.with("keyId", long(33)).json),
            .refused(
                "a client data hash of 1,025 bytes",
                Sample.plainAssertion.with("clientDataHash", long(1025)).json, schema: .silent),
            .refused("an object over the limit", plain.with("attestation", long(65539)).json),
            .refused("client data over the limit", plain.with("clientData", long(65539)).json),
            .refused(
                "a challenge over the limit",
                capgo.with("challenge", Sample.quoted(String(repeating: "x", count: 65537))).json),
        ]

    private static func long(_ bytes: Int) -> String {
        Sample.quoted(Base64.encode([UInt8](repeating: 9, count: bytes)))
    }

    // MARK: - Flaws

    private static let flaws: [MessageCase] = [
        .refused(
            "a challenge that occurs twice",
            capgo.adding("challenge", "\"another\"").json, schema: .silent),
        .refused(
            "a field that occurs twice with equal values", plain.adding("clientData", other).json,
            schema: .silent),
        .refused(
            "twins of which one is escaped", plain.adding(#"client\u0044ata"#, other).json,
            schema: .silent),
        .refused(
            "twins in an unknown field", plain.with("x", #"[{"y":1,"y":1}]"#).json,
            schema: .silent),
        .refused(
            "33 levels", plain.with("x", nested(32)).json, schema: .silent),
        .refused(
            "60,000 levels", plain.with("x", nested(60_000)).json, schema: .silent),
        .refused(
            "half a surrogate pair", plain.with("x", #""\ud83d""#).json, schema: .silent),
        .refused(
            "surrogates in the wrong order", plain.with("x", #""\ude00\ud83d""#).json,
            schema: .silent),
        .refused(
            "a name with half a surrogate pair", plain.adding(#"\udc00"#, "1").json,
            schema: .silent),
        .refused(
            "a high surrogate before another escape",
            plain.with("subject", #""\ud83d\u0041""#).json,
            schema: .silent),
    ]

    private static func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    // MARK: - Envelopes

    private static let envelopes: [MessageCase] = [
        .refused(
            "an event's id that is not the request id", plain.with("requestId", "\"a\"").json,
            headers: [Header(name: "ce_id", text: "b")], schema: .silent),
        .refused(
            "two event ids that differ", plain.json,
            headers: [Header(name: "ce_id", text: "a"), Header(name: "ce_id", text: "b")],
            schema: .silent),
        .refused(
            "an event's id that is not UTF-8", plain.json,
            headers: [Header(name: "ce_id", value: [0xFF])], schema: .silent),
        .refused(
            "an empty event's id", plain.json, headers: [Header(name: "ce_id", text: "")],
            schema: .silent),
        .refused(
            "a type of the other kind", plain.json,
            headers: [Header(name: "ce_type", text: "attest.assertion.requested.v1")],
            schema: .silent),
        .refused(
            "two types", plain.json,
            headers: [
                Header(name: "ce_type", text: "attest.registration.requested.v1"),
                Header(name: "ce_type", text: "attest.assertion.requested.v1"),
            ], schema: .silent),
        .refused(
            "a structured event around an empty object", Structured.event.with("data", "{}").json,
            headers: Structured.headers),
        .refused(
            "a structured event of the other kind",
            Structured.event.with("type", "\"attest.assertion.requested.v1\"")
                .with("data", plain.json).json, headers: Structured.headers, schema: .silent),
        .refused(
            "a structured event's id that is too long",
            Structured.event.with("id", Sample.quoted(String(repeating: "i", count: 129)))
                .with("data", plain.json).json, headers: Structured.headers),
        .refused(
            "a structured event with its id twice",
            Structured.event.adding("id", "\"b\"").with("data", plain.json).json,
            headers: Structured.headers, schema: .silent),
        .refused(
            "twins inside a structured event's data",
            Structured.event.with("data", plain.adding("clientData", other).json).json,
            headers: Structured.headers, schema: .silent),
        .refused(
            "twins inside data_base64",
            Structured.event.with(
                "data_base64",
                Sample.quoted(Base64.encode(Array(plain.adding("keyId", other).json.utf8)))
            ).json, headers: Structured.headers, schema: .silent),
    ]
}
