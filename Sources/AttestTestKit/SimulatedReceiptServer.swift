public import AppAttest
import FoundationEssentials
import LibCrypto
import Synchronization

/// What Apple's server for receipts does with a request, without the HTTP around it.
///
/// It checks who asks and what is handed in, keeps Apple's rules, and makes receipts that end at
/// ``TestAuthority/receiptRootCertificate``. It can be told to answer anything else. May be used
/// from several threads.
public final class SimulatedReceiptServer: Sendable {
    /// What it does with requests.
    public enum Behaviour: Hashable, Sendable {
        /// As Apple: 200 with a new receipt, 304 before its time, 400, 401.
        case honest
        /// Answers this status whatever is asked.
        case status(Int)
        /// 200 with a text that is no receipt.
        case garbage
        /// 200 with these bytes.
        case body([UInt8])
        /// 200 with a receipt for a key of the other environment.
        case wrongEnvironment
        /// 200 with a receipt that says it was made an hour before.
        case old
        /// 200 with a receipt whose signature is damaged.
        case forged
    }

    /// A request that came.
    public struct Asked: Hashable, Sendable {
        /// The key id, in standard base64; nil where the receipt can't be read.
        public let keyID: String?
        /// When.
        public let at: Instant
        /// What it was answered.
        public let status: Int
    }

    private struct State {
        var behaviour = Behaviour.honest
        var metric: UInt32 = 1
        var asked: [Asked] = []
        var newest: [[UInt8]: Instant] = [:]
        var keys: [String: P256PublicKey] = [:]
    }

    private let authority: TestAuthority
    private let teamID: String
    private let state = Mutex(State())

    /// How old a token may be.
    static let tokenLifetime: Int64 = 3600

    /// A server.
    ///
    /// - Parameters:
    ///   - authority: signs receipts.
    ///   - teamID: the team whose tokens it takes.
    public init(authority: TestAuthority, teamID: String) {
        self.authority = authority
        self.teamID = teamID
    }

    /// What it does with requests from now on.
    public var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// The metric that it puts into receipts.
    public var metric: UInt32 {
        get { state.withLock { $0.metric } }
        set { state.withLock { $0.metric = newValue } }
    }

    /// Every request so far.
    public var asked: [Asked] { state.withLock { $0.asked } }

    /// Registers a key of the developer account; one of the same id is replaced.
    ///
    /// - Parameters:
    ///   - pem: the private key in PEM, whose public half is kept.
    ///   - id: the key's id.
    /// - Returns: whether there is a key on P-256 in it.
    public func register(_ pem: [UInt8], id: String) -> Bool {
        guard let key = P256SigningKey(pem: pem) else { return false }
        state.withLock { $0.keys[id] = key.publicKey }
        return true
    }

    /// Forgets a key of the developer account: its tokens are refused.
    public func revoke(_ id: String) {
        state.withLock { $0.keys[id] = nil }
    }

    /// Answers one request.
    ///
    /// - Parameters:
    ///   - authorization: the header's value.
    ///   - body: what was posted.
    ///   - environment: of whose keys this endpoint is.
    ///   - now: the server's clock.
    /// - Returns: status and body.
    public func answer(
        authorization: String?, body: [UInt8], environment: AttestationEnvironment,
        at now: Instant
    ) -> (status: Int, body: [UInt8]) {
        state.withLock { state in
            let receipt = Data(base64Encoded: String(decoding: body, as: UTF8.self))
                .flatMap { PresentedReceipt([UInt8]($0), authority, at: now) }
            let answer = answer(
                isAuthorized: isValid(authorization, state.keys, at: now), receipt, environment,
                at: now, &state)
            state.asked.append(
                Asked(keyID: receipt?.keyID, at: now, status: answer.status))
            return answer
        }
    }

    private func answer(
        isAuthorized: Bool, _ receipt: PresentedReceipt?, _ environment: AttestationEnvironment,
        at now: Instant, _ state: inout State
    ) -> (status: Int, body: [UInt8]) {
        if case .status(let status) = state.behaviour { return (status, []) }
        guard isAuthorized else { return (401, Array("Unable to verify authorization token".utf8)) }
        guard let receipt, receipt.environment == environment else {
            return (400, Array("Bad Request".utf8))
        }
        var key = receipt.key
        var createdAt = now
        switch state.behaviour {
        case .garbage: return (200, Array("<html>hello</html>".utf8))
        case .body(let bytes): return (200, bytes)
        case .wrongEnvironment:
            key.environment = environment == .production ? .development : .production
        case .old: createdAt = Instant(milliseconds: now.milliseconds - 3_600_000)
        case .forged: break
        case .honest, .status:
            if let last = state.newest[receipt.certificate],
                now.milliseconds < last.milliseconds + 86_400_000
            {
                return (304, [])
            }
            state.newest[receipt.certificate] = now
        }
        let draft = ReceiptDraft(refreshed: key, riskMetric: state.metric, at: createdAt)
        var bytes = authority.receipts.signer(at: createdAt).sign(draft.encoded)
        // The end of the signature, in front of the seven pairs of zeros that close the structure.
        if state.behaviour == .forged { bytes[bytes.count - 10] ^= 1 }
        return (200, Array(Data(bytes).base64EncodedString().utf8))
    }

    /// Whether a token is signed by a key of the team, for this team, and not too old.
    private func isValid(
        _ token: String?, _ keys: [String: P256PublicKey], at now: Instant
    ) -> Bool {
        let parts = (token ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let head = try? JSONDecoder().decode(TokenHead.self, from: base64URL(parts[0])),
            let claims = try? JSONDecoder().decode(TokenClaims.self, from: base64URL(parts[1])),
            let key = keys[head.kid], head.alg == "ES256", claims.iss == teamID
        else { return false }
        let age = now.wholeSeconds - claims.iat
        let signature = [UInt8](base64URL(parts[2]))
        guard age >= -60, age <= Self.tokenLifetime, signature.count == 64 else { return false }
        return key.isValidSignature(
            DER.sequence(
                DER.integer(Array(signature[..<32])), DER.integer(Array(signature[32...]))),
            over: Array("\(parts[0]).\(parts[1])".utf8))
    }

    private struct TokenHead: Decodable {
        var alg: String
        var kid: String
    }

    private struct TokenClaims: Decodable {
        var iss: String
        var iat: Int64
    }
}

/// RFC 7515, 2; no bytes where it is none.
private func base64URL(_ text: Substring) -> Data {
    let characters = text.map { character -> Character in
        switch character {
        case "-": "+"
        case "_": "/"
        default: character
        }
    }
    let padding = String(repeating: "=", count: (4 - characters.count % 4) % 4)
    return Data(base64Encoded: String(characters) + padding) ?? Data()
}

/// A receipt that was handed in, verified.
private struct PresentedReceipt {
    var key: ReceiptDraft.AttestedKey
    var certificate: [UInt8]
    var environment: AttestationEnvironment
    var keyID: String

    /// Nil where it is none of this authority's.
    init?(_ bytes: [UInt8], _ authority: TestAuthority, at now: Instant) {
        guard let message = try? SignedMessage(verifyingSignatureOf: bytes),
            let receipt = try? Receipt(parsing: message.content),
            let environment = receipt.environment,
            let publicKey = Certificate(der: receipt.certificate)?.p256PublicKey,
            let anchor = TrustAnchor(der: authority.receiptRootCertificate)
        else { return nil }
        var intermediates = VerifiedIntermediates()
        let expectation = ReceiptExpectation(
            kind: nil, appID: receipt.appID, environment: environment, publicKey: publicKey)
        let verifier = ReceiptVerifier(
            trustAnchor: anchor, maxAge: nil, maxClockSkew: .seconds(3600))
        guard
            (try? verifier.verify(
                bytes, expecting: expectation, at: now, intermediates: &intermediates)) != nil,
            let hash = ClientDataHash(exactly: receipt.clientDataHash ?? [0])
        else { return nil }
        certificate = receipt.certificate
        self.environment = environment
        keyID = Data(SHA256.hash(publicKey.x963).bytes).base64EncodedString()
        // The token, which no verifier looks at, comes back as some other here.
        key = ReceiptDraft.AttestedKey(
            appID: receipt.appID, environment: environment, certificate: receipt.certificate,
            clientDataHash: hash,
            token: Data(SHA256.hash(receipt.certificate).bytes + [UInt8](repeating: 0, count: 32))
                .base64EncodedString())
    }
}
