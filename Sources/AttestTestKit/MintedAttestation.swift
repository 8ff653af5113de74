public import AppAttest

/// An attestation object, and the key id that goes with it.
public struct MintedAttestation: Hashable, Sendable {
    /// The key id that the app sends.
    public let keyID: KeyID
    /// The attestation object: CBOR.
    public let object: [UInt8]

    /// An attestation from its parts, such as one that was changed.
    public init(keyID: KeyID, object: [UInt8]) {
        self.keyID = keyID
        self.object = object
    }
}
