internal import FoundationEssentials

/// What a token says: the claims of App Check's contract, and what only App Attest can tell.
///
/// Source: RFC 7519, 4.1.
package struct TokenClaims: Hashable, Sendable {
    /// `app_attest`: what was proved of the key and its app.
    package struct Proof: Hashable, Sendable {
        /// The key's environment, `production` or `development`.
        package var environment: String
        /// How the app was signed and distributed, where an OS 27 object tells.
        package var validationCategory: UInt32?
        /// On registrations: whether the key was known before.
        package var reattested: Bool?
        /// Whether the device is simulated, attested by another root than Apple's.
        package var isSimulated = false

        /// A proof from its parts.
        package init(
            environment: String, validationCategory: UInt32? = nil, reattested: Bool? = nil,
            isSimulated: Bool = false
        ) {
            self.environment = environment
            self.validationCategory = validationCategory
            self.reattested = reattested
            self.isSimulated = isSimulated
        }
    }

    /// `iss`: the fleet.
    package var issuer: String
    /// `sub`: the app, by its public name.
    package var subject: String
    /// `aud`: who shall take the token; always written as a list.
    package var audience: [String]
    /// `iat`: the judged record's timestamp, in whole seconds since 1970.
    package var issuedAt: Int64
    /// `exp`: from this second on it is not to be taken.
    package var expiry: Int64
    /// `jti`: what tells a token for limited use from all others; nil of others.
    package var id: String?
    /// `app_attest`.
    package var proof: Proof

    /// Claims from their parts.
    package init(
        issuer: String, subject: String, audience: [String], issuedAt: Int64, expiry: Int64,
        id: String? = nil, proof: Proof
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.issuedAt = issuedAt
        self.expiry = expiry
        self.id = id
        self.proof = proof
    }

    /// JSON, names sorted, no white space.
    package func encode() -> [UInt8] {
        var object = JSONWriter()
        object.add("app_attest") { inner in
            inner.add("environment", proof.environment)
            inner.add("reattested", proof.reattested)
            inner.add("simulated", proof.isSimulated ? true : nil)
            inner.add("validation_category", proof.validationCategory)
        }
        object.add("aud", audience)
        object.add("exp", expiry)
        object.add("iat", issuedAt)
        object.add("iss", issuer)
        object.add("jti", id)
        object.add("sub", subject)
        return object.close()
    }

    /// Reads claims whose signature was verified; nil where they are none of these.
    ///
    /// - Parameter json: the bytes of ``encode()``, which are all that a key of ours ever signs.
    package init?(verified json: [UInt8]) {
        guard let read = try? JSONDecoder().decode(Stored.self, from: Data(json)) else {
            return nil
        }
        self.init(
            issuer: read.iss, subject: read.sub, audience: read.aud, issuedAt: read.iat,
            expiry: read.exp, id: read.jti,
            proof: Proof(
                environment: read.app_attest.environment,
                validationCategory: read.app_attest.validation_category,
                reattested: read.app_attest.reattested,
                isSimulated: read.app_attest.simulated ?? false))
    }

    private struct Stored: Decodable {
        struct Proof: Decodable {
            var environment: String
            var reattested: Bool?
            var simulated: Bool?
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var validation_category: UInt32?
        }

        // swift-format-ignore: AlwaysUseLowerCamelCase
        var app_attest: Proof
        var aud: [String]
        var exp: Int64
        var iat: Int64
        var iss: String
        var jti: String?
        var sub: String
    }
}
