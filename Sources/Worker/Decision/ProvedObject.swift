internal import AppAttest
internal import Wire

/// What a genuine attestation proves, as far as rules ask: by its verification, or by what was kept
/// of it.
struct ProvedAttestation: Sendable {
    /// The key.
    let keyID: KeyID
    /// The app.
    let appID: String
    /// The environment.
    let environment: AttestationEnvironment
    /// What the device signed about the app's code.
    let extensions: SignedExtensions
    /// `iphoneos` or `macosx`, where Apple's certificate says it.
    let platform: String?
    /// The credential certificate's serial number; nil where that was not kept.
    let leafSerial: CertificateSerial?

    /// What was verified now.
    init(_ verified: VerifiedAttestation) {
        keyID = verified.keyID
        appID = verified.appID
        environment = verified.environment
        extensions = verified.extensions
        platform = verified.platform
        leafSerial = verified.leafSerial
    }

    /// What was kept of one that was verified before; good for a trial, and for no decision.
    init(kept facts: AuditFacts, keyID: KeyID, appID: String, environment: AttestationEnvironment) {
        self.keyID = keyID
        self.appID = appID
        self.environment = environment
        extensions = SignedExtensions(kept: facts)
        platform = facts.platform
        leafSerial = nil
    }
}

/// What a genuine assertion proves, as far as rules ask.
struct ProvedAssertion: Sendable {
    /// The app.
    let appID: String
    /// The sign count.
    let signCount: UInt32
    /// What the device signed about the app's code.
    let extensions: SignedExtensions

    /// What was verified now.
    init(_ verified: VerifiedAssertion) {
        appID = verified.appID
        signCount = verified.signCount
        extensions = verified.extensions
    }

    /// What was kept of one that was verified before; good for a trial, and for no decision.
    init(kept facts: AuditFacts, appID: String) {
        self.appID = appID
        signCount = facts.signCount ?? 0
        extensions = SignedExtensions(kept: facts)
    }
}

extension SignedExtensions {
    fileprivate init(kept facts: AuditFacts) {
        let hash = facts.cdHash.flatMap { CodeDirectoryHash($0) }
        self.init(
            keptValidationCategory: facts.validationCategory, bundleVersion: facts.bundleVersion,
            cdHash: hash?.bytes, cdHashType: hash?.type,
            isAnnounced: facts.extensionsAnnounced ?? false)
    }
}
