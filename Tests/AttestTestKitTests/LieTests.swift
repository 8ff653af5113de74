import AppAttest
import AttestTestKit
import Testing

@Suite struct `Lies` {
    @Test func `cover every reason a verifier can give`() {
        let covered =
            AttestationLie.allCases.map(\.rejection) + AssertionLie.allCases.map(\.rejection)
            + ReceiptLie.allCases.map(\.rejection)
        #expect(Set(covered) == Set(RejectionCode.allCases))
    }

    @Test func `each have a name of their own`() {
        #expect(
            Set(AttestationLie.allCases.map(\.description)).count
                == AttestationLie.allCases.count)
        #expect(
            Set(AssertionLie.allCases.map(\.description)).count == AssertionLie.allCases.count)
        #expect(Set(ReceiptLie.allCases.map(\.description)).count == ReceiptLie.allCases.count)
        #expect(AttestationLie.chain(.otherRoot).description == "chain.otherRoot")
        #expect(AssertionLie.signature(.hashedOnce).description == "signature.hashedOnce")
    }

    @Test(arguments: [DeviceShape.iOS14, .macOS27])
    func `change the object or the key id`(_ shape: DeviceShape) {
        let device = MintedObjects.device(shape)
        let honest = device.attest(
            clientDataHash: MintedObjects.clientDataHash, at: MintedObjects.instant)
        let lies = AttestationLie.allCases.map {
            device.attest(
                clientDataHash: MintedObjects.clientDataHash, at: MintedObjects.instant, lie: $0)
        }
        #expect(Set(lies + [honest]).count == AttestationLie.allCases.count + 1)
        let honestAssertion = device.assert(
            clientDataHash: MintedObjects.clientDataHash, signCount: 1)
        let assertionLies = AssertionLie.allCases.map {
            device.assert(clientDataHash: MintedObjects.clientDataHash, signCount: 1, lie: $0)
        }
        #expect(
            Set(assertionLies + [honestAssertion]).count == AssertionLie.allCases.count + 1)
    }
}
