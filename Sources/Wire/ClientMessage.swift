package import AppAttest

/// What a phone or a backend says to a gateway, in the JSON of its own contract.
///
/// A gateway passes it on: the fields that its contract has, and no others, so that nobody slips in
/// a request id, an app or an owner that is the gateway's to tell. It judges no more than whether
/// there is something to pass on: what a worker would call malformed.
package struct ClientMessage: Sendable {
    /// Which fields there must be, and what is asked of a worker with them.
    package enum Form: Hashable, Sendable, CaseIterable {
        /// App Check's `generateAppAttestChallenge`: no fields; the body may be empty.
        case challenge
        /// App Check's `exchangeAppAttestAttestation`.
        case attestation
        /// App Check's `exchangeAppAttestAssertion`.
        case assertion
        /// App Check's `verifyAppCheckToken`.
        case token
        /// Capgo: `appId` and `purpose`, both optional; the body may be empty.
        case plainChallenge
        /// Capgo's plugin: what `createAttestation` gives.
        case capgoRegistration
        /// Capgo's plugin: what `createAssertion` gives.
        case capgoAssertion
    }

    /// The body can't be passed on.
    package struct Problem: Error, Hashable, Sendable {
        /// One phrase that names fields of the contract, never anything of the body.
        package let detail: String
    }

    private enum Value {
        case text(String)
        case flag(Bool)
    }

    /// The key that the request speaks of; nil where it names none, or none that could be.
    package private(set) var keyID: KeyID?
    /// The app that the message names, where its contract has such a field.
    package private(set) var appID: String?
    /// The owner that the message names; only backends are believed.
    package private(set) var subject: String?
    private var members: [(name: String, value: Value)] = []

    /// The most bytes of a token.
    package static let tokenBytesMax = 16 * 1024

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - body: what came over HTTP.
    ///   - form: what the path says that it is.
    ///   - limits: as the workers have them.
    /// - Throws: where the body is no JSON object in UTF-8, or its fields are not the contract's.
    package init(
        _ body: [UInt8], form: Form, limits: MessageLimits = MessageLimits()
    ) throws(Problem) {
        let mayBeEmpty = form == .challenge || form == .plainChallenge
        let bytes = body.isEmpty && mayBeEmpty ? Array("{}".utf8) : body
        guard let object = try? JSONObjectText(bytes, depthMax: limits.depthMax) else {
            throw Problem(detail: "the body is not a JSON object in UTF-8")
        }
        if let flaw = object.flaw { throw Problem(detail: flaw.detail) }
        do throws(RequestProblem) {
            try read(RequestFields(object), form, limits)
        } catch {
            throw Problem(detail: error.detail)
        }
    }

    /// The value of the record that passes it on.
    ///
    /// - Parameters:
    ///   - requestID: the gateway's.
    ///   - appID: the app that the path names; nil where it names none.
    ///   - audience: for whom a token must be, by the path; nil where it names none.
    ///   - takesSubject: whether the caller may say whose key it is.
    /// - Returns: one JSON object, in the spelling of the request schema.
    package func recordValue(
        requestID: RequestID, appID: String?, audience: String? = nil, takesSubject: Bool
    ) -> [UInt8] {
        var object = JSONWriter()
        object.add("requestId", requestID.text)
        object.add("appId", appID)
        object.add("audience", audience)
        if takesSubject { object.add("subject", subject) }
        for member in members {
            switch member.value {
            case .text(let text): object.add(member.name, text)
            case .flag(let flag): object.add(member.name, flag)
            }
        }
        return object.close()
    }

    // MARK: Forms

    private mutating func read(
        _ fields: RequestFields, _ form: Form, _ limits: MessageLimits
    ) throws(RequestProblem) {
        switch form {
        case .challenge:
            // The contract wants no fields; what is there says nothing.
            members = [("type", .text(RequestKind.challenge.rawValue))]
        case .plainChallenge: try readPlainChallenge(fields)
        case .attestation:
            try readKeyID(fields, "keyId", "key_id")
            try copy(
                fields, "attestationStatement", or: "attestation_statement", limits.objectBytesMax)
            try readChallengeAndUse(fields, limits)
        case .assertion:
            try readArtifact(fields, limits)
            try copy(fields, "assertion", or: nil, limits.objectBytesMax)
            try readChallengeAndUse(fields, limits)
        case .token:
            let name = try spelling(fields, "appCheckToken", "app_check_token")
            let token = try fields.requiredText(name)
            guard token.utf8.count <= Self.tokenBytesMax else {
                throw .malformed("\(name) is too long")
            }
            members = [("type", .text("consume")), ("token", .text(token))]
        case .capgoRegistration: try readCapgo(fields, "challenge", limits)
        case .capgoAssertion: try readCapgo(fields, "payload", limits)
        }
    }

    private mutating func readPlainChallenge(_ fields: RequestFields) throws(RequestProblem) {
        members = [("type", .text(RequestKind.challenge.rawValue))]
        appID = try fields.label("appId")
        guard let purpose = try fields.text("purpose") else { return }
        guard ["registration", "assertion", "any"].contains(purpose) else {
            throw .malformed("purpose is not registration, assertion or any")
        }
        members.append(("purpose", .text(purpose)))
    }

    private mutating func readCapgo(
        _ fields: RequestFields, _ clientData: String, _ limits: MessageLimits
    ) throws(RequestProblem) {
        try readKeyID(fields, "keyId", nil)
        appID = try fields.label("appId")
        subject = try fields.label("subject")
        for name in ["platform", "format"] as [String] {
            members.append((name, .text(try fields.requiredText(name.description))))
        }
        try copy(fields, "token", or: nil, limits.objectBytesMax)
        let text = try fields.requiredText(clientData.description)
        guard text.utf8.count <= limits.clientDataBytesMax else {
            throw .malformed("\(clientData) is too long")
        }
        members.append((clientData, .text(text)))
        try readUse(fields)
    }

    // MARK: Fields

    /// The one of two spellings that is there; the first where neither is.
    private func spelling(
        _ fields: RequestFields, _ camel: String, _ snake: String
    ) throws(RequestProblem) -> String {
        guard fields.has(snake) else { return camel }
        guard !fields.has(camel) else {
            throw .malformed("\(camel) is given in both spellings")
        }
        return snake
    }

    private mutating func readKeyID(
        _ fields: RequestFields, _ camel: String, _ snake: String?
    ) throws(RequestProblem) {
        let name =
            try snake.map { snake throws(RequestProblem) in
                try spelling(fields, camel, snake)
            } ?? camel
        let keyID = try fields.keyID(name)
        self.keyID = keyID
        members.append(("keyId", .text(keyID.text)))
    }

    /// The artifact names the key.
    ///
    /// One that is none of ours has a worker's refusal to wait for,
    /// which tells the app to attest anew: it may come from another server.
    private mutating func readArtifact(
        _ fields: RequestFields, _ limits: MessageLimits
    ) throws(RequestProblem) {
        let artifact = try fields.bytes("artifact", bytesMax: limits.objectBytesMax)
        keyID = Artifact.claimedKeyID(in: artifact)
        members.append(("artifact", .text(Base64.encode(artifact))))
    }

    private mutating func readChallengeAndUse(
        _ fields: RequestFields, _ limits: MessageLimits
    ) throws(RequestProblem) {
        try copy(fields, "challenge", or: nil, limits.clientDataBytesMax)
        try readUse(fields)
    }

    /// Whether the token that is asked for shall be good for one call.
    private mutating func readUse(_ fields: RequestFields) throws(RequestProblem) {
        guard try fields.flag("limitedUse", orSpelled: "limited_use") else { return }
        members.append(("limitedUse", .flag(true)))
    }

    /// Takes over bytes, as base64 in the standard alphabet.
    private mutating func copy(
        _ fields: RequestFields, _ name: String, or snake: String?, _ bytesMax: Int
    ) throws(RequestProblem) {
        let found =
            try snake.map { snake throws(RequestProblem) in
                try spelling(fields, name.description, snake)
            } ?? name.description
        let bytes = try fields.bytes(found, bytesMax: bytesMax)
        members.append((name, .text(Base64.encode(bytes))))
    }
}
