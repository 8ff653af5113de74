internal import LibCrypto
internal import Wire

/// A key that signs tokens, with the name that it has in them.
///
/// Two keys are the same when their names are: the name is a digest of the public half.
package struct TokenKey: Hashable, Sendable {
    /// How a key signs, by the names of JSON Web Tokens (RFC 7518, 3.1).
    package enum Algorithm: String, Hashable, Sendable, CaseIterable {
        /// ECDSA on P-256 with SHA-256: small, and a matter of microseconds.
        case es256 = "ES256"
        /// RSA, PKCS#1 v1.5, with SHA-256: what Firebase's tokens have.
        case rs256 = "RS256"
    }

    private enum Kind: Sendable {
        case p256(P256SigningKey)
        case rsa(RSASigningKey)
    }

    /// What a file must hold, to follow "must hold".
    package static let rule =
        "a private key in PEM, not encrypted: P-256, or RSA of 2048 to 8192 bits"

    /// How it signs.
    package let algorithm: Algorithm
    /// `kid`: its thumbprint (RFC 7638), SHA-256 in base64url, 43 characters.
    package let id: String
    /// Its public half as a member of a JSON Web Key Set, an object in JSON.
    package let publicJSON: String
    /// The first part of every token that it signs, base64url.
    let header: String
    private let kind: Kind

    /// Takes a key of a file.
    ///
    /// - Parameter pem: nil where it is not as ``rule`` says, or what it signs its own public half
    ///   does not take.
    package init?(pem: [UInt8]) {
        let members: [(name: String, value: String)]
        if let key = P256SigningKey(pem: pem) {
            let point = key.publicKey.x963.dropFirst()
            members = [
                ("crv", "P-256"), ("kty", "EC"),
                ("x", Base64.encodeForURL(Array(point.prefix(32)))),
                ("y", Base64.encodeForURL(Array(point.suffix(32)))),
            ]
            (kind, algorithm) = (.p256(key), .es256)
        } else if let key = RSASigningKey(pem: pem) {
            members = [
                ("e", Base64.encodeForURL(key.exponent)), ("kty", "RSA"),
                ("n", Base64.encodeForURL(key.modulus)),
            ]
            (kind, algorithm) = (.rsa(key), .rs256)
        } else {
            return nil
        }
        // RFC 7638, 3: the members that are required, in the order of their names.
        id = Base64.encodeForURL(SHA256.hash(Array(Self.object(members).utf8)).bytes)
        publicJSON = Self.object(
            (members + [("alg", algorithm.rawValue), ("kid", id), ("use", "sig")])
                .sorted { $0.name < $1.name })
        header = Base64.encodeForURL(
            Array(
                Self.object([("alg", algorithm.rawValue), ("kid", id), ("typ", "JWT")]).utf8))
        let sample = Array("attest-worker".utf8)
        guard isValid(signature(over: sample), over: sample) else { return nil }
    }

    /// Signs a message.
    func signature(over message: [UInt8]) -> [UInt8] {
        switch kind {
        case .p256(let key): key.jwsSignature(over: message)
        case .rsa(let key): key.jwsSignature(over: message)
        }
    }

    /// Whether it made a signature.
    func isValid(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        switch kind {
        case .p256(let key): key.publicKey.isValidJWSSignature(signature, over: message)
        case .rsa(let key): key.isValidJWSSignature(signature, over: message)
        }
    }

    /// Names and values of letters, digits, '-' and '_' alone: nothing to escape.
    private static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
    }

    /// Equality of the names.
    package static func == (left: TokenKey, right: TokenKey) -> Bool {
        left.id == right.id
    }

    /// Feeds the name to the hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension TokenKey: CustomStringConvertible, CustomReflectable {
    /// Algorithm and name, nothing secret.
    package var description: String { "\(algorithm.rawValue) key \(id)" }
    /// Has no children, so that `dump` tells nothing of it.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
