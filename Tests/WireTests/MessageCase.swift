import AppAttest
import LibCrypto
import Testing
import Wire

/// One record and what must become of it; the schema tests take the same list.
struct MessageCase: Sendable, CustomTestStringConvertible {
    /// What must become of it.
    enum Expectation: Sendable {
        case request(Request)
        case refused(WorkerReason)
        case unreadable(UnreadableRecord)
    }

    /// What the schema must say of the same bytes.
    enum Schema: Sendable {
        case valid
        case invalid
        /// The schema can't tell: the fault is not in the value, or not in its structure.
        case silent
    }

    let name: String
    let value: [UInt8]?
    var headers: [Header] = []
    let expectation: Expectation
    var schema: Schema = .silent

    var testDescription: String { name }

    /// Whether the headers say that the value is a whole event.
    var isStructured: Bool {
        headers.contains { header in
            header.name == "content-type"
                && String(decoding: header.value ?? [], as: UTF8.self).lowercased()
                    .contains("cloudevents+json")
        }
    }

    /// What the code makes of it.
    var decoded: DecodedRecord {
        RequestMessage.decode(value: value, headers: headers, limits: MessageLimits())
    }

    /// A record that holds a request.
    static func accepted(
        _ name: String, _ value: String, headers: [Header] = [], _ request: Request
    ) -> MessageCase {
        MessageCase(
            name: name, value: Array(value.utf8), headers: headers, expectation: .request(request),
            schema: .valid)
    }

    /// A record that is answered with a refusal.
    static func refused(
        _ name: String, _ value: String, headers: [Header] = [],
        _ reason: WorkerReason = .malformedMessage, schema: Schema = .invalid
    ) -> MessageCase {
        MessageCase(
            name: name, value: Array(value.utf8), headers: headers, expectation: .refused(reason),
            schema: schema)
    }

    /// A record that can't be answered.
    static func unreadable(
        _ name: String, _ value: String, headers: [Header] = [], _ why: UnreadableRecord,
        schema: Schema = .silent
    ) -> MessageCase {
        MessageCase(
            name: name, value: Array(value.utf8), headers: headers, expectation: .unreadable(why),
            schema: schema)
    }
}

/// Members of a JSON object as text, so that tests can write what no encoder would.
struct Members: Sendable {
    private var members: [(name: String, json: String)]

    init(_ members: [(String, String)]) {
        self.members = members
    }

    /// The object's text.
    var json: String {
        "{" + members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
    }

    /// The same with other JSON under a name; added at the end where it was not there.
    func with(_ name: String, _ json: String) -> Members {
        var copy = self
        guard let position = members.firstIndex(where: { $0.name == name }) else {
            copy.members.append((name, json))
            return copy
        }
        copy.members[position].json = json
        return copy
    }

    /// The same with one more member, though the name may be taken.
    func adding(_ name: String, _ json: String) -> Members {
        Members(members.map { ($0.name, $0.json) } + [(name, json)])
    }

    /// The same without a name.
    func without(_ name: String) -> Members {
        Members(members.filter { $0.name != name }.map { ($0.name, $0.json) })
    }
}

/// The values that the tests' messages share.
enum Sample {
    static let keyBytes = (0..<32).map { UInt8(200 + $0) }
    static let keyID = KeyID(SHA256.hash([1, 2, 3]))
    static let keyText = quoted(keyID.text)
    /// Not CBOR: this target does not look inside.
    static let object: [UInt8] = (0..<48).map { UInt8($0 * 5) }
    static let objectText = quoted(Base64.encode(object))
    static let requestID = RequestID("req-7f3a")

    static let capgoRegistration = Members([
        ("platform", "\"ios\""), ("format", "\"apple-app-attest\""), ("keyId", keyText),
        ("challenge", "\"c2VydmVyLWNoYWxsZW5nZQ==\""), ("token", objectText),
    ])
    static let capgoAssertion = Members([
        ("platform", "\"ios\""), ("format", "\"apple-app-attest\""), ("keyId", keyText),
        ("payload", #""{\"amount\":\"5 €\"}""#), ("token", objectText),
    ])
    static let appCheckRegistration = Members([
        ("keyId", keyText), ("attestationStatement", objectText),
        ("challenge", "\"c2VydmVyLWNoYWxsZW5nZQ==\""), ("limitedUse", "false"),
    ])
    static let appCheckAssertion = Members([
        ("artifact", quoted(Base64.encode(artifact))), ("assertion", objectText),
        ("challenge", "\"c2VydmVyLWNoYWxsZW5nZQ==\""), ("limitedUse", "false"),
    ])
    /// An artifact of the sample key by its form; no secret made it.
    static let artifact =
        [1] + keyID.digest.bytes + [UInt8](repeating: 9, count: 72)
    static let plainRegistration = Members([
        ("keyId", keyText), ("attestation", objectText), ("clientData", "\"AQID\""),
    ])
    static let plainAssertion = Members([
        ("keyId", keyText), ("assertion", objectText), ("clientDataHash", "\"AQID\""),
    ])

    /// A request of the sample key and object.
    static func request(
        _ kind: RequestKind, _ clientDataHash: ClientDataHash?, requestID: RequestID? = nil,
        appID: String? = nil, subject: String? = nil
    ) -> Request {
        guard let clientDataHash else { preconditionFailure("the tests' hashes are in bounds") }
        return Request(
            requestID: requestID, kind: kind, keyID: keyID, object: object,
            clientDataHash: clientDataHash, appID: appID, subject: subject)
    }

    /// A text as JSON; only for texts that need no escapes.
    static func quoted(_ text: String) -> String {
        "\"\(text)\""
    }
}
