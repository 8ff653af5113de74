internal import AppAttest

extension Settings {
    /// How challenges are minted and taken.
    package struct Challenges: Hashable, Sendable {
        /// Authenticates challenges; nil: none are minted, and none taken.
        package var secret: String?
        /// Authenticated challenges before: they are still taken.
        package var previousSecret: String?
        /// For how long a challenge is good.
        package var ttl: Duration = .seconds(300)
        /// The member of a payload in JSON that has the challenge.
        package var payloadField = "challenge"

        /// What workers, and whoever mints challenges, go by; nil where there is no secret.
        package var policy: ChallengePolicy? {
            guard let secret,
                let secrets = SecretKeyRing(
                    current: Array(secret.utf8),
                    previous: previousSecret.map { [Array($0.utf8)] } ?? [])
            else { return nil }
            return ChallengePolicy(secrets: secrets, lifetime: ttl, field: payloadField)
        }
    }
}

extension SettingsTable {
    /// The settings of challenges.
    static let challenges: [Setting<Settings>] = [
        Setting(
            "challenges.secret", \.challenges.secret, .sharedSecret, isSecret: true,
            "Authenticates the challenges that workers, `attest-worker challenge` and the library"
                + " mint, for apps with `challenge: \"signed\"`: [challenges](challenges.md). The"
                + " same for all of a fleet. `openssl rand -base64 48` makes one."),
        Setting(
            "challenges.previousSecret", \.challenges.previousSecret, .sharedSecret,
            isSecret: true,
            "The secret before, whose challenges are still taken: set it while the secret is"
                + " rotated."),
        Setting(
            "challenges.ttl", \.challenges.ttl, .duration(in: .seconds(10)...(.seconds(86_400))),
            "For how long a challenge is good, from the timestamp of the record that asked for it"
                + " to that of the record that uses it."),
        Setting(
            "challenges.payloadField", \.challenges.payloadField,
            .text("a name of 1 to 64 bytes", bytesMax: 64),
            "Where client data is a JSON object, the member that has the challenge. Otherwise the"
                + " client data is the challenge, as bytes or as base64."),
    ]
}

extension SettingType<String?> {
    /// A secret that authenticates what is handed out; nil is none.
    static var sharedSecret: Self {
        let range = SecretKeyRing.secretByteCountMin...SecretKeyRing.secretByteCountMax
        return Self(rule: "a secret of \(range.lowerBound) to \(range.upperBound) bytes") { value in
            guard case .text(let text) = value, range.contains(text.utf8.count) else { return nil }
            return text
        } show: {
            $0.map(SettingValue.text) ?? .null
        }
    }
}

extension SettingsRules {
    /// What is wrong with the settings of challenges that are right one by one.
    static func challengeProblems(
        of reading: SettingsReader.Reading, noted: [String]
    ) -> [SettingProblem] {
        let settings = reading.settings
        var problems: [SettingProblem] = []
        func note(_ key: String, at table: String, _ message: String) {
            problems.append(
                SettingProblem(
                    key: key, origin: reading.origins[table] ?? .standard, message: message))
        }
        let challenges = settings.challenges
        let previous = "challenges.previousSecret"
        if let secret = challenges.previousSecret, challenges.secret.map({ $0 == secret }) ?? true {
            note(previous, at: previous, "must not be set unless challenges.secret is another one")
        }
        // A policy's document, which `check --policy` tries, has no servers and no secrets.
        let isNoted = noted.contains { $0.hasPrefix("challenges.secret") }
        guard challenges.secret == nil, !settings.kafka.bootstrapServers.isEmpty, !isNoted else {
            return problems
        }
        for (position, app) in settings.apps.enumerated() where app.rules.challenge == .signed {
            note(
                "apps[\(position)].challenge", at: "apps",
                "must not be signed without challenges.secret, which tells whose challenges they"
                    + " are")
        }
        return problems
    }
}
