internal import AppAttest
internal import LibCrypto
internal import Wire

extension Verdict {
    /// Adds the app's token to a verdict that accepts, where policy has any for it.
    ///
    /// All but an ECDSA signature follows from the record: `iat` is its timestamp, so that a
    /// backlog makes tokens that are old and not ones that live longer, and `jti` is made of the
    /// request's identity and that timestamp. The verdict is made once, in the transaction that
    /// decides, and kept there; each repetition of it has the same token.
    ///
    /// - Parameters:
    ///   - judged: the request.
    ///   - reattested: whether its key was attested more than once; nil where that is not known.
    ///   - policy: how tokens are made, and which apps get any.
    mutating func addToken(
        for judged: JudgedRecord, reattested: Bool?, by policy: Policy
    ) {
        guard let tokens = policy.tokens, let appID, let app = policy.apps[appID]?.tokens,
            let environment
        else { return }
        let lifetime = judged.wantsLimitedUse ? app.limitedUseLifetime : app.lifetime
        let issuedAt = judged.instant.wholeSeconds
        let claims = TokenClaims(
            issuer: tokens.issuer, subject: app.subject, audience: app.audience,
            issuedAt: issuedAt, expiry: issuedAt + lifetime.components.seconds,
            id: judged.wantsLimitedUse ? Self.tokenID(of: judged) : nil,
            proof: TokenClaims.Proof(
                environment: environment.rawValue, validationCategory: validationCategory,
                reattested: reattested, isSimulated: isSimulated))
        token = IssuedToken(tokens.token(claims), isForLimitedUse: judged.wantsLimitedUse)
        self.lifetime = lifetime
    }

    /// 16 bytes of a digest, base64url: different for any two requests, and nothing of the request
    /// id can be told from it.
    private static func tokenID(of judged: JudgedRecord) -> String {
        let digest = SHA256.hash(
            Array("token id\0".utf8), judged.identity.digest.bytes,
            Array("\(judged.instant.milliseconds)".utf8))
        return Base64.encodeForURL(Array(digest.bytes.prefix(16)))
    }
}
