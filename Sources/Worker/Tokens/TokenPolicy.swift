internal import Wire

/// How tokens are made and taken: by whom, and with which keys.
package struct TokenPolicy: Hashable, Sendable {
    /// The most keys: one that signs, and those on their way in and out.
    package static let keyCountMax = 8
    /// The most bytes of a token: what the longest settings come to, with room to spare.
    package static let tokenBytesMax = ServiceRequest.tokenBytesMax

    /// `iss` of all tokens.
    package let issuer: String
    /// The key that signs.
    package let current: TokenKey
    /// Keys whose tokens are taken as well.
    package let others: [TokenKey]

    /// A policy from its parts.
    ///
    /// - Parameters:
    ///   - issuer: who makes the tokens.
    ///   - keys: the first one signs, tokens of all are taken; nil where there is none, there are
    ///     more than ``keyCountMax``, or two are the same.
    package init?(issuer: String, keys: [TokenKey]) {
        guard let current = keys.first, keys.count <= Self.keyCountMax,
            Set(keys).count == keys.count
        else { return nil }
        self.issuer = issuer
        self.current = current
        others = Array(keys.dropFirst())
    }

    /// The public halves of all keys, a JSON Web Key Set.
    ///
    /// Source: RFC 7517, 5.
    package var keySet: [UInt8] {
        let keys = ([current] + others).map(\.publicJSON)
        return Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8)
    }

    /// Makes a token.
    ///
    /// Signatures of P-256 are random: the same claims have other bytes each time.
    func token(_ claims: TokenClaims) -> String {
        let signed = "\(current.header).\(Base64.encodeForURL(claims.encode()))"
        return "\(signed).\(Base64.encodeForURL(current.signature(over: Array(signed.utf8))))"
    }

    /// What a token says.
    ///
    /// Its first part is compared with those that our keys write, byte for byte: nothing that a
    /// stranger wrote is parsed, and the algorithm is the key's, never the token's.
    ///
    /// - Parameter token: anything.
    /// - Returns: nil where none of the keys signed it.
    func verifiedClaims(of token: String) -> TokenClaims? {
        guard token.utf8.count <= Self.tokenBytesMax else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let key = ([current] + others).first(where: {
                $0.header.utf8.elementsEqual(parts[0].utf8)
            }),
            let signature = Self.decode(parts[2]), let claims = Self.decode(parts[1]),
            key.isValid(signature, over: Array("\(parts[0]).\(parts[1])".utf8))
        else { return nil }
        return TokenClaims(verified: claims)
    }

    /// Base64url without padding, and no other spelling of it.
    private static func decode(_ part: Substring) -> [UInt8]? {
        guard let bytes = Base64.decode(String(part)), Base64.encodeForURL(bytes) == part else {
            return nil
        }
        return bytes
    }
}

/// The tokens of one app.
package struct AppTokens: Hashable, Sendable {
    /// `sub`: the app's public name.
    package var subject: String
    /// `aud`.
    package var audience: [String]
    /// For how long a token is good.
    package var lifetime: Duration
    /// For how long one for limited use is.
    package var limitedUseLifetime: Duration

    /// Tokens from their parts.
    package init(
        subject: String, audience: [String], lifetime: Duration = .seconds(3600),
        limitedUseLifetime: Duration = .seconds(300)
    ) {
        self.subject = subject
        self.audience = audience
        self.lifetime = lifetime
        self.limitedUseLifetime = limitedUseLifetime
    }
}
