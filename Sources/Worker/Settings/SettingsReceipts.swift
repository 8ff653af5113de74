extension Settings {
    /// The refresh of receipts at Apple.
    package struct Receipts: Hashable, Sendable {
        /// The file of the key for Apple's server; nil: receipts are not refreshed.
        package var keyPath: String?
        /// The key's id; nil: as the file's name tells it.
        package var keyID: String?
        /// The developer team that asks.
        package var teamID: String?
        /// When and how often.
        package var rules = RefreshRules()
        /// Where keys of production builds are asked about.
        package var productionURL = "https://data.appattest.apple.com/v1/attestationData"
        /// Where keys of development builds are.
        package var developmentURL =
            "https://data-development.appattest.apple.com/v1/attestationData"
        /// The proxy on the way there.
        package var proxy: String?
        /// Certificates in place of the system's, a file in PEM.
        package var caPath: String?
        /// How long one request may take.
        package var timeout: Duration = .seconds(20)

        /// Who asks Apple; nil: receipts are not refreshed.
        package var access: ProviderAccess? {
            guard let keyPath, let teamID else { return nil }
            return ProviderAccess(keyPath: keyPath, keyID: keyID, teamID: teamID)
        }
    }
}

extension SettingsTable {
    /// The settings of the refresh of receipts.
    static let receipts: [Setting<Settings>] = [
        Setting(
            "receipts.keyPath", \.receipts.keyPath,
            .optionalText("a file's path", bytesMax: 4096),
            "The file `AuthKey_….p8` of a key with DeviceCheck enabled, from the developer account."
                + " It is read anew every ten minutes and when Apple refuses the token. Unset,"
                + " receipts are not refreshed and no risk metric is known."),
        Setting(
            "receipts.keyId", \.receipts.keyID, .accountID,
            "The id of that key; unset, as the file's name tells it."),
        Setting(
            "receipts.teamId", \.receipts.teamID, .accountID,
            "The developer team that the key and the apps belong to. A fleet asks for one team; the"
                + " apps of another need workers of their own, with `apps` and a group of theirs."),
        Setting(
            "receipts.interval", \.receipts.rules.interval,
            .duration(in: .seconds(86_400)...(.seconds(60 * 86_400))),
            "From one receipt of a key to the next. Keys are spread over the last fifth of it."),
        Setting(
            "receipts.firstWithin", \.receipts.rules.firstWithin,
            .duration(in: .milliseconds(0)...(.seconds(7 * 86_400))),
            "How soon after its attestation a key is asked about; keys are spread over this time."),
        Setting(
            "receipts.pauseMin", \.receipts.rules.pauseMin,
            .duration(in: .milliseconds(100)...(.seconds(7 * 86_400))),
            "The least time between two tries for one key that reach Apple, which wants a day. A"
                + " worker that dies while it asks leaves the key alone for so long. Less than a"
                + " day is for tests."),
        Setting(
            "receipts.seenWithin", \.receipts.rules.seenWithin,
            .duration(in: .seconds(86_400)...(.seconds(3650 * 86_400))),
            "A key that was not seen for so long is not asked about until it is seen again. What it"
                + " costs: a key that stays away for 90 days needs a new attestation before Apple"
                + " tells its metric again."),
        Setting(
            "receipts.perSecondMax", \.receipts.rules.perSecondMax, .integer(in: 1...1000),
            "The most requests a second of all workers together."),
        Setting(
            "receipts.perDayMax", \.receipts.rules.perDayMax, .integer(in: 1...1_000_000_000),
            "The most requests a day (UTC) of all workers together."),
        Setting(
            "receipts.productionUrl", \.receipts.productionURL, .serverURL,
            "Where keys of production builds are asked about."),
        Setting(
            "receipts.developmentUrl", \.receipts.developmentURL, .serverURL,
            "Where keys of development builds are asked about."),
        Setting(
            "receipts.proxy", \.receipts.proxy,
            .optionalText("a proxy's URL, such as \"http://proxy:3128\"", bytesMax: 2048),
            isSecret: true,
            "The proxy on the way to Apple; it may hold a user and a password. Unset, `https_proxy`"
                + " and `no_proxy` count."),
        Setting(
            "receipts.caPath", \.receipts.caPath,
            .optionalText("the path of a file of certificates in PEM", bytesMax: 4096),
            "Roots to trust for Apple's server, in place of the system's."),
        Setting(
            "receipts.timeout", \.receipts.timeout,
            .duration(in: .milliseconds(100)...(.seconds(300))),
            "How long one request to Apple may take."),
    ]
}

extension SettingType<String?> {
    /// The id of a key or of a team.
    fileprivate static var accountID: Self {
        Self(rule: "10 letters and digits") { value in
            guard case .text(let text) = value, ProviderAccess.isID(text) else { return nil }
            return text
        } show: {
            $0.map(SettingValue.text) ?? .null
        }
    }
}

extension SettingType<String> {
    /// Where a server is.
    fileprivate static var serverURL: Self {
        Self(rule: "an https or http URL without user and password") { value in
            SettingType<String?>.url.parse(value).flatMap { $0 }
        } show: {
            .text($0)
        }
    }
}

extension SettingsRules {
    /// What is wrong with the settings of receipts that are right one by one.
    static func receiptProblems(of reading: SettingsReader.Reading) -> [SettingProblem] {
        let settings = reading.settings
        var problems: [SettingProblem] = []
        func demand(_ holds: Bool, _ key: String, _ message: String) {
            guard !holds else { return }
            problems.append(
                SettingProblem(
                    key: key, origin: reading.origins[key] ?? .standard, message: message))
        }
        guard settings.receipts.keyPath != nil else { return [] }
        demand(
            settings.receipts.teamID != nil, "receipts.teamId",
            "must be set beside receipts.keyPath: Apple must know who asks")
        demand(
            settings.receipts.access?.effectiveKeyID != nil || settings.receipts.teamID == nil,
            "receipts.keyId", "must be set, as the name of the key's file tells no id")
        let topics = settings.kafka.topics
        demand(
            !(topics.requests + [topics.verdicts, topics.deadLetters]).contains(topics.risk),
            "kafka.topics.risk", "must be a topic of its own: its readers expect changes only")
        return problems
    }
}
