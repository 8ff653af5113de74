public import AppAttest
import LibCrypto

extension SimulatedDevice {
    /// Signs client data, whose SHA-256 is what the app hands to the system, and counts it.
    ///
    /// - Parameters:
    ///   - clientData: the bytes that the server makes anew from the request.
    ///   - lie: what is wrong with the assertion; nothing by default.
    /// - Returns: the assertion object with the next sign count.
    public mutating func assert(
        clientData: [UInt8], lie: AssertionLie? = nil
    ) -> MintedAssertion {
        assert(clientDataHash: ClientDataHash(hashing: clientData), lie: lie)
    }

    /// Signs client data with the attested key, and counts it.
    ///
    /// Costs one P-256 signature.
    ///
    /// - Parameters:
    ///   - clientDataHash: what the app hands to the system.
    ///   - lie: what is wrong with the assertion; nothing by default.
    /// - Returns: the assertion object with the next sign count.
    public mutating func assert(
        clientDataHash: ClientDataHash, lie: AssertionLie? = nil
    ) -> MintedAssertion {
        count()
        return assert(clientDataHash: clientDataHash, signCount: signCount, lie: lie)
    }

    /// Signs client data with a sign count of the caller's choice, counting nothing.
    ///
    /// - Parameters:
    ///   - clientDataHash: what the app hands to the system.
    ///   - signCount: the sign count that the assertion tells.
    ///   - lie: what is wrong with the assertion; nothing by default.
    /// - Returns: the assertion object.
    public func assert(
        clientDataHash: ClientDataHash, signCount: UInt32, lie: AssertionLie? = nil
    ) -> MintedAssertion {
        var draft = AuthenticatorDataDraft(self, signCount: signCount)
        if case .assertedData(let lie) = lie { lie.apply(to: &draft, of: self) }
        if case .signedExtensions(let lie) = lie { lie.apply(to: &draft) }
        let nonce = Nonce(
            authenticatorData: draft.encoded, clientDataHash: clientDataHash.bytes)
        let signature =
            if case .signature(let lie) = lie {
                lie.signature(of: self, nonce: nonce)
            } else {
                key.encodedSignature(nonce.bytes, hash: .sha256)
            }
        let entries =
            unsignedEntries + [
                (.text("signature"), .bytes(signature)),
                (.text("authenticatorData"), .bytes(nonce.authenticatorData)),
            ]
        let object =
            switch lie {
            case .encoding(let lie): lie.encode(entries)
            case .structure(let lie): lie.encode(entries)
            case .signature, .assertedData, .signedExtensions, nil: CBOR.map(entries).encoded
            }
        return MintedAssertion(keyID: keyID, signCount: signCount, object: object)
    }
}
