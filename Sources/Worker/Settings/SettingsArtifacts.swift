internal import AppAttest

extension Settings {
    /// How artifacts are made and taken.
    package struct Artifacts: Hashable, Sendable {
        /// Authenticates artifacts; nil: none are made, and none taken.
        package var secret: String?
        /// Authenticated artifacts before: they are still taken.
        package var previousSecret: String?
        /// For how long an artifact is good.
        package var lifetime: Duration = .seconds(365 * 86_400)

        /// What workers go by; nil where there is no secret.
        package var policy: ArtifactPolicy? {
            guard let secret,
                let secrets = SecretKeyRing(
                    current: Array(secret.utf8),
                    previous: previousSecret.map { [Array($0.utf8)] } ?? [])
            else { return nil }
            return ArtifactPolicy(secrets: secrets, lifetime: lifetime)
        }
    }
}

extension SettingsTable {
    /// The settings of artifacts.
    static let artifacts: [Setting<Settings>] = [
        Setting(
            "artifacts.secret", \.artifacts.secret, .sharedSecret, isSecret: true,
            "Authenticates the artifacts of App Check's contract: with it, an accepted registration"
                + " in this dialect is answered with one, and its assertions are taken:"
                + " [artifacts](artifacts.md). The same for all of a fleet."),
        Setting(
            "artifacts.previousSecret", \.artifacts.previousSecret, .sharedSecret,
            isSecret: true,
            "The secret before, whose artifacts are still taken. Without it they are"
                + " `artifact_invalid`, and their apps attest anew."),
        Setting(
            "artifacts.lifetime", \.artifacts.lifetime,
            .duration(in: .seconds(3600)...(.seconds(3650 * 86_400))),
            "For how long an artifact is good; then assertions with it are `artifact_expired`, and"
                + " the app attests anew."),
    ]
}

extension SettingsRules {
    /// What is wrong with the settings of artifacts that are right one by one.
    static func artifactProblems(of reading: SettingsReader.Reading) -> [SettingProblem] {
        let artifacts = reading.settings.artifacts
        let key = "artifacts.previousSecret"
        guard let previous = artifacts.previousSecret,
            artifacts.secret.map({ $0 == previous }) ?? true
        else { return [] }
        return [
            SettingProblem(
                key: key, origin: reading.origins[key] ?? .standard,
                message: "must not be set unless artifacts.secret is another one")
        ]
    }
}
