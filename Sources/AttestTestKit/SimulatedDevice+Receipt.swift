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
    /// - Returns: the receipt in BER.
    public func refreshedReceipt(
        clientDataHash: ClientDataHash, attestedAt: Instant, riskMetric: UInt32 = 1,
        at instant: Instant
    ) -> [UInt8] {
        let nonce = Nonce(
            authenticatorData: attestedData(nil).encoded, clientDataHash: clientDataHash.bytes)
        let key = attestedKey(
            certificate: chain(nonce: nonce, at: attestedAt, nil).issuedCredential,
            clientDataHash: clientDataHash)
        let draft = ReceiptDraft(refreshed: key, riskMetric: riskMetric, at: instant)
        return authority.receipts.signer(at: instant).sign(draft.encoded)
    }

    /// The receipt inside an attestation: type `ATTEST`.
    func receipt(
        certificate: [UInt8], clientDataHash: ClientDataHash, at instant: Instant
    ) -> [UInt8] {
        let key = attestedKey(certificate: certificate, clientDataHash: clientDataHash)
        let draft = ReceiptDraft(attested: key, at: instant)
        return authority.receipts.signer(at: instant).sign(draft.encoded)
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
