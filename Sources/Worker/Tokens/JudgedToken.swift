internal import AppAttest
internal import Wire

/// What a token that shall be consumed is worth, told without the store.
enum JudgedToken: Hashable, Sendable {
    /// One of ours for limited use, in time.
    case limitedUse(UsedOnce, appID: String)
    /// Why it is refused.
    case refused(WorkerReason)

    /// Judges a token.
    ///
    /// - Parameters:
    ///   - text: as it came.
    ///   - audience: for whom it must be, beside being for one of its app's; nil where nobody said.
    ///   - instant: the record's timestamp.
    ///   - policy: how tokens are made, and which apps get any.
    init(_ text: String, for audience: String?, at instant: Instant, by policy: Policy) {
        guard let tokens = policy.tokens else {
            self = .refused(.notConfigured)
            return
        }
        guard let claims = tokens.verifiedClaims(of: text),
            claims.issuer.utf8.elementsEqual(tokens.issuer.utf8),
            audience.map(claims.isFor) ?? true,
            let app = policy.apps.values.first(where: { $0.getsTokens(like: claims) })
        else {
            self = .refused(.tokenInvalid)
            return
        }
        guard instant < Instant(seconds: claims.expiry) else {
            self = .refused(.tokenExpired)
            return
        }
        self =
            UsedOnce(claims).map { .limitedUse($0, appID: app.relyingParty.appID) }
            ?? .refused(.tokenNotLimitedUse)
    }
}

extension AppPolicy {
    /// Whether a token is one of this app's, for somebody whom its tokens are for.
    fileprivate func getsTokens(like claims: TokenClaims) -> Bool {
        guard let tokens, tokens.subject.utf8.elementsEqual(claims.subject.utf8) else {
            return false
        }
        return tokens.audience.contains(where: claims.isFor)
    }
}

extension TokenClaims {
    /// Whether `aud` names somebody, byte for byte.
    fileprivate func isFor(_ audience: String) -> Bool {
        self.audience.contains { $0.utf8.elementsEqual(audience.utf8) }
    }
}
