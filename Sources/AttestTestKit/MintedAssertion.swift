public import AppAttest

/// An assertion object, and the key it is said to be made with.
public struct MintedAssertion: Hashable, Sendable {
    /// The key id that the app sends.
    public let keyID: KeyID
    /// The sign count that the assertion tells.
    public let signCount: UInt32
    /// The assertion object: CBOR.
    public let object: [UInt8]

    /// An assertion from its parts, such as one that was changed.
    public init(keyID: KeyID, signCount: UInt32, object: [UInt8]) {
        self.keyID = keyID
        self.signCount = signCount
        self.object = object
    }
}
