public import AppAttest
import FoundationEssentials

extension SimulatedDevice {
    /// The receipt that a refresh gives for the attested key: type `RECEIPT`, with a risk metric.
    ///
    /// As Apple's are, it is CMS signed data that ends at
    /// ``TestAuthority/receiptRootCertificate``, names the credential certificate of the
    /// attestation, and carries the client data hash mangled: read as UTF-8, each invalid sequence
    /// replaced with U+FFFD. The receipt of type `ATTEST` is inside the attestation.
    ///
    /// - Parameters:
    ///   - clientDataHash: what the app handed to the system when the key was attested.
    ///   - attestedAt: when the key was attested.
    ///   - riskMetric: how many keys of the app this device is said to have made lately; 1 to 3 is
    ///     usual.
    ///   - instant: when the receipt is created. It is to be refreshed after a day and expires
    ///     after 90.
    ///   - lie: what is wrong with the receipt; nothing by default.
    /// - Returns: the receipt in BER.
    public func refreshedReceipt(
        clientDataHash: ClientDataHash, attestedAt: Instant, riskMetric: UInt32 = 1,
        at instant: Instant, lie: ReceiptLie? = nil
    ) -> [UInt8] {
        let nonce = Nonce(
            authenticatorData: attestedData(nil).encoded, clientDataHash: clientDataHash.bytes)
        let key = attestedKey(
            certificate: chain(nonce: nonce, at: attestedAt, nil).issuedCredential,
            clientDataHash: clientDataHash)
        return sign(
            ReceiptDraft(refreshed: key, riskMetric: riskMetric, at: instant), at: instant, lie)
    }

    /// The receipt inside an attestation: type `ATTEST`.
    func receipt(
        certificate: [UInt8], clientDataHash: ClientDataHash, at instant: Instant,
        _ lie: ReceiptLie?
    ) -> [UInt8] {
        let key = attestedKey(certificate: certificate, clientDataHash: clientDataHash)
        return sign(ReceiptDraft(attested: key, at: instant), at: instant, lie)
    }

    private func sign(
        _ draft: ReceiptDraft, at instant: Instant, _ lie: ReceiptLie?
    ) -> [UInt8] {
        var draft = draft
        var signer = authority.receipts.signer(at: instant)
        switch lie {
        case nil: return signer.sign(draft.encoded)
        case .content(let lie):
            lie.apply(to: &draft, of: self, at: instant)
            var content = draft.encoded
            lie.apply(to: &content)
            return signer.sign(content)
        case .signature(let lie):
            lie.apply(to: &signer, of: authority.receipts, at: instant)
            var receipt = signer.sign(draft.encoded) { lie.apply(to: &$0) }
            lie.apply(to: &receipt)
            return receipt
        }
    }

    /// Another credential certificate of this device, as only a receipt that lies repeats it.
    func receiptCertificate(of lie: CredentialCertificateLie?, at instant: Instant) -> [UInt8] {
        let nonce = Nonce(authenticatorData: attestedData(nil).encoded, clientDataHash: [])
        return chain(nonce: nonce, at: instant, lie.map { .certificate($0) }).issuedCredential
    }

    private func attestedKey(
        certificate: [UInt8], clientDataHash: ClientDataHash
    ) -> ReceiptDraft.AttestedKey {
        let token = SeededBytes(seed: seed).bytes("receipt token", count: 64)
        return ReceiptDraft.AttestedKey(
            appID: appID, environment: environment, certificate: certificate,
            clientDataHash: clientDataHash, token: Data(token).base64EncodedString())
    }
}
