public import AppAttest

/// What a registration proves to be fresh, and in which dialect it is told.
public enum RegistrationContent: Hashable, Sendable {
    /// The Capgo plugin's message: the UTF-8 bytes of the challenge text are hashed.
    case capgo(challenge: String)
    /// The plain message with the exact bytes that were hashed.
    case plain(clientData: [UInt8])
    /// The plain message with what the app handed to the system, however it was made.
    case plainHash(ClientDataHash)
    /// The App Check message: the bytes of the challenge are hashed.
    case appCheck(challenge: [UInt8])

    /// What the app hands to the system.
    public var clientDataHash: ClientDataHash {
        switch self {
        case .capgo(let challenge): ClientDataHash(hashing: Array(challenge.utf8))
        case .plain(let clientData): ClientDataHash(hashing: clientData)
        case .plainHash(let hash): hash
        case .appCheck(let challenge): ClientDataHash(hashing: challenge)
        }
    }

    /// The message's own fields.
    func fields(_ attestation: MintedAttestation) -> [String: MessageField] {
        let object = MessageField.base64(attestation.object)
        let keyID = MessageField.base64(attestation.keyID.bytes)
        switch self {
        case .capgo(let challenge):
            return [
                "platform": .text("ios"), "format": .text("apple-app-attest"), "keyId": keyID,
                "challenge": .text(challenge), "token": object,
            ]
        case .plain(let clientData):
            return ["keyId": keyID, "attestation": object, "clientData": .base64(clientData)]
        case .plainHash(let hash):
            return ["keyId": keyID, "attestation": object, "clientDataHash": .base64(hash.bytes)]
        case .appCheck(let challenge):
            return [
                "keyId": keyID, "attestationStatement": object, "challenge": .base64(challenge),
                "limitedUse": .flag(false),
            ]
        }
    }
}
