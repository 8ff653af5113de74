package import AppAttest
package import LibCrypto
internal import Wire

/// With what Apple's server is asked for receipts: a key of the developer account.
package struct ProviderKey: Sendable {
    /// The key's id, 10 characters, as the developer account tells it.
    package let keyID: String
    /// The team's id, 10 characters: who asks.
    package let teamID: String
    /// The key itself.
    package let key: P256SigningKey

    /// A key with its names.
    package init(keyID: String, teamID: String, key: P256SigningKey) {
        self.keyID = keyID
        self.teamID = teamID
        self.key = key
    }
}

/// A JSON Web Token for Apple's server, made once for several minutes.
///
/// Source: RFC 7519; RFC 7518, 3.4; Apple, "Assessing fraud risk" and "Accessing and modifying
/// per-device data": ES256, `kid` in the header, `iss` and `iat` as claims.
package struct ProviderToken: Hashable, Sendable {
    /// The token: three parts in base64url, with dots between.
    package let text: String
    /// Its `iat`, in whole seconds.
    package let issuedAt: Instant

    /// For how long one token is used.
    ///
    /// Apple asks not to make one for each request.
    package static let lifetime: Duration = .seconds(600)

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - key: signs it.
    ///   - now: the moment that it tells.
    package init(_ key: ProviderKey, at now: Instant) {
        let header = #"{"alg":"ES256","kid":"\#(key.keyID)"}"#
        let claims = #"{"iss":"\#(key.teamID)","iat":\#(now.wholeSeconds)}"#
        let signed = [header, claims].map { Base64.encodeForURL(Array($0.utf8)) }
            .joined(separator: ".")
        let signature = key.key.jwsSignature(over: Array(signed.utf8))
        text = "\(signed).\(Base64.encodeForURL(signature))"
        issuedAt = Instant(seconds: now.wholeSeconds)
    }

    /// Whether it is still to be used: neither old, nor made by a clock that was set back since.
    package func isFresh(at now: Instant) -> Bool {
        now >= issuedAt && now < issuedAt.advanced(by: Self.lifetime)
    }
}
