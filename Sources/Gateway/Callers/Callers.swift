internal import LibCrypto
package import Operations

/// Who asks.
package struct Caller: Hashable, Sendable {
    /// How they introduced themselves.
    package enum Standing: Hashable, Sendable {
        /// Not at all, where that is allowed.
        case anonymous
        /// An app, by its API key.
        case app
        /// A backend, by a bearer token.
        case backend
    }

    /// How they introduced themselves.
    package let standing: Standing
    /// A name for what they showed: the beginning of its digest, never the secret itself.
    package let name: String
    /// The network they come from: an IPv4 address or an IPv6 /64, as bytes.
    package let network: [UInt8]

    /// A caller from its parts.
    package init(standing: Standing, name: String, network: [UInt8]) {
        self.standing = standing
        self.name = name
        self.network = network
    }
}

/// Which callers are served.
package struct CallerRules: Sendable {
    /// The headers that tell who asks, in lower case.
    package static let headerNames: Set<String> = ["x-goog-api-key", "authorization"]

    private let apiKeys: [Digest32]
    private let bearerTokens: [Digest32]
    private let allowsAnonymous: Bool
    /// In lower case.
    private let addressHeader: String?

    /// Rules from the settings.
    ///
    /// - Parameters:
    ///   - apiKeys: a key a line.
    ///   - bearerTokens: a token a line.
    ///   - allowsAnonymous: whether others are served too.
    ///   - addressHeader: the header in which a proxy tells the address.
    package init(
        apiKeys: String?, bearerTokens: String?, allowsAnonymous: Bool, addressHeader: String?
    ) {
        func digests(_ text: String?) -> [Digest32] {
            (text ?? "").split(whereSeparator: \.isNewline).map { SHA256.hash(Array($0.utf8)) }
        }
        self.apiKeys = digests(apiKeys)
        self.bearerTokens = digests(bearerTokens)
        self.allowsAnonymous = allowsAnonymous
        self.addressHeader = addressHeader?.lowercased()
    }

    /// Whether anyone can be served at all.
    package var servesAnyone: Bool {
        allowsAnonymous || !apiKeys.isEmpty || !bearerTokens.isEmpty
    }

    /// The network that a request comes from.
    package func network(of request: ExchangeRequest) -> [UInt8] {
        NetworkAddress.network(of: Self.address(of: request, header: addressHeader))
    }

    /// Tells who asks.
    ///
    /// - Throws: 401, where they may not.
    package func caller(of request: ExchangeRequest) throws(Refusal) -> Caller {
        let network = network(of: request)
        if let header = request.headers["authorization"] {
            let parts = header.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "bearer",
                let name = Self.name(of: String(parts[1]), among: bearerTokens)
            {
                return Caller(standing: .backend, name: name, network: network)
            }
            throw Refusal(.unauthenticated, "bearer_token_invalid", "the bearer token is not known")
        }
        if let key = request.headers["x-goog-api-key"], !apiKeys.isEmpty {
            guard let name = Self.name(of: key, among: apiKeys) else {
                throw Refusal(.unauthenticated, "api_key_invalid", "the API key is not known")
            }
            return Caller(standing: .app, name: name, network: network)
        }
        guard allowsAnonymous else {
            throw Refusal(
                .unauthenticated, "credentials_missing",
                "send X-Goog-Api-Key, or Authorization: Bearer")
        }
        return Caller(standing: .anonymous, name: "", network: network)
    }

    /// The address that a proxy tells, the last one in the header, or the connection's own.
    private static func address(of request: ExchangeRequest, header: String?) -> String {
        guard let header, let value = request.headers[header] else { return request.peer }
        return String((value.split(separator: ",").last ?? "").filter { !$0.isWhitespace })
    }

    /// The name of a secret that is one of ours; nil where it is none.
    ///
    /// All are compared, each whole, so that the time tells neither which nor how much agreed;
    /// digests, so that the length does not count either.
    private static func name(of secret: String, among digests: [Digest32]) -> String? {
        let digest = SHA256.hash(Array(secret.utf8)).bytes
        var found: UInt8 = 0
        for known in digests {
            var difference: UInt8 = 0
            for (left, right) in zip(known.bytes, digest) { difference |= left ^ right }
            found |= difference == 0 ? 1 : 0
        }
        guard found == 1 else { return nil }
        return digest.prefix(4).map { byte in
            (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
