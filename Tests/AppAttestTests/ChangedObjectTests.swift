import AppAttest
import LibCrypto
import RecordedVectors
import Testing

/// Genuine objects of an iPhone with iOS 14.4, cut and changed.
@Suite struct ChangedObjectTests {
    @Test func `every cut of an assertion is refused`() throws {
        var inputs = try AssertionInputs(RecordedVectors.named("assertion-veehaitch-ios-14.4"))
        let object = inputs.object
        for count in 0..<object.count {
            inputs.object = Array(object.prefix(count))
            #expect(inputs.verify().rejection == .malformedCBOR(.truncated))
        }
    }

    @Test func `every change of one byte of an assertion is refused`() throws {
        var inputs = try AssertionInputs(RecordedVectors.named("assertion-veehaitch-ios-14.4"))
        #expect(inputs.verify().rejection == nil)
        for position in inputs.object.indices {
            let genuine = inputs.object[position]
            for value in 0...UInt8.max where value != genuine {
                inputs.object[position] = value
                #expect(
                    inputs.verify().rejection != nil,
                    "byte \(position) as \(value) was accepted")
            }
            inputs.object[position] = genuine
        }
    }

    @Test func `every cut of an attestation is refused`() throws {
        var inputs = try AttestationInputs(
            RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        var intermediates = VerifiedIntermediates()
        let object = inputs.object
        for count in 0..<object.count {
            inputs.object = Array(object.prefix(count))
            #expect(inputs.verify(&intermediates).rejection == .malformedCBOR(.truncated))
        }
    }

    // Exceptions: the key `receipt` and the content under it, a signed object of its own. Nothing
    // in an attestation covers it, it may be absent (so its key may be another), and the library
    // hands it out as not verified.
    @Test(arguments: [0x01, 0xFF] as [UInt8])
    func `every change of one byte of an attestation is refused`(change: UInt8) throws {
        var inputs = try AttestationInputs(
            RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        let receipt = try AttestationObject(parsing: inputs.object).receipt
        var intermediates = VerifiedIntermediates()
        #expect(inputs.verify(&intermediates).rejection == nil)
        // Seven letters, three bytes of the byte string's head, the content.
        let key = receipt.startIndex - 10..<receipt.startIndex - 3
        try #require(inputs.object[key].elementsEqual("receipt".utf8))
        for position in inputs.object.indices where !receipt.indices.contains(position) {
            inputs.object[position] ^= change
            #expect(
                inputs.verify(&intermediates).rejection != nil || key.contains(position),
                "byte \(position) changed by \(change) was accepted")
            inputs.object[position] ^= change
        }
        // Changed intermediates that are refused leave nothing behind.
        #expect(intermediates.count == 1)
    }

    @Test func `a changed receipt is handed out as it came`() throws {
        var inputs = try AttestationInputs(
            RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        let receipt = try AttestationObject(parsing: inputs.object).receipt
        inputs.object[receipt.startIndex] ^= 0xFF
        var intermediates = VerifiedIntermediates()
        let proof = try inputs.verify(&intermediates).get()
        #expect(proof.receipt.first == UInt8(0xCF))
        #expect(proof.receipt.dropFirst().elementsEqual(receipt.dropFirst()))
    }

    @Test func `objects above the limits are refused unread`() throws {
        var attestation = try AttestationInputs(
            RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        let most = AttestationObject.byteCountMax
        attestation.object = [UInt8](repeating: 0, count: most + 1)
        var intermediates = VerifiedIntermediates()
        #expect(
            attestation.verify(&intermediates).rejection
                == .malformedCBOR(.tooLarge(byteCount: most + 1, byteCountMax: most)))
        var assertion = try AssertionInputs(RecordedVectors.named("assertion-veehaitch-ios-14.4"))
        assertion.object = [UInt8](repeating: 0, count: AssertionObject.byteCountMax + 1)
        #expect(assertion.verify().rejection?.code == .malformedCBOR)
    }
}
