import AppAttest
import FoundationEssentials
import LibCrypto
import RecordedVectors
import Testing

@Suite struct RecordedAttestationTests {
    @Test(arguments: try RecordedVectors.all(.attestation))
    func `a recorded attestation gets the expected answer`(vector: RecordedVector) throws {
        let inputs = try AttestationInputs(vector)
        var intermediates = VerifiedIntermediates()
        let first = inputs.verify(&intermediates)
        let second = inputs.verify(&intermediates)
        switch vector.expected.outcome {
        case "accept":
            let proof = try first.get()
            #expect(proof.keyID == inputs.keyID)
            #expect(proof.appID == vector.appID)
            #expect(proof.environment.rawValue == vector.environment)
            #expect(SHA256.hash(proof.publicKey.x963) == inputs.keyID.digest)
            #expect(proof.leafNotBefore <= inputs.instant && inputs.instant <= proof.leafNotAfter)
            if vector.receiptRemoved == true {
                #expect(proof.receipt.isEmpty)
            } else {
                #expect(proof.receipt.first == 0x30 && proof.receipt.count > 3000)
            }
            if let publicKey = vector.publicKey {
                #expect(proof.publicKey.x963 == Array(publicKey))
            }
            // The cache now holds the intermediate, and the answer is the same.
            #expect(intermediates.count == 1)
            #expect(try second.get().publicKey == proof.publicKey)
        default:
            #expect(vector.expected.outcome == "reject")
            #expect(first.rejection?.code.rawValue == vector.expected.reason)
            #expect(second.rejection == first.rejection)
        }
    }

    @Test func `signed extensions, platform and version are handed out`() throws {
        let vector = try RecordedVectors.named("attestation-apple-guide-2026-ios-27-production")
        var intermediates = VerifiedIntermediates()
        let proof = try AttestationInputs(vector).verify(&intermediates).get()
        #expect(proof.extensions.validationCategory == 1)
        #expect(proof.extensions.bundleVersion?.isEmpty == false)
        #expect(proof.platform == "iphoneos")
        #expect(proof.osVersion == "27.0")
    }
}
