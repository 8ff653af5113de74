public import LibCrypto

/// Verifies assertions: whether a registered key signed this request.
///
/// The steps are numbered as in <doc:Assertion-step-by-step>. Step 6, the sign count, is not here:
/// a verified assertion only claims a sign count, and whoever keeps the highest one decides.
public struct AssertionVerifier: Sendable {
    /// A verifier; it has no settings.
    public init() {}

    /// Verifies one assertion.
    ///
    /// Source: Apple, "Validating apps that connect to your server".
    ///
    /// - Parameters:
    ///   - object: the assertion object, CBOR, up to 4 KiB.
    ///   - clientDataHash: what the app passed to `generateAssertion`.
    ///   - publicKey: the key as its attestation proved it.
    ///   - appID: the app id as the attestation proved it.
    /// - Returns: what the assertion proves.
    /// - Throws: the fact because of which it is refused.
    public func verify(
        _ object: [UInt8], clientDataHash: ClientDataHash, publicKey: P256PublicKey, appID: String
    ) throws(Rejection) -> VerifiedAssertion {
        // Step 1: strict CBOR, and the parts of the object.
        let object = try AssertionObject(parsing: object)
        // Steps 2 and 3: the nonce, over the bytes as received.
        let nonce = SHA256.hash(Array(object.authenticatorData), clientDataHash.bytes)
        // Step 4: the nonce is the signed message, so ECDSA hashes it once more.
        guard publicKey.isValidSignature(Array(object.signature), over: nonce.bytes) else {
            throw .signatureInvalid
        }
        let data = try parse(object.authenticatorData)
        // Step 5: the app for which the key was registered.
        let idHash = data.head.relyingPartyIDHash
        guard idHash == RelyingPartyIDHash(appID: appID) else {
            throw .appIDMismatch(found: idHash)
        }
        return VerifiedAssertion(
            appID: appID, signCount: data.head.signCount, extensions: data.extensions)
    }
}

private func parse(_ bytes: ArraySlice<UInt8>) throws(Rejection) -> AssertionAuthenticatorData {
    do {
        return try AssertionAuthenticatorData(parsing: bytes)
    } catch {
        throw .malformedAuthData(error)
    }
}

/// What an assertion proves.
///
/// Only ``AssertionVerifier`` makes one, so holding it is the proof.
public struct VerifiedAssertion: Hashable, Sendable {
    /// The app of the key.
    public let appID: String
    /// How often the key has signed, this time included: a claim until it is compared with the
    /// highest count seen, which it must exceed.
    public let signCount: UInt32
    /// What an OS 27 device signed about the app's code.
    public let extensions: SignedExtensions

    fileprivate init(appID: String, signCount: UInt32, extensions: SignedExtensions) {
        self.appID = appID
        self.signCount = signCount
        self.extensions = extensions
    }
}
