import AppAttest
import AttestTestKit
import LibCrypto
import Testing

/// Apps with anchors of their own: what one root signs is nothing to an app that trusts another.
@Suite struct SeveralAnchorsTests {
    private static let authorities = (1...3).map { TestAuthority(seed: $0) }

    private static func app(_ appID: String, authority: Int) throws -> RelyingParty {
        let root = authorities[authority].rootCertificate
        return RelyingParty(appID: appID, trustAnchor: try #require(TrustAnchor(der: root)))
    }

    /// An attestation of a device that belongs to an authority, for an app.
    private static func attestation(_ appID: String, authority: Int) -> MintedAttestation {
        SimulatedDevice(
            seed: 7, appID: appID, environment: .production, shape: .iOS26,
            authority: authorities[authority]
        ).attest(clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant)
    }

    private static func verify(
        _ attestation: MintedAttestation, for apps: [RelyingParty],
        _ intermediates: inout VerifiedIntermediates
    ) -> Result<VerifiedAttestation, Rejection> {
        Result { () throws(Rejection) in
            try AttestationVerifier(relyingParties: apps).verify(
                attestation.object, keyID: attestation.keyID,
                clientDataHash: MintedWorld.clientDataHash, at: MintedWorld.instant,
                intermediates: &intermediates)
        }
    }

    @Test func `an app's own root is taken, another app's root is not`() throws {
        let apps = [try Self.app("T.one", authority: 0), try Self.app("T.two", authority: 1)]
        var intermediates = VerifiedIntermediates()
        // Twice: the second time, the cache knows both intermediates.
        for _ in 0..<2 {
            for (appID, authority, rejection) in [
                ("T.one", 0, nil), ("T.two", 1, nil),
                ("T.one", 1, .chainInvalid(.anchorOfAnotherApp)),
                ("T.two", 0, .chainInvalid(.anchorOfAnotherApp)),
            ] as [(String, Int, Rejection?)] {
                let attestation = Self.attestation(appID, authority: authority)
                let result = Self.verify(attestation, for: apps, &intermediates)
                #expect(result.rejection == rejection, "\(appID), authority \(authority)")
            }
        }
        #expect(intermediates.count == 2)
    }

    @Test func `what one root vouched for is nothing under another`() throws {
        var intermediates = VerifiedIntermediates()
        let attestation = Self.attestation("T.one", authority: 0)
        let own = [try Self.app("T.one", authority: 0)]
        #expect(Self.verify(attestation, for: own, &intermediates).rejection == nil)
        let other = [try Self.app("T.one", authority: 1)]
        let warm = Self.verify(attestation, for: other, &intermediates).rejection
        var none = VerifiedIntermediates(countMax: 0)
        #expect(warm?.code == .chainInvalid)
        #expect(warm == Self.verify(attestation, for: other, &none).rejection)
    }

    @Test func `one app id may trust two roots`() throws {
        let apps = [try Self.app("T.one", authority: 0), try Self.app("T.one", authority: 1)]
        var intermediates = VerifiedIntermediates()
        for authority in 0..<2 {
            let attestation = Self.attestation("T.one", authority: authority)
            #expect(Self.verify(attestation, for: apps, &intermediates).rejection == nil)
        }
    }

    @Test func `validity tells more than another root does, whatever the order`() throws {
        let apps = [try Self.app("T.one", authority: 0), try Self.app("T.two", authority: 1)]
        for apps in [apps, apps.reversed()] {
            var intermediates = VerifiedIntermediates()
            let attestation = Self.attestation("T.one", authority: 0)
            #expect(throws: Rejection.certificateExpired(.leaf)) {
                try AttestationVerifier(relyingParties: apps).verify(
                    attestation.object, keyID: attestation.keyID,
                    clientDataHash: MintedWorld.clientDataHash,
                    at: Instant(
                        milliseconds: MintedWorld.instant.milliseconds + 30 * 86_400_000),
                    intermediates: &intermediates)
            }
        }
    }

    @Test func `a full cache lets the oldest entry go and stays right`() throws {
        let apps = try (0..<3).map { try Self.app("T.app", authority: $0) }
        var intermediates = VerifiedIntermediates(countMax: 2)
        for authority in [0, 1, 2, 0, 0, 2, 1] {
            let attestation = Self.attestation("T.app", authority: authority)
            #expect(Self.verify(attestation, for: apps, &intermediates).rejection == nil)
            #expect(intermediates.count <= 2)
        }
        #expect(intermediates.count == 2)
    }

    @Test func `an app for macOS only takes no key of an iPhone`() throws {
        let root = try #require(TrustAnchor(der: Self.authorities[0].rootCertificate))
        let app = RelyingParty(appID: "T.mac", trustAnchor: root, macOSAccessControl: .always)
        var intermediates = VerifiedIntermediates()
        let attestation = Self.attestation("T.mac", authority: 0)
        #expect(Self.verify(attestation, for: [app], &intermediates).rejection == .aclMismatch)
    }
}
