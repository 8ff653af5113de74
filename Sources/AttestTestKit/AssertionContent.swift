public import AppAttest

/// What an assertion signs, and in which dialect it is told.
public enum AssertionContent: Hashable, Sendable {
    /// The Capgo plugin's message: the UTF-8 bytes of the payload text are hashed.
    case capgo(payload: String)
    /// The plain message with the exact bytes that were hashed.
    case plain(clientData: [UInt8])
    /// The plain message with what the app handed to the system, however it was made.
    case plainHash(ClientDataHash)
    /// The App Check message: the bytes of artifact and challenge are hashed, one after the other.
    case appCheck(artifact: [UInt8], challenge: [UInt8])

    /// What the app hands to the system.
    public var clientDataHash: ClientDataHash {
        switch self {
        case .capgo(let payload): ClientDataHash(hashing: Array(payload.utf8))
        case .plain(let clientData): ClientDataHash(hashing: clientData)
        case .plainHash(let hash): hash
        case .appCheck(let artifact, let challenge):
            ClientDataHash(hashing: artifact + challenge)
        }
    }

    /// The message's own fields.
    func fields(_ assertion: MintedAssertion) -> [String: MessageField] {
        let object = MessageField.base64(assertion.object)
        let keyID = MessageField.base64(assertion.keyID.bytes)
        switch self {
        case .capgo(let payload):
            return [
                "platform": .text("ios"), "format": .text("apple-app-attest"), "keyId": keyID,
                "payload": .text(payload), "token": object,
            ]
        case .plain(let clientData):
            return ["keyId": keyID, "assertion": object, "clientData": .base64(clientData)]
        case .plainHash(let hash):
            return ["keyId": keyID, "assertion": object, "clientDataHash": .base64(hash.bytes)]
        case .appCheck(let artifact, let challenge):
            // The server of App Check knows the key by the artifact; a topic needs its id as well.
            return [
                "keyId": keyID, "artifact": .base64(artifact), "assertion": object,
                "challenge": .base64(challenge), "limitedUse": .flag(false),
            ]
        }
    }
}
