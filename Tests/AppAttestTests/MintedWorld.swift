import AppAttest
import AttestTestKit
import Testing

/// A private root, an app that trusts it, and its devices.
enum MintedWorld {
    static let authority = TestAuthority(seed: 1)
    static let appID = "TEAM123456.com.example.app"
    static let clientDataHash = ClientDataHash(hashing: Array("challenge".utf8))
    /// In the era of certificates that name a purpose.
    static let instant = Instant(seconds: 1_790_000_000)

    static func device(
        _ shape: DeviceShape, _ environment: AttestationEnvironment = .production,
        seed: UInt64 = 7, authority: TestAuthority = authority
    ) -> SimulatedDevice {
        SimulatedDevice(
            seed: seed, appID: appID, environment: environment, shape: shape, authority: authority)
    }

    /// A verifier for the app that takes keys of one environment.
    static func verifier(
        _ environment: AttestationEnvironment = .production, authority: TestAuthority = authority
    ) throws -> AttestationVerifier {
        let anchor = try #require(TrustAnchor(der: authority.rootCertificate))
        return AttestationVerifier(relyingParties: [
            RelyingParty(appID: appID, environments: [environment], trustAnchor: anchor)
        ])
    }

    /// A cache that knows the genuine intermediate.
    static let warmIntermediates = Result {
        var intermediates = VerifiedIntermediates()
        let attestation = device(.iOS27).attest(clientDataHash: clientDataHash, at: instant)
        _ = try verifier().verify(
            attestation.object, keyID: attestation.keyID, clientDataHash: clientDataHash,
            at: instant, intermediates: &intermediates)
        return intermediates
    }
}

/// Whether the intermediate certificate was verified before.
enum CacheState: CaseIterable {
    case cold
    case warm

    func intermediates() throws -> VerifiedIntermediates {
        switch self {
        case .cold: VerifiedIntermediates()
        case .warm: try MintedWorld.warmIntermediates.get()
        }
    }
}
