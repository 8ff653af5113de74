package import AppAttest
internal import Wire

/// How artifacts are made and taken.
package struct ArtifactPolicy: Hashable, Sendable {
    /// Authenticate artifacts.
    package var secrets: SecretKeyRing
    /// For how long an artifact is good.
    package var lifetime: Duration

    /// A policy from its parts.
    package init(secrets: SecretKeyRing, lifetime: Duration) {
        self.secrets = secrets
        self.lifetime = lifetime
    }

    /// The artifact of a key that was attested at an instant.
    func artifact(of keyID: KeyID, appID: String, at instant: Instant) -> [UInt8] {
        Artifact(keyID: keyID, appID: appID, issued: instant, secrets: secrets).bytes
    }

    /// Why an artifact is refused at an instant; nil where it is good.
    func refusal(of artifact: [UInt8], appID: String, at instant: Instant) -> WorkerReason? {
        do throws(Artifact.Fault) {
            _ = try Artifact(
                verifying: artifact, appID: appID,
                lifetimeMilliseconds: lifetime.wholeMilliseconds, at: instant, secrets: secrets)
            return nil
        } catch {
            return switch error {
            case .invalid: .artifactInvalid
            case .wrongApp: .artifactWrongApp
            case .expired: .artifactExpired
            }
        }
    }
}
