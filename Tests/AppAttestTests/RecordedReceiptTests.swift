import AppAttest
import LibCrypto
import RecordedVectors
import Testing

@Suite struct RecordedReceiptTests {
    @Test(arguments: try RecordedVectors.all(.receipt))
    func `a recorded receipt gets the expected answer`(vector: RecordedVector) throws {
        let inputs = try ReceiptInputs(vector)
        var intermediates = VerifiedIntermediates()
        let first = inputs.verify(&intermediates)
        let second = inputs.verify(&intermediates)
        #expect(first == second, "the cache changes no answer")
        #expect(intermediates.count == 1)
        switch vector.expected.outcome {
        case "accept":
            let proof = try first.get()
            #expect(proof.kind.rawValue == vector.receiptType)
            #expect(proof.appID == vector.appID)
            #expect(proof.riskMetric.map(String.init) == vector.riskMetric)
            #expect(proof.creationTime == instant(vector.creationTime))
            #expect(proof.notBefore == instant(vector.notBefore))
            #expect(proof.expirationTime == instant(vector.expirationTime))
            if proof.kind == .attest {
                #expect(proof.clientDataHash == vector.clientDataHash.map { Array($0) })
            }
        default:
            #expect(vector.expected.outcome == "reject")
            #expect(first.rejection?.code.rawValue == vector.expected.reason)
        }
    }

    private func instant(_ text: String?) -> Instant? {
        text.flatMap { Instant(receiptText: Array($0.utf8)[...]) }
    }

    @Test(
        arguments: try RecordedVectors.all(.attestation)
            .filter { $0.expected.outcome == "accept" })
    func `the receipt inside a recorded attestation gets the expected answer`(
        vector: RecordedVector
    ) throws {
        let inputs = try AttestationInputs(vector)
        var intermediates = VerifiedIntermediates()
        let attestation = try inputs.verify(&intermediates).get()
        let result = Result { () throws(Rejection) in
            try ReceiptVerifier().verify(
                attestation.receipt,
                expecting: ReceiptExpectation(
                    inside: attestation, clientDataHash: inputs.clientDataHash),
                at: inputs.instant, intermediates: &intermediates)
        }
        if vector.receiptRemoved == true {
            #expect(result.rejection == .receiptInvalid(.missing))
        } else if let expected = vector.receiptExpected {
            #expect(expected.outcome == "reject")
            #expect(result.rejection?.code.rawValue == expected.reason)
        } else {
            let proof = try result.get()
            #expect(proof.kind == .attest)
            #expect(proof.environment == attestation.environment)
            #expect(proof.riskMetric == nil && proof.notBefore == nil)
            let lifetime =
                try #require(proof.expirationTime).milliseconds - proof.creationTime.milliseconds
            #expect(lifetime == 90 * 86_400_000)
        }
    }
}
