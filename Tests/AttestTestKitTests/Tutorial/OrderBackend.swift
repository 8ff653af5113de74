import AppAttest
import FoundationEssentials
import LibCrypto

/// A toy: it reads records of a request topic, and takes orders of attested phones only.
struct OrderBackend {
    private struct Message: Decodable {
        var keyId: Data
        var challenge: String?
        var payload: String?
        var token: Data
    }

    private let appID: String
    private let verifier: AttestationVerifier
    private var intermediates = VerifiedIntermediates()
    private var challenges: Set<String> = []
    private var keys: [Data: (publicKey: P256PublicKey, signCount: UInt32)] = [:]

    /// The trust anchor is a parameter: the one thing that a test needs of you.
    init(appID: String, trustAnchor: TrustAnchor = .appleAppAttestRoot) {
        self.appID = appID
        verifier = AttestationVerifier(relyingParties: [
            RelyingParty(appID: appID, trustAnchor: trustAnchor)
        ])
    }

    mutating func issue(challenge: String) -> String {
        challenges.insert(challenge)
        return challenge
    }

    /// What is published on the verdict topic for a record that came in at a moment.
    mutating func verdict(on record: [UInt8], at instant: Instant) -> String {
        do {
            let message = try JSONDecoder().decode(Message.self, from: Data(record))
            if let challenge = message.challenge {
                return try register(message, challenge, at: instant)
            }
            return try judge(message)
        } catch let rejection as Rejection {
            return rejection.code.rawValue
        } catch {
            return "malformed_message"
        }
    }

    private mutating func register(
        _ message: Message, _ challenge: String, at instant: Instant
    ) throws -> String {
        guard challenges.remove(challenge) != nil else { return "unknown_challenge" }
        guard let digest = Digest32(message.keyId) else { return "malformed_message" }
        let attestation = try verifier.verify(
            Array(message.token), keyID: KeyID(digest),
            clientDataHash: ClientDataHash(hashing: Array(challenge.utf8)), at: instant,
            intermediates: &intermediates)
        keys[message.keyId] = (attestation.publicKey, 0)
        return "accepted"
    }

    private mutating func judge(_ message: Message) throws -> String {
        guard let key = keys[message.keyId] else { return "unknown_key" }
        guard let payload = message.payload else { return "malformed_message" }
        let assertion = try AssertionVerifier().verify(
            Array(message.token), clientDataHash: ClientDataHash(hashing: Array(payload.utf8)),
            publicKey: key.publicKey, appID: appID)
        guard assertion.signCount > key.signCount else { return "replayed" }
        keys[message.keyId]?.signCount = assertion.signCount
        return "accepted"
    }
}
