/// An app whose keys are taken, and on which conditions.
public struct RelyingParty: Hashable, Sendable {
    /// When a key must carry Apple's access control constant for macOS.
    public enum AccessControlPolicy: String, Hashable, Sendable, CaseIterable {
        /// When its certificate says `macosx`.
        case whereCertificateSaysMacOS
        /// Always: the app exists for macOS only.
        case always
    }

    /// The app id: prefix (normally the team id), full stop, bundle identifier.
    public let appID: String
    /// The environments whose keys are taken.
    public let environments: Set<AttestationEnvironment>
    /// The root that attestations must chain to.
    public let trustAnchor: TrustAnchor
    /// When the access control constant for macOS is demanded.
    public let macOSAccessControl: AccessControlPolicy
    /// SHA-256 of the app id.
    public let idHash: RelyingPartyIDHash

    /// An app and its conditions.
    ///
    /// - Parameters:
    ///   - appID: the app id as text, compared byte for byte.
    ///   - environments: the environments whose keys are taken.
    ///   - trustAnchor: Apple's root, save for simulated devices.
    ///   - macOSAccessControl: when the access control constant for macOS is demanded.
    public init(
        appID: String, environments: Set<AttestationEnvironment> = [.production],
        trustAnchor: TrustAnchor = .appleAppAttestRoot,
        macOSAccessControl: AccessControlPolicy = .whereCertificateSaysMacOS
    ) {
        self.appID = appID
        self.environments = environments
        self.trustAnchor = trustAnchor
        self.macOSAccessControl = macOSAccessControl
        idHash = RelyingPartyIDHash(appID: appID)
    }
}
