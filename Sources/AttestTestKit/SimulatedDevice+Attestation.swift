public import AppAttest
import LibCrypto

extension SimulatedDevice {
    /// Attests the key for a challenge, whose SHA-256 is what the app hands to the system.
    ///
    /// - Parameters:
    ///   - challenge: the bytes that the server issued.
    ///   - instant: when the certificate of the key is issued.
    ///   - lie: what is wrong with the attestation; nothing by default.
    /// - Returns: the attestation object and the key id.
    public func attest(
        challenge: [UInt8], at instant: Instant, lie: AttestationLie? = nil
    ) -> MintedAttestation {
        attest(clientDataHash: ClientDataHash(hashing: challenge), at: instant, lie: lie)
    }

    /// Attests the key: what the app sends to register it.
    ///
    /// Costs one P-384 and one P-256 signature. The receipt inside is of type `ATTEST`, signed as
    /// Apple's are, and created at the same moment.
    ///
    /// - Parameters:
    ///   - clientDataHash: what the app hands to the system.
    ///   - instant: when the certificate of the key is issued; its validity follows from it.
    ///     Outside of ``TestAuthority/validity`` no verifier accepts it.
    ///   - lie: what is wrong with the attestation; nothing by default.
    ///   - receiptLie: what is wrong with the receipt in it; nothing by default.
    /// - Returns: the attestation object and the key id.
    public func attest(
        clientDataHash: ClientDataHash, at instant: Instant, lie: AttestationLie? = nil,
        receiptLie: ReceiptLie? = nil
    ) -> MintedAttestation {
        if lie == .attestedData(.otherApp) {
            return ofOtherApp.attest(clientDataHash: clientDataHash, at: instant)
        }
        let nonce = Nonce(
            authenticatorData: attestedData(lie).encoded, clientDataHash: clientDataHash.bytes)
        let chain = chain(nonce: nonce, at: instant, lie)
        let credential = chain.issuedCredential
        var parts = AttestationParts(
            certificates: chain.certificates(credential),
            receipt: receipt(
                certificate: credential, clientDataHash: clientDataHash, at: instant, receiptLie),
            authenticatorData: nonce.authenticatorData, further: unsignedEntries)
        if case .structure(let lie) = lie { lie.apply(to: &parts, root: authority.rootCertificate) }
        let object =
            if case .encoding(let lie) = lie { lie.encode(parts.entries) } else { parts.encoded }
        let isOtherKeyID = lie == .attestedData(.keyIDOfOtherKey)
        return MintedAttestation(keyID: isOtherKeyID ? otherKeyID : keyID, object: object)
    }

    /// Authenticator data with the attested credential.
    func attestedData(_ lie: AttestationLie?) -> AuthenticatorDataDraft {
        var draft = AuthenticatorDataDraft(self, signCount: 0)
        var credential = AuthenticatorDataDraft.AttestedCredential(of: self)
        if case .coseKey(let lie) = lie { credential.coseKey = lie.coseKey(of: self) }
        draft.attestedCredential = credential
        if case .attestedData(let lie) = lie { lie.apply(to: &draft, of: self) }
        if case .signedExtensions(let lie) = lie { lie.apply(to: &draft) }
        return draft
    }

    /// Credential certificate and intermediate, not signed yet.
    func chain(nonce: Nonce, at instant: Instant, _ lie: AttestationLie?) -> ChainDraft {
        var credential = CredentialCertificate.draft(self, at: instant)
        credential.extensions.append(CredentialCertificate.nonce(nonce.bytes))
        if case .certificate(let lie) = lie {
            lie.apply(to: &credential, of: self, nonce: nonce)
        }
        var chain = ChainDraft(authority: authority, credential: credential, at: instant)
        if case .chain(let lie) = lie { lie.apply(to: &chain, at: instant) }
        return chain
    }
}
