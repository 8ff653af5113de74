internal import FoundationEssentials
internal import Wire

/// A token for SASL OAUTHBEARER, with what librdkafka must know of it.
struct OAuthToken: Hashable {
    /// Why a text is no token that can be used; holds no part of the text.
    struct Problem: Error, Hashable {
        let message: String
    }

    /// The most bytes of a token, or of the answer it comes in.
    static let bytesMax = 65_536

    /// The token itself: a secret.
    let value: String
    /// When it ends, in milliseconds since 1970.
    let expiryMilliseconds: Int64
    /// Whom it names, for librdkafka's own use; the broker looks into the token.
    let principal: String

    /// Reads a token: a JSON Web Token alone, or the JSON object that an authorisation server
    /// answers with: `access_token`, and `expires_in` where the token doesn't tell its own end.
    ///
    /// - Parameters:
    ///   - text: what was read, with or without white space around it.
    ///   - nowMilliseconds: the clock, in milliseconds since 1970.
    /// - Throws: what is wrong with it.
    ///
    /// Source: RFC 6749 §5.1, RFC 7519 §4.1.
    init(parsing text: [UInt8], nowMilliseconds: Int64) throws(Problem) {
        guard text.count <= Self.bytesMax else {
            throw Problem(message: "is larger than \(Self.bytesMax) bytes")
        }
        let trimmed = String(decoding: text, as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var token = trimmed
        var lifetime: Int64?
        if trimmed.hasPrefix("{") {
            guard let answer = Self.decode(Answer.self, Array(trimmed.utf8)) else {
                throw Problem(message: "is a JSON object without access_token")
            }
            token = answer.access_token
            lifetime = answer.expires_in
        }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(message: "is no token: it is empty, or has other than printable ASCII")
        }
        let claims = Self.claims(of: token)
        if let expiry = claims?.exp {
            // Within what an Int64 of milliseconds holds; a conversion beyond it would trap.
            expiryMilliseconds = Int64(max(0, min(expiry, 1e13))) * 1000
        } else if let lifetime, (1...(100 * 365 * 86_400)).contains(lifetime) {
            expiryMilliseconds = nowMilliseconds + lifetime * 1000
        } else {
            throw Problem(
                message: "does not tell when it ends: neither a JSON Web Token with \"exp\", nor"
                    + " beside \"expires_in\"")
        }
        guard expiryMilliseconds > nowMilliseconds else {
            throw Problem(message: "holds a token that has expired")
        }
        value = token
        principal = claims?.sub.flatMap { $0.isEmpty ? nil : $0 } ?? "attest-worker"
    }

    private struct Answer: Decodable {
        var access_token: String
        var expires_in: Int64?
    }

    private struct Claims: Decodable {
        var exp: Double?
        var sub: String?
    }

    /// The claims of a JSON Web Token, unverified: they are the broker's to verify.
    private static func claims(of token: String) -> Claims? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64.decode(String(parts[1])) else { return nil }
        return decode(Claims.self, bytes)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
