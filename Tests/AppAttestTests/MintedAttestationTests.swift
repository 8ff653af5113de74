import AppAttest
import AttestTestKit
import LibCrypto
import Testing

@Suite struct `Minted attestations` {
    private func verify(
        _ attestation: MintedAttestation, by verifier: AttestationVerifier,
        at instant: Instant = MintedWorld.instant,
        _ intermediates: inout VerifiedIntermediates
    ) throws(Rejection) -> VerifiedAttestation {
        try verifier.verify(
            attestation.object, keyID: attestation.keyID,
            clientDataHash: MintedWorld.clientDataHash, at: instant, intermediates: &intermediates)
    }

    /// The reason for which an attestation is refused; nil when it is accepted.
    private func rejection(
        _ attestation: MintedAttestation, by verifier: AttestationVerifier,
        at instant: Instant = MintedWorld.instant, _ cache: CacheState = .cold
    ) throws -> Rejection? {
        var intermediates = try cache.intermediates()
        do throws(Rejection) {
            _ = try verify(attestation, by: verifier, at: instant, &intermediates)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: DeviceShape.allCases, AttestationEnvironment.allCases)
    func `of honest devices are accepted`(
        _ shape: DeviceShape, _ environment: AttestationEnvironment
    ) throws {
        let device = MintedWorld.device(shape, environment)
        let attestation = device.attest(
            clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant)
        for cache in CacheState.allCases {
            var intermediates = try cache.intermediates()
            let verified = try verify(
                attestation, by: MintedWorld.verifier(environment), &intermediates)
            #expect(verified.keyID == device.keyID)
            #expect(verified.publicKey.x963 == device.publicKey)
            #expect(verified.appID == MintedWorld.appID)
            #expect(verified.environment == environment)
            #expect(verified.osVersion == device.shape.operatingSystemVersion)
            #expect((2500...4000).contains(verified.receipt.count))
        }
    }

    /// Apple's own intermediate ends in 2030; the kit's is renewed, so that tests outlive it.
    @Test(
        arguments: [
            TestAuthority.validity.lowerBound, Instant(seconds: 1_896_998_399),
            Instant(seconds: 1_896_998_400), Instant(seconds: 1_899_590_401),
            TestAuthority.validity.upperBound,
        ], CacheState.allCases)
    func `are accepted as long as the authority is valid`(
        _ instant: Instant, _ cache: CacheState
    ) throws {
        let device = MintedWorld.device(.iOS27)
        let attestation = device.attest(clientDataHash: MintedWorld.clientDataHash, at: instant)
        let verifier = try MintedWorld.verifier()
        #expect(try rejection(attestation, by: verifier, at: instant, cache) == nil)
    }

    @Test func `are refused before the authority is valid and afterwards`() throws {
        let validity = TestAuthority.validity
        for (seconds, code) in [
            (validity.lowerBound.milliseconds / 1000 - 1, RejectionCode.certificateNotYetValid),
            (validity.upperBound.milliseconds / 1000 + 1, .certificateExpired),
        ] {
            let instant = Instant(seconds: seconds)
            let attestation = MintedWorld.device(.iOS27)
                .attest(clientDataHash: MintedWorld.clientDataHash, at: instant)
            #expect(
                try rejection(attestation, by: MintedWorld.verifier(), at: instant)?.code == code)
        }
    }

    /// A lie about the intermediate is told about the one that stands there.
    @Test(arguments: ChainLie.allCases)
    func `that lie about a renewed chain are refused as well`(_ lie: ChainLie) throws {
        let instant = Instant(seconds: 2_000_000_000)
        let attestation = MintedWorld.device(.iOS27)
            .attest(clientDataHash: MintedWorld.clientDataHash, at: instant, lie: .chain(lie))
        #expect(
            try rejection(attestation, by: MintedWorld.verifier(), at: instant)?.code
                == lie.rejection)
    }

    @Test func `hand out what an iPhone with iOS 27 signs`() throws {
        var device = MintedWorld.device(.iOS27)
        device.validationCategory = 2
        device.bundleVersion = "42"
        var intermediates = VerifiedIntermediates()
        let verified = try verify(
            device.attest(clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant),
            by: MintedWorld.verifier(), &intermediates)
        #expect(verified.extensions.validationCategory == 2)
        #expect(verified.extensions.bundleVersion == "42")
        #expect(verified.extensions.cdHash == nil)
        #expect(verified.platform == "iphoneos")
    }

    @Test func `hand out what a Mac signs`() throws {
        let device = MintedWorld.device(.macOS27)
        var intermediates = VerifiedIntermediates()
        let verified = try verify(
            device.attest(clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant),
            by: MintedWorld.verifier(), &intermediates)
        #expect(verified.extensions.validationCategory == 6)
        #expect(verified.extensions.bundleVersion == nil)
        #expect(verified.extensions.cdHash == device.codeDirectoryHash)
        #expect(verified.extensions.cdHashType == 2)
        #expect(verified.platform == "macosx")
    }

    /// One key in 128 has such a coordinate: where it is taken for a number, the zero gets lost.
    @Test func `of keys with a coordinate that begins with zero are accepted`() throws {
        for place in [1, 33] {
            let device = try #require(
                (0..<10_000).lazy.map { MintedWorld.device(.iOS27, seed: $0) }
                    .first { $0.publicKey[place] == 0 })
            let attestation = device.attest(
                clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant)
            #expect(try rejection(attestation, by: MintedWorld.verifier()) == nil)
        }
    }

    /// A moment of each era, with the lifetime that certificates had then; nil where it varied.
    @Test(
        arguments: [
            (1_597_600_000, 1), (1_610_000_000, 3), (1_709_000_000, nil), (1_763_000_000, 3),
            (1_790_000_000, 3),
        ] as [(Int64, Int64?)])
    func `are valid to the second as certificates of their time`(
        _ seconds: Int64, _ days: Int64?
    ) throws {
        let attestation = MintedWorld.device(.iOS26).attest(
            clientDataHash: MintedWorld.clientDataHash, at: Instant(seconds: seconds))
        let verifier = try MintedWorld.verifier()
        var intermediates = VerifiedIntermediates()
        let verified = try verify(
            attestation, by: verifier, at: Instant(seconds: seconds), &intermediates)
        let first = verified.leafNotBefore.milliseconds
        let last = verified.leafNotAfter.milliseconds
        if let days {
            #expect(last - first == days * 86_400_000)
        } else {
            #expect((193...353).contains((last - first) / 86_400_000))
        }
        for (moment, code) in [
            (first, nil), (first - 1000, .certificateNotYetValid), (last - 1000, nil),
            (last + 1000, .certificateExpired),
        ] as [(Int64, RejectionCode?)] {
            let instant = Instant(milliseconds: moment)
            #expect(try rejection(attestation, by: verifier, at: instant)?.code == code)
        }
    }

    @Test(arguments: AttestationLie.allCases)
    func `that lie are refused for what the lie is about`(_ lie: AttestationLie) throws {
        let verifier = try MintedWorld.verifier()
        for shape in [DeviceShape.iOS14, .iOS27, .macOS27] {
            let attestation = MintedWorld.device(shape).attest(
                clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant, lie: lie)
            let cold = try rejection(attestation, by: verifier, .cold)
            #expect(cold?.code == lie.rejection, "\(shape)")
            // The same facts too, however the intermediate came to be trusted.
            #expect(try rejection(attestation, by: verifier, .warm) == cold, "\(shape)")
        }
    }

    @Test func `of a root that allows no intermediate are refused`() throws {
        for (pathLength, code) in [(0, .chainInvalid), (1, nil)] as [(UInt8, RejectionCode?)] {
            let authority = TestAuthority(seed: 1, rootPathLength: pathLength)
            let attestation = MintedWorld.device(.iOS27, authority: authority).attest(
                clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant)
            let verifier = try MintedWorld.verifier(authority: authority)
            #expect(try rejection(attestation, by: verifier)?.code == code)
        }
    }

    @Test func `cut anywhere are refused`() throws {
        let attestation = MintedWorld.device(.iOS27).attest(
            clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant)
        let verifier = try MintedWorld.verifier()
        for count in 0..<attestation.object.count {
            let cut = MintedAttestation(
                keyID: attestation.keyID, object: Array(attestation.object.prefix(count)))
            let code = try rejection(cut, by: verifier)?.code
            #expect(code == .malformedCBOR, "\(count) bytes")
        }
    }
}
