import Wire

/// Records that hold no object: each becomes a dead letter.
enum UnreadableMessages {
    static let all = values + syntax + envelopes

    private static let plain = Sample.plainRegistration.json

    private static let values: [MessageCase] = [
        MessageCase(name: "a null value", value: nil, expectation: .unreadable(.emptyValue)),
        .unreadable("an empty value", "", .emptyValue),
        .unreadable(
            "a value of 256 KiB and a byte", String(repeating: " ", count: 256 * 1024 - 1) + "{}",
            .valueTooLarge),
        .unreadable("a value of 1 MiB", String(repeating: "x", count: 1 << 20), .valueTooLarge),
        MessageCase(
            name: "bytes that are not UTF-8",
            value: Array(#"{"x":""#.utf8) + [0xC3, 0x28, 0x22, 0x7D],
            expectation: .unreadable(.notAJSONObject)),
        MessageCase(
            name: "an encoded surrogate",
            value: Array(#"{"x":""#.utf8) + [0xED, 0xA0, 0x80, 0x22, 0x7D],
            expectation: .unreadable(.notAJSONObject)),
        MessageCase(
            name: "UTF-16", value: plain.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            expectation: .unreadable(.notAJSONObject)),
        MessageCase(
            name: "CBOR", value: [0xA1, 0x61, 0x78, 0x01], expectation: .unreadable(.notAJSONObject)
        ),
        .unreadable("a byte order mark", "\u{FEFF}" + plain, .notAJSONObject),
        .unreadable("an array", "[\(plain)]", .notAJSONObject, schema: .invalid),
        .unreadable("a string", "\"x\"", .notAJSONObject, schema: .invalid),
        .unreadable("null", "null", .notAJSONObject, schema: .invalid),
    ]

    private static let syntax: [MessageCase] = [
        "white space alone": " \n ",
        "a comma before the closing brace": #"{"x":1,}"#,
        "a comma before the closing bracket": #"{"x":[1,]}"#,
        "a comma alone": "{,}",
        "no comma": #"{"x":1 "y":2}"#,
        "no colon": #"{"x" 1}"#,
        "no value": #"{"x":}"#,
        "no name": "{1:2}",
        "an unquoted name": "{x:1}",
        "single quotes": "{'x':1}",
        "an unclosed object": #"{"x":1"#,
        "an unclosed string": #"{"x":"y"#,
        "an unclosed array": #"{"x":[1}"#,
        "a bracket that closes a brace": #"{"x":1]"#,
        "two objects": "{}{}",
        "text after the object": "{} x",
        "a comment": "{/* x */}",
        "a number with a leading zero": #"{"x":01}"#,
        "a number with a plus": #"{"x":+1}"#,
        "a number that ends in a point": #"{"x":1.}"#,
        "a number that begins with a point": #"{"x":.5}"#,
        "a number without exponent": #"{"x":1e}"#,
        "a minus alone": #"{"x":-}"#,
        "two minuses": #"{"x":--1}"#,
        "a hexadecimal number": #"{"x":0x1}"#,
        "NaN": #"{"x":NaN}"#,
        "a half literal": #"{"x":tru}"#,
        "a literal in capitals": #"{"x":True}"#,
        "a literal that runs on": #"{"x":nullx}"#,
        "an unknown escape": #"{"x":"\x41"}"#,
        "a short escape": #"{"x":"\u12"}"#,
        "an escape of other digits": #"{"x":"\u12G4"}"#,
        "a short escape after a high surrogate": #"{"x":"\ud83d\u1"}"#,
        "a raw line break in a string": "{\"x\":\"a\nb\"}",
        "a raw NUL in a string": "{\"x\":\"a\u{0}b\"}",
        "a NUL after the object": "{}\u{0}",
        "a no-break space between tokens": "{\u{A0}}",
    ].map { name, value in .unreadable(name, value, .notAJSONObject) }

    private static let structured = Structured.event.with("data", plain)

    private static let envelopes: [MessageCase] =
        [
            .unreadable(
                "binary mode of another version", plain,
                headers: [Header(name: "ce_specversion", text: "0.3")], .unreadableEnvelope),
            .unreadable(
                "binary mode of two versions", plain,
                headers: [
                    Header(name: "ce_specversion", text: "1.0"),
                    Header(name: "ce_specversion", text: "2.0"),
                ], .unreadableEnvelope),
            .unreadable(
                "a request of the next major version", plain,
                headers: [Header(name: "ce_type", text: "attest.registration.requested.v2")],
                .unreadableEnvelope),
            .unreadable(
                "a batch of events", "[\(structured.json)]",
                headers: [Header(name: "content-type", text: "application/cloudevents-batch+json")],
                .notAJSONObject),
            .unreadable(
                "an event in another format", plain,
                headers: [Header(name: "content-type", text: "application/cloudevents+avro")],
                .unreadableEnvelope),
            .unreadable(
                "a structured event of the next major version",
                structured.with("type", "\"attest.registration.requested.v2\"").json,
                headers: Structured.headers, .unreadableEnvelope, schema: .invalid),
            .unreadable(
                "a structured event with a byte order mark in data_base64",
                Structured.event.with(
                    "data_base64",
                    Sample.quoted(Base64.encode([0xEF, 0xBB, 0xBF] + Array(plain.utf8)))
                ).json, headers: Structured.headers, .notAJSONObject),
        ]
        + ([
            ("of version 0.3", structured.with("specversion", "\"0.3\"")),
            ("without version", structured.without("specversion")),
            ("without id", structured.without("id")),
            ("with a number as id", structured.with("id", "7")),
            ("without source", structured.without("source")),
            ("without type", structured.without("type")),
            ("without data", Structured.event),
            ("with null as data", Structured.event.with("data", "null")),
            ("with text as data", Structured.event.with("data", "\"x\"")),
            ("with both kinds of data", structured.with("data_base64", "\"e30=\"")),
            ("with broken data_base64", Structured.event.with("data_base64", "\"e3 0=\"")),
        ] as [(String, Members)]).map { what, event in
            .unreadable(
                "a structured event \(what)", event.json, headers: Structured.headers,
                .unreadableEnvelope, schema: .invalid)
        }
}
