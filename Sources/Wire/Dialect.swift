internal import AppAttest

/// One of the ways to write a request, told by the fields it has.
///
/// Whoever checks the freshness of a challenge and whoever verifies it must read the same bytes. So
/// a message in which two fields could be the client data, or two the object, is refused.
enum Dialect: Hashable, Sendable, CaseIterable {
    /// `@capgo/capacitor-app-attest`: `token`, and `challenge` or `payload`, hashed as text.
    case capgo
    /// Firebase App Check: `attestationStatement` or `artifact`, and `challenge` in base64.
    case appCheck
    /// Our own: `attestation` or `assertion`, and `clientData` or `clientDataHash`.
    case plain

    /// What a dialect says: everything but the optional fields that all have.
    struct Content {
        /// Registration or assertion.
        let kind: RequestKind
        /// The key.
        let keyID: KeyID
        /// The object, CBOR.
        let object: [UInt8]
        /// What the app gave to the device.
        let clientDataHash: ClientDataHash
        /// The bytes in which the challenge is looked for; nil where only their hash is told.
        var clientData: [UInt8]?
        /// The artifact of an App Check assertion.
        var artifact: [UInt8]?
    }

    /// Tells the dialect.
    ///
    /// - Throws: where no dialect, or more than one, has such fields.
    init(of fields: RequestFields) throws(RequestProblem) {
        let isCapgo = fields.has("token")
        let isAppCheck = ["attestationStatement", "attestation_statement", "artifact"]
            .contains(where: fields.has)
        let isPlain = ["clientData", "clientDataHash"].contains(where: fields.has)
        switch (isCapgo, isAppCheck, isPlain) {
        case (true, false, false): self = .capgo
        case (false, true, false): self = .appCheck
        case (false, false, true): self = .plain
        case (false, false, false):
            throw .malformed(
                "neither token, clientData, clientDataHash nor attestationStatement is there")
        default:
            throw .malformed("the fields are those of more than one dialect")
        }
    }

    /// Reads what the message says in this dialect.
    ///
    /// - Throws: where a field is missing, broken, or one too many; and for what this version can't
    ///   judge.
    func content(
        _ fields: RequestFields, limits: MessageLimits
    ) throws(RequestProblem) -> Content {
        switch self {
        case .capgo: try Self.capgo(fields, limits: limits)
        case .appCheck: try Self.appCheck(fields, limits: limits)
        case .plain: try Self.plain(fields, limits: limits)
        }
    }

    /// Older names of the plugin's methods repeat the token as `attestation` or `assertion`.
    private static func capgo(
        _ fields: RequestFields, limits: MessageLimits
    ) throws(RequestProblem) -> Content {
        guard try fields.requiredText("platform") == "ios" else {
            throw .malformed("platform is not ios")
        }
        _ = try fields.requiredText("format")
        let kind: RequestKind = fields.has("payload") ? .assertion : .registration
        let (clientData, alias, others) =
            kind == .registration
            ? ("challenge", "attestation", ["assertion"])
            : ("payload", "assertion", ["challenge", "attestation"])
        try fields.refuse(others + ["key_id"])
        let object = try fields.bytes("token", bytesMax: limits.objectBytesMax)
        if fields.has(alias), try fields.bytes(alias, bytesMax: limits.objectBytesMax) != object {
            throw .malformed("\(alias) is not the token")
        }
        let text = Array(try fields.requiredText(clientData).utf8)
        guard text.count <= limits.clientDataBytesMax else {
            throw .malformed("\(clientData) is too long")
        }
        return Content(
            kind: kind, keyID: try fields.keyID("keyId"), object: object,
            clientDataHash: ClientDataHash(hashing: text), clientData: text)
    }

    private static func appCheck(
        _ fields: RequestFields, limits: MessageLimits
    ) throws(RequestProblem) -> Content {
        let spellings = [
            ("attestationStatement", "attestation_statement"), ("keyId", "key_id"),
        ]
        for (camel, snake) in spellings where fields.has(camel) && fields.has(snake) {
            throw .malformed("\(camel) is given in both spellings")
        }
        func spelled(_ camel: String, _ snake: String) -> String {
            fields.has(snake) ? snake : camel
        }
        let statement = spelled("attestationStatement", "attestation_statement")
        if fields.has("artifact") {
            try fields.refuse([statement, "attestation", "payload"])
            return try appCheckAssertion(
                fields, keyIDName: spelled("keyId", "key_id"), limits: limits)
        }
        try fields.refuse(["attestation", "assertion", "payload"])
        let challenge = try fields.bytes("challenge", bytesMax: limits.clientDataBytesMax)
        return Content(
            kind: .registration, keyID: try fields.keyID(spelled("keyId", "key_id")),
            object: try fields.bytes(statement, bytesMax: limits.objectBytesMax),
            clientDataHash: ClientDataHash(hashing: challenge), clientData: challenge)
    }

    /// The artifact tells the key; a key id beside it, which the contract has not, must agree.
    private static func appCheckAssertion(
        _ fields: RequestFields, keyIDName: String, limits: MessageLimits
    ) throws(RequestProblem) -> Content {
        let artifact = try fields.bytes("artifact", bytesMax: limits.objectBytesMax)
        let object = try fields.bytes("assertion", bytesMax: limits.objectBytesMax)
        let challenge = try fields.bytes("challenge", bytesMax: limits.clientDataBytesMax)
        guard let keyID = Artifact.claimedKeyID(in: artifact) else {
            throw .foreignArtifact("the artifact is none of this kind")
        }
        if fields.has(keyIDName), try fields.keyID(keyIDName) != keyID {
            throw .malformed("\(keyIDName) is not the key of the artifact")
        }
        return Content(
            kind: .assertion, keyID: keyID, object: object,
            clientDataHash: ClientDataHash(hashing: artifact + challenge), clientData: challenge,
            artifact: artifact)
    }

    private static func plain(
        _ fields: RequestFields, limits: MessageLimits
    ) throws(RequestProblem) -> Content {
        let kind: RequestKind = fields.has("assertion") ? .assertion : .registration
        try fields.refuse(kind == .assertion ? ["attestation"] : [])
        try fields.refuse(["challenge", "payload", "key_id"])
        let object = try fields.bytes(
            kind == .assertion ? "assertion" : "attestation", bytesMax: limits.objectBytesMax)
        let keyID = try fields.keyID("keyId")
        guard fields.has("clientDataHash") else {
            let clientData = try fields.bytes("clientData", bytesMax: limits.clientDataBytesMax)
            return Content(
                kind: kind, keyID: keyID, object: object,
                clientDataHash: ClientDataHash(hashing: clientData), clientData: clientData)
        }
        return Content(
            kind: kind, keyID: keyID, object: object, clientDataHash: try clientDataHash(fields))
    }

    private static func clientDataHash(
        _ fields: RequestFields
    ) throws(RequestProblem) -> ClientDataHash {
        try fields.refuse(["clientData"])
        let bytes = try fields.bytes("clientDataHash", bytesMax: ClientDataHash.bytesMax)
        guard let hash = ClientDataHash(exactly: bytes) else {
            throw .malformed("clientDataHash is empty or too long")
        }
        return hash
    }
}
