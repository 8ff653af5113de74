import AppAttest
import AttestTestKit
import RecordedVectors
import Testing

@testable import LibCrypto

/// The cache may change how long an answer takes, never the answer.
@Suite struct VerifiedIntermediatesTests {
    /// A cache that holds Apple's intermediate, as any genuine attestation leaves it.
    private let warm: VerifiedIntermediates

    init() throws {
        let inputs = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        var intermediates = VerifiedIntermediates()
        _ = try inputs.verify(&intermediates).get()
        #expect(intermediates.count == 1)
        warm = intermediates
    }

    /// The same answer with and without a cache; the whole rejection, its facts included.
    private func agreedAnswer(to inputs: AttestationInputs) -> Rejection? {
        var warm = warm
        var none = VerifiedIntermediates(countMax: 0)
        let withCache = inputs.verify(&warm).rejection
        let withoutCache = inputs.verify(&none).rejection
        #expect(withCache == withoutCache)
        #expect(none.count == 0)
        return withoutCache
    }

    @Test(arguments: try RecordedVectors.all(.attestation))
    func `recorded attestations get the same answer`(vector: RecordedVector) throws {
        let rejection = try agreedAnswer(to: AttestationInputs(vector))
        #expect(rejection?.code.rawValue == vector.expected.reason)
    }

    /// The leaf is valid from 2021-01-22T12:13:35Z to 2021-01-25T12:13:35Z, the intermediate from
    /// 2020-03-18T18:39:55Z to 2030-03-13, the root from 2020-03-18T18:32:53Z to 2045-03-15.
    @Test(
        arguments: [
            (0, Rejection.certificateNotYetValid(.anchor)),
            (1_584_556_372_999, .certificateNotYetValid(.anchor)),
            (1_584_556_373_000, .certificateNotYetValid(.intermediate)),
            (1_584_556_794_999, .certificateNotYetValid(.intermediate)),
            (1_584_556_795_000, .certificateNotYetValid(.leaf)),
            (1_611_317_614_999, .certificateNotYetValid(.leaf)),
            (1_611_317_615_000, nil), (1_611_576_814_999, nil),
            // libcrypto takes the last second as over.
            (1_611_576_815_000, .certificateExpired(.leaf)),
            (1_899_590_399_999, .certificateExpired(.leaf)),
            (1_899_590_400_000, .certificateExpired(.intermediate)),
            (1_900_000_000_000, .certificateExpired(.intermediate)),
            (2_500_000_000_000, .certificateExpired(.anchor)),
        ] as [(Int64, Rejection?)])
    func `validity is judged at the instant, root first`(
        milliseconds: Int64, expected: Rejection?
    ) throws {
        var inputs = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        inputs.instant = Instant(milliseconds: milliseconds)
        #expect(agreedAnswer(to: inputs) == expected)
    }

    @Test func `instants that are no time of ours get the same answer`() throws {
        var inputs = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        for milliseconds in [Int64.min, -1, Int64.max] {
            inputs.instant = Instant(milliseconds: milliseconds)
            #expect(agreedAnswer(to: inputs) != nil)
        }
    }

    @Test func `changed certificates get the same answer`() throws {
        var inputs = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        let object = try AttestationObject(parsing: inputs.object)
        // A prime step visits every kind of place in both certificates.
        for position in stride(
            from: object.leaf.startIndex, to: object.intermediate.endIndex, by: 7)
        {
            inputs.object[position] ^= 0x01
            #expect(agreedAnswer(to: inputs) != nil)
            inputs.object[position] ^= 0x01
        }
    }

    @Test func `another leaf through a known intermediate gets the same answer`() throws {
        // The leaf of one phone in the object of another: its chain holds, its nonce does not.
        var inputs = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        let own = try AttestationObject(parsing: inputs.object)
        let other = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.3"))
        let foreign = try AttestationObject(parsing: other.object)
        try #require(own.leaf.count < 0x10000 && foreign.leaf.count < 0x10000)
        let head = [UInt8(foreign.leaf.count >> 8), UInt8(foreign.leaf.count & 0xFF)]
        inputs.object.replaceSubrange(
            own.leaf.startIndex - 2..<own.leaf.endIndex, with: head + foreign.leaf)
        inputs.instant = other.instant
        #expect(agreedAnswer(to: inputs) == .nonceMismatch)
    }

    @Test func `certificates in the other order are no chain`() throws {
        var inputs = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        let object = try AttestationObject(parsing: inputs.object)
        let certificates = object.leaf.startIndex - 3..<object.intermediate.endIndex
        let parts = [object.intermediate, object.leaf].flatMap { part in
            [0x59, UInt8(part.count >> 8), UInt8(part.count & 0xFF)] + part
        }
        inputs.object.replaceSubrange(certificates, with: parts)
        #expect(agreedAnswer(to: inputs)?.code == .chainInvalid)
    }

    @Test(arguments: AttestationLie.allCases)
    func `lies of a test device get the same answer`(lie: AttestationLie) throws {
        var inputs = try AttestationInputs(RecordedVectors.named("attestation-veehaitch-ios-14.4"))
        let attestation = MintedWorld.device(.macOS27).attest(
            clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant, lie: lie)
        inputs.object = attestation.object
        inputs.keyID = attestation.keyID
        inputs.clientDataHash = MintedWorld.clientDataHash
        inputs.instant = MintedWorld.instant
        let root = try #require(TrustAnchor(der: MintedWorld.authority.rootCertificate))
        inputs.relyingParties = [RelyingParty(appID: MintedWorld.appID, trustAnchor: root)]
        var warm = try MintedWorld.warmIntermediates.get()
        var none = VerifiedIntermediates(countMax: 0)
        let rejection = inputs.verify(&none).rejection
        #expect(inputs.verify(&warm).rejection == rejection)
        #expect(rejection?.code == lie.rejection)
        // Or a later failure on this thread would be reported with the lie's reason.
        #expect(OpenSSLErrorQueue.isEmpty)
    }
}
