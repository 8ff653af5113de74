internal import FoundationEssentials

/// What a gateway reads in a verdict: what its callers are told.
///
/// The reply topic is written by workers only, so this is no judge; what can't be read is nobody's
/// answer.
package struct ReplyVerdict: Hashable, Sendable {
    /// A token of App Check's contract.
    package struct Token: Hashable, Sendable, Decodable {
        /// The JSON Web Token.
        package let token: String
        /// For how long it is good: decimal seconds and an `s`.
        package let ttl: String
    }

    /// The request it answers.
    package let requestID: RequestID
    /// Why it was rejected; nil where it was accepted.
    package let reason: String?
    /// Whether the same object, sent again, may be accepted.
    package let isRetryable: Bool
    /// The key, in base64.
    package let keyID: String?
    /// On registrations: whether the key was known before.
    package let reattested: Bool?
    /// On App Check's registrations: the artifact, in base64.
    package let artifact: String?
    /// On challenges: the challenge, in base64.
    package let challenge: String?
    /// For how long the challenge, or the token beside it, is good.
    package let ttl: String?
    /// On App Check's assertions: the token.
    package let token: String?
    /// On App Check's registrations: the token.
    package let appCheckToken: Token?
    /// On tokens that were consumed before: true.
    package let alreadyConsumed: Bool?

    /// Reads a record's value; nil where it is no verdict that answers a request by its id.
    package init?(value: [UInt8]?) {
        guard let value, value.count <= TopicVerdict.valueBytesMax,
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(value)),
            let requestID = fields.requestId.flatMap({ RequestID($0) })
        else { return nil }
        switch (fields.outcome, fields.reason) {
        case ("accepted", nil): reason = nil
        case ("rejected", let code?): reason = code
        default: return nil
        }
        self.requestID = requestID
        isRetryable = fields.retryable ?? false
        keyID = fields.keyId
        reattested = fields.reattested
        artifact = fields.artifact
        challenge = fields.challenge
        ttl = fields.ttl
        token = fields.token
        appCheckToken = fields.appCheckToken
        alreadyConsumed = fields.alreadyConsumed
    }

    private struct Fields: Decodable {
        var outcome: String
        var reason: String?
        var retryable: Bool?
        var requestId: String?
        var keyId: String?
        var reattested: Bool?
        var artifact: String?
        var challenge: String?
        var ttl: String?
        var token: String?
        var appCheckToken: Token?
        var alreadyConsumed: Bool?
    }
}
