package import AppAttest
package import LibCrypto
internal import Wire

/// Something that may be used once: a challenge, or a token for one call.
///
/// The store remembers it from the transaction in which it was used; a second transaction that uses
/// it meanwhile is rolled back, and finds it used when it is tried again.
package struct UsedOnce: Hashable, Sendable {
    /// What tells it from all others: SHA-256 over its kind and its own number.
    package var id: Digest32
    /// From then on it is refused for its age.
    ///
    /// The store keeps it for as long as records from
    /// before may still be judged.
    package var expiry: Instant

    /// One from its parts.
    package init(id: Digest32, expiry: Instant) {
        self.id = id
        self.expiry = expiry
    }

    /// A challenge.
    package init(_ challenge: SignedChallenge) {
        id = SHA256.hash(Array("challenge\u{0}".utf8), challenge.id)
        expiry = challenge.expiry
    }

    /// A token for limited use: by the app's public name and its `jti`.
    init?(_ token: TokenClaims) {
        guard let id = token.id else { return nil }
        self.id = SHA256.hash(
            Array("token\u{0}".utf8), SHA256.hash(Array(token.subject.utf8)).bytes, Array(id.utf8))
        expiry = Instant(seconds: token.expiry)
    }

    /// How long past its expiry it is kept, beside the age that a record may have: clocks differ.
    package static let margin: Duration = .seconds(86_400)
}
