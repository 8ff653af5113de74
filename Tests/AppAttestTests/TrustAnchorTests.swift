import AppAttest
import LibCrypto
import RecordedVectors
import Testing

@Suite struct TrustAnchorTests {
    @Test func `the embedded root is Apple's`() {
        let root = TrustAnchor.appleAppAttestRoot
        #expect(
            SHA256.hash(root.der).bytes
                == hex("1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932"))
        #expect(root.certificate.notBefore == 1_584_556_373)
        #expect(root.certificate.notAfter == 2_373_148_800)
    }

    @Test func `bytes after a certificate and missing ones are refused`() {
        let der = TrustAnchor.appleAppAttestRoot.der
        #expect(TrustAnchor(der: der) == .appleAppAttestRoot)
        #expect(TrustAnchor(der: der + [0]) == nil)
        #expect(TrustAnchor(der: []) == nil)
        for count in stride(from: 1, to: der.count, by: 50) {
            #expect(TrustAnchor(der: Array(der.prefix(count))) == nil)
        }
    }

    @Test func `every change of one byte of a root is refused`() {
        var der = TrustAnchor.appleAppAttestRoot.der
        for position in der.indices {
            der[position] ^= 0x01
            #expect(TrustAnchor(der: der) == nil, "byte \(position)")
            der[position] ^= 0x01
        }
    }

    @Test func `an intermediate and a leaf are no anchors`() throws {
        let vector = try RecordedVectors.named("attestation-veehaitch-ios-14.4")
        let object = try AttestationObject(parsing: AttestationInputs(vector).object)
        #expect(TrustAnchor(der: Array(object.intermediate)) == nil)
        #expect(TrustAnchor(der: Array(object.leaf)) == nil)
        #expect(Certificate(der: Array(object.intermediate)) != nil)
    }

    @Test func `a length in a longer form is refused`() {
        // The outer length of 545 bytes in three bytes instead of two: BER, not DER.
        let der = TrustAnchor.appleAppAttestRoot.der
        #expect(der.starts(with: [0x30, 0x82, 0x02, 0x21]))
        #expect(Certificate(der: [0x30, 0x83, 0x00] + der.dropFirst(2)) == nil)
    }

    @Test func `a certificate above the limit is refused`() {
        let bytes = [UInt8](repeating: 0x30, count: Certificate.byteCountMax + 1)
        #expect(Certificate(der: bytes) == nil)
    }

    @Test func `an app is judged by its own anchor only`() throws {
        var inputs = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        inputs.relyingParties = []
        var intermediates = VerifiedIntermediates()
        #expect(inputs.verify(&intermediates).rejection == .chainInvalid(.noAnchor))
    }
}
