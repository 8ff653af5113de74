extension Settings {
    /// How tokens are made and taken.
    package struct Tokens: Hashable, Sendable {
        /// A key, and the file that it was read from.
        package struct KeyFile: Hashable, Sendable {
            /// The file's path.
            package var path: String
            /// The key.
            package var key: TokenKey
        }

        /// `iss` of all tokens; nil: none are made.
        package var issuer: String?
        /// The keys: the first one signs.
        package var keyFiles: [KeyFile] = []

        /// What workers go by; nil where none are made.
        package var policy: TokenPolicy? {
            issuer.flatMap { TokenPolicy(issuer: $0, keys: keyFiles.map(\.key)) }
        }
    }

    /// The tokens of one app, as they are set.
    package struct AppTokens: Hashable, Sendable {
        /// The app's public name; nil: it gets none.
        package var subject: String?
        /// Who shall take them.
        package var audience: [String] = []
        /// For how long one is good.
        package var ttl: Duration = .seconds(3600)
        /// For how long one for limited use is.
        package var limitedUseTTL: Duration = .seconds(300)

        /// What workers go by; nil where the app gets none.
        package var policy: Worker.AppTokens? {
            subject.map {
                Worker.AppTokens(
                    subject: $0, audience: audience, lifetime: ttl,
                    limitedUseLifetime: limitedUseTTL)
            }
        }
    }
}

extension SettingsTable {
    /// The settings of tokens.
    static let tokens: [Setting<Settings>] = [
        Setting(
            "tokens.issuer", \.tokens.issuer, .optional(.claim),
            "`iss` of the tokens that accepted requests are answered with: [tokens](tokens.md). The"
                + " URL of whoever serves the key set is usual. Unset, there are no tokens."),
        .tokenKeys,
    ]

    /// The settings of one app's tokens.
    static let appTokens: [Setting<Settings.App>] = [
        Setting(
            "tokens.subject", \.tokens.subject, .optional(.claim),
            "`sub` of this app's tokens: its public name, such as an app id of Firebase's. Unset,"
                + " its requests are answered without a token."),
        Setting(
            "tokens.audience", \.tokens.audience,
            .list("a list of 1 to \(audienceMax) names, each once") {
                SettingType<String>.claim.parse(.text($0)) != nil
            }.atMost(audienceMax),
            "`aud` of this app's tokens: the services that take them."),
        Setting(
            "tokens.ttl", \.tokens.ttl, .duration(in: .seconds(1800)...(.seconds(7 * 86_400))),
            "For how long a token of this app is good, from its request's timestamp."),
        Setting(
            "tokens.limitedUseTtl", \.tokens.limitedUseTTL,
            .duration(in: .seconds(30)...(.seconds(3600))),
            "The same of one for limited use, which may be consumed once."),
    ]

    private static let audienceMax = 8
}

extension Setting<Settings> {
    /// `tokens.keyFiles`: paths, each read at once.
    fileprivate static let tokenKeys = Setting(
        key: "tokens.keyFiles",
        rule: "a list of 1 to \(TokenPolicy.keyCountMax) files, each with \(TokenKey.rule)",
        summary: "The keys of tokens. The first one signs: P-256 makes ES256, RSA RS256. All of"
            + " them stand in the key set, and tokens of all are taken by `consume`. To rotate, a"
            + " new one is added as the last, then moved to the front, then the old one is taken"
            + " away: [the steps](../RUNBOOK.md#rotating-secrets). `openssl genpkey -algorithm EC"
            + " -pkeyopt ec_paramgen_curve:P-256` makes one.",
        isSecret: false, takesFile: false, isMap: false
    ) { settings, value, context in
        let paths = SettingType<[String]>.list("") { !$0.isEmpty && $0.utf8.count <= 4096 }
            .atMost(TokenPolicy.keyCountMax)
        guard let paths = paths.parse(value) else {
            context.note("must be a list of 1 to \(TokenPolicy.keyCountMax) paths, each once")
            return
        }
        var files: [Settings.Tokens.KeyFile] = []
        for path in paths {
            guard let text = context.contents(of: .text(path)) else { continue }
            guard let key = TokenKey(pem: Array(text.utf8)) else {
                context.note("names the file \(path), which must hold \(TokenKey.rule)")
                continue
            }
            if let other = files.first(where: { $0.key == key }) {
                context.note("names the files \(other.path) and \(path), which hold the same key")
            }
            files.append(Settings.Tokens.KeyFile(path: path, key: key))
        }
        settings.tokens.keyFiles = files
    } show: { settings in
        .list(settings.tokens.keyFiles.map { .text($0.path) })
    }
}

extension SettingType<String> {
    /// What stands in a claim: an issuer, an app's public name, a service.
    fileprivate static var claim: Self {
        Self(rule: "1 to 256 visible ASCII characters") { value in
            guard case .text(let text) = value, (1...256).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { return nil }
            return text
        } show: {
            .text($0)
        }
    }
}

extension SettingType<[String]> {
    /// The same list with so many elements at the most.
    fileprivate func atMost(_ count: Int) -> Self {
        let parse = parse
        return Self(rule: rule, parse: { parse($0).flatMap { $0.count <= count ? $0 : nil } }) {
            .list($0.map(SettingValue.text))
        }
    }
}

extension SettingsRules {
    /// What is wrong with the settings of tokens that are right one by one.
    static func webTokenProblems(
        of reading: SettingsReader.Reading, noted: [String]
    ) -> [SettingProblem] {
        let settings = reading.settings
        var problems: [SettingProblem] = []
        func demand(_ holds: Bool, _ key: String, at table: String, _ message: String) {
            guard !holds else { return }
            problems.append(
                SettingProblem(
                    key: key, origin: reading.origins[table] ?? .standard, message: message))
        }
        let areKeysNoted = noted.contains { $0.hasPrefix("tokens.keyFiles") }
        let hasKeys = !settings.tokens.keyFiles.isEmpty || areKeysNoted
        let isIssuerNoted = noted.contains { $0.hasPrefix("tokens.issuer") }
        let hasIssuer = settings.tokens.issuer != nil || isIssuerNoted
        demand(
            hasKeys || !hasIssuer, "tokens.keyFiles", at: "tokens.issuer",
            "must be set beside tokens.issuer: without a key no token can be signed")
        demand(
            hasIssuer || !hasKeys, "tokens.issuer", at: "tokens.keyFiles",
            "must be set beside tokens.keyFiles: tokens tell who made them")
        // A policy's document, which `check --policy` tries, has no servers and no keys.
        let isPolicy = settings.kafka.bootstrapServers.isEmpty
        var subjects: Set<String> = []
        for (position, app) in settings.apps.enumerated() {
            let at = "apps[\(position)].tokens"
            let isAudienceNoted = noted.contains { $0.hasPrefix("\(at).audience") }
            demand(
                app.tokens.subject == nil || !app.tokens.audience.isEmpty || isAudienceNoted,
                "\(at).audience", at: "apps",
                "must be set beside tokens.subject: a token is for somebody")
            guard let subject = app.tokens.subject else { continue }
            demand(
                hasKeys || hasIssuer || isPolicy, "\(at).subject", at: "apps",
                "must not be set without tokens.issuer and tokens.keyFiles, which sign tokens")
            demand(
                app.moreAppIDs.isEmpty, "\(at).subject", at: "apps",
                "must not be set beside moreAppIds: each app has a public name of its own, so"
                    + " list them one by one")
            demand(
                subjects.insert(subject).inserted, "\(at).subject", at: "apps",
                "must not be another app's too: it tells whose a token is")
        }
        return problems
    }
}
