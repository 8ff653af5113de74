import AppAttest
import AttestTestKit
import LibCrypto
import Testing

@Suite struct `Minted receipts` {
    /// A verifier that trusts the private root of receipts.
    private func verifier(maxAge: Duration? = ReceiptVerifier.appleMaxAge) throws
        -> ReceiptVerifier
    {
        let root = try #require(
            TrustAnchor(der: MintedWorld.authority.receiptRootCertificate))
        return ReceiptVerifier(trustAnchor: root, maxAge: maxAge)
    }

    /// What a verified attestation of a device says, and what its receipt is judged to be.
    private func judge(
        _ device: SimulatedDevice, _ lie: ReceiptLie?,
        _ intermediates: inout VerifiedIntermediates
    ) throws -> Result<VerifiedReceipt, Rejection> {
        let minted = device.attest(
            clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant, receiptLie: lie)
        let attestation = try MintedWorld.verifier(device.environment).verify(
            minted.object, keyID: minted.keyID, clientDataHash: MintedWorld.clientDataHash,
            at: MintedWorld.instant, intermediates: &intermediates)
        let expectation = ReceiptExpectation(
            inside: attestation, clientDataHash: MintedWorld.clientDataHash)
        let verifier = try verifier()
        return Result { () throws(Rejection) in
            try verifier.verify(
                attestation.receipt, expecting: expectation, at: MintedWorld.instant,
                intermediates: &intermediates)
        }
    }

    private func judgeRefreshed(
        _ device: SimulatedDevice, _ lie: ReceiptLie? = nil
    ) throws -> Result<VerifiedReceipt, Rejection> {
        let receipt = device.refreshedReceipt(
            clientDataHash: MintedWorld.clientDataHash, attestedAt: MintedWorld.instant,
            riskMetric: 3, at: MintedWorld.instant, lie: lie)
        let expectation = ReceiptExpectation(
            kind: .refreshed, appID: device.appID, environment: device.environment,
            publicKey: try #require(P256PublicKey(x963: device.publicKey)))
        let verifier = try verifier()
        var intermediates = VerifiedIntermediates()
        return Result { () throws(Rejection) in
            try verifier.verify(
                receipt, expecting: expectation, at: MintedWorld.instant,
                intermediates: &intermediates)
        }
    }

    @Test(arguments: AttestationEnvironment.allCases)
    func `of honest devices are accepted`(_ environment: AttestationEnvironment) throws {
        let device = MintedWorld.device(.iOS27, environment)
        var intermediates = VerifiedIntermediates()
        let proof = try judge(device, nil, &intermediates).get()
        #expect(proof.kind == .attest)
        #expect(proof.environment == environment)
        #expect(proof.publicKey.x963 == device.publicKey)
        #expect(proof.clientDataHash == MintedWorld.clientDataHash.bytes)
        #expect(proof.creationTime == MintedWorld.instant)
        #expect(proof.riskMetric == nil)
        let refreshed = try judgeRefreshed(device).get()
        #expect(refreshed.kind == .refreshed)
        #expect(refreshed.riskMetric == 3)
        #expect(refreshed.certificate == proof.certificate)
        #expect(refreshed.notBefore == Instant(seconds: 1_790_086_400))
    }

    @Test(arguments: ReceiptLie.allCases)
    func `that lie inside an attestation are refused for that reason`(_ lie: ReceiptLie) throws {
        let device = MintedWorld.device(.iOS27)
        var intermediates = VerifiedIntermediates()
        #expect(try judge(device, lie, &intermediates).rejection?.code == lie.rejection)
        // With the intermediate known already the answer is the same.
        _ = try judge(device, nil, &intermediates).get()
        #expect(intermediates.count == 2)
        #expect(try judge(device, lie, &intermediates).rejection?.code == lie.rejection)
        #expect(intermediates.count == 2, "a refused receipt leaves nothing behind")
    }

    @Test(arguments: ReceiptLie.allCases.filter(\.isLieOfRefreshes))
    func `that lie on their own are refused for that reason`(_ lie: ReceiptLie) throws {
        let rejection = try judgeRefreshed(MintedWorld.device(.iOS27), lie).rejection
        #expect(rejection?.code == lie.rejection)
    }

    @Test(arguments: ReceiptLie.allCases.filter { !$0.isLieOfRefreshes })
    func `of refreshes may repeat an earlier certificate and any hash`(_ lie: ReceiptLie) throws {
        #expect(try judgeRefreshed(MintedWorld.device(.iOS27), lie).rejection == nil)
    }
}
