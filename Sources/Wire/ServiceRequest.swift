package import AppAttest
package import LibCrypto

/// What is asked of the worker itself: no device's object is judged.
package struct ServiceRequest: Hashable, Sendable {
    /// What is asked for.
    package enum Content: Hashable, Sendable {
        /// A challenge for an app.
        case challenge(appID: String, purpose: SignedChallenge.Purpose)
        /// To use up a token for limited use; where an app is named, it is that app's, and where an
        /// audience is named, it is for that one.
        case consume(token: String, appID: String?, audience: String?)
    }

    /// The most bytes of a token.
    package static let tokenBytesMax = 8192

    /// The gateway's id; nil when it sent none, and then the record's place identifies the request.
    package let requestID: RequestID?
    /// What is asked for.
    package let content: Content

    /// A request from its parts.
    package init(requestID: RequestID?, content: Content) {
        self.requestID = requestID
        self.content = content
    }

    /// Which kind it is.
    package var kind: RequestKind {
        switch content {
        case .challenge: .challenge
        case .consume: .consume
        }
    }

    /// SHA-256 over what is asked for, each part with its length before it.
    package var digest: Digest32 {
        switch content {
        case .challenge(let appID, let purpose):
            Request.digest(kind, [Array(appID.utf8), [purpose.rawValue]])
        case .consume(let token, let appID, let audience):
            // Without an audience it is what versions that knew none have stored.
            Request.digest(
                kind,
                [Array(token.utf8), appID.map { Array($0.utf8) } ?? []]
                    + (audience.map { [Array($0.utf8)] } ?? []))
        }
    }

    /// Reads a message that says in its field `type` that it is one of these; nil where it does
    /// not, and then it is of a dialect.
    init?(_ fields: RequestFields, requestID: RequestID?) throws(RequestProblem) {
        guard let kind = Self.kind(fields) else { return nil }
        try fields.refuse([
            "attestation", "assertion", "attestationStatement", "attestation_statement",
            "artifact", "clientData", "clientDataHash", "challenge", "payload", "keyId", "key_id",
        ])
        switch kind {
        case .registration, .assertion: return nil
        case .challenge:
            try fields.refuse(["token"])
            guard let appID = try fields.label("appId") else {
                throw .malformed("appId is missing: a challenge is for one app")
            }
            guard let purpose = Self.purposes[try fields.text("purpose") ?? "any"] else {
                throw .malformed("purpose is not registration, assertion or any")
            }
            self.init(requestID: requestID, content: .challenge(appID: appID, purpose: purpose))
        case .consume:
            let token = try fields.requiredText("token")
            guard token.utf8.count <= Self.tokenBytesMax else {
                throw .malformed("token is too long")
            }
            self.init(
                requestID: requestID,
                content: .consume(
                    token: token, appID: try fields.label("appId"),
                    audience: try fields.label("audience")))
        }
    }

    /// The kind that the field `type` names, of those that are of no dialect.
    static func kind(_ fields: RequestFields) -> RequestKind? {
        guard let name = try? fields.text("type"), let kind = RequestKind(rawValue: name) else {
            return nil
        }
        switch kind {
        case .challenge, .consume: return kind
        case .registration, .assertion: return nil
        }
    }

    private static let purposes: [String: SignedChallenge.Purpose] = [
        "registration": .registration, "assertion": .assertion, "any": .any,
    ]
}
