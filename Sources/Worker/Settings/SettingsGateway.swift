extension Settings {
    /// The HTTP gateway, which is a process of its own.
    package struct Gateway: Hashable, Sendable {
        /// `address:port` where phones and backends are answered.
        package var listen = "127.0.0.1:8080"
        /// The partition of the reply topic that this instance alone reads.
        package var replyPartition: Int?
        /// How long a caller waits for a verdict.
        package var deadline: Duration = .seconds(10)
        /// The most bytes of a body.
        package var bodyBytesMax = 64 * 1024
        /// The most requests that wait for their verdicts.
        package var waitingMax = 2000
        /// The most connections.
        package var connectionsMax = 4000
        /// Keys that apps introduce themselves by, a line each.
        package var apiKeys: String?
        /// Tokens that backends introduce themselves by, a line each.
        package var bearerTokens: String?
        /// Whether callers without either are served.
        package var allowsAnonymous = false
        /// The header in which a proxy tells the caller's address; nil: there is no proxy.
        package var addressHeader: String?
        /// Limits of rates.
        package var rates = Rates()
    }

    /// How many requests are served; 0 is no limit.
    package struct Rates: Hashable, Sendable {
        /// Of one caller, in a minute.
        package var callerPerMinute = 120
        /// Of one caller, at once, after a quiet time.
        package var callerBurst = 60
        /// Of all callers together, in a second.
        package var totalPerSecond = 500
        /// Of all callers together, at once, after a quiet time.
        package var totalBurst = 2000
    }
}

extension SettingsTable {
    /// The settings of the gateway.
    static let gateway: [Setting<Settings>] = place + callers + rates

    private static let place: [Setting<Settings>] = [
        Setting(
            "gateway.listen", \.gateway.listen, .gatewayAddress,
            "Where `attest-worker gateway` answers phones and backends: [gateways](gateway.md). It"
                + " speaks no TLS: a proxy in front does."),
        Setting(
            "gateway.replyPartition", \.gateway.replyPartition, .optionalInteger(in: 0...100_000),
            "The partition of `kafka.topics.replies` that this instance reads: another one for each"
                + " instance."),
        Setting(
            "gateway.deadline", \.gateway.deadline,
            .duration(in: .milliseconds(100)...(.seconds(120))),
            "How long a caller waits for a verdict before it is answered 503. A verdict that comes"
                + " later is kept for its repetition."),
        Setting(
            "gateway.bodyBytesMax", \.gateway.bodyBytesMax, .size(in: 1024...(4 << 20)),
            "The most bytes of a request's body; real ones have up to 12 KiB. Above, it is 413."),
        Setting(
            "gateway.waitingMax", \.gateway.waitingMax, .integer(in: 1...100_000),
            "The most requests that wait for their verdicts; one more is answered 503 at once."),
        Setting(
            "gateway.connectionsMax", \.gateway.connectionsMax, .integer(in: 1...200_000),
            "The most connections; more wait until one ends, so let the proxy bound those of one"
                + " address. Times `gateway.bodyBytesMax`, the memory that callers can make the"
                + " gateway use."),
    ]

    private static let callers: [Setting<Settings>] = [
        Setting(
            "gateway.apiKeys", \.gateway.apiKeys, .callerSecrets, isSecret: true,
            "What apps send as `X-Goog-Api-Key`: a key a line, several while one replaces another."
                + " An app's key can be read out of the app: it keeps strangers away, no"
                + " attacker."),
        Setting(
            "gateway.bearerTokens", \.gateway.bearerTokens, .callerSecrets, isSecret: true,
            "What backends send as `Authorization: Bearer …`: a token a line. They may name a"
                + " `subject`, may consume tokens, and have no limit of their own, as many phones"
                + " stand behind one."),
        Setting(
            "gateway.allowAnonymous", \.gateway.allowsAnonymous, .flag,
            "Whether callers with neither are served."),
        Setting(
            "gateway.addressHeader", \.gateway.addressHeader,
            .headerName,
            "The header to whose end the proxy in front appends the caller's address, such as"
                + " `X-Forwarded-For`; the last address in it is believed. Set it only where every"
                + " request comes through that proxy. Unset, the connection's own address counts."),
    ]

    private static let rates: [Setting<Settings>] = [
        Setting(
            "gateway.rates.callerPerMinute", \.gateway.rates.callerPerMinute,
            .integer(in: 0...1_000_000),
            "How many requests in a minute are served from one address (of IPv6, one /64); above,"
                + " 429. Many phones can share an address. 0 is no limit."),
        Setting(
            "gateway.rates.callerBurst", \.gateway.rates.callerBurst, .integer(in: 1...1_000_000),
            "How many of them may come at once after a quiet time."),
        Setting(
            "gateway.rates.totalPerSecond", \.gateway.rates.totalPerSecond,
            .integer(in: 0...1_000_000),
            "How many requests in a second are served in all; above, 429. 0 is no limit."),
        Setting(
            "gateway.rates.totalBurst", \.gateway.rates.totalBurst, .integer(in: 1...10_000_000),
            "How many of them may come at once after a quiet time."),
    ]

    /// The names of an app in App Check's paths.
    static let resources: [Setting<Settings.App>] = [
        Setting(
            "resources", \.resources,
            .list(
                "a list of names, each once: projects/…/apps/… or oauthClients/…",
                of: SettingsReader.isAppCheckResource),
            "What the app is called in the paths of App Check's contract, for `attest-worker"
                + " gateway`: `projects/123/apps/1:123:ios:abc`, and the same with the project's id"
                + " for its number; `oauthClients/…` for Google Sign-In.")
    ]
}

extension SettingsReader {
    /// Whether a text is the name of an app in App Check's contract.
    package static func isAppCheckResource(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"%?#".utf8.contains($0) }
        }
        guard text.utf8.count <= 256, isName else { return false }
        return switch parts.count {
        case 2: parts[0] == "oauthClients"
        case 4: parts[0] == "projects" && parts[2] == "apps"
        default: false
        }
    }
}

extension SettingType<String> {
    /// An address and a port.
    fileprivate static var gatewayAddress: Self {
        let optional = SettingType<String?>.listenAddress
        return Self(rule: "`address:port`, an IPv6 address in brackets") { value in
            optional.parse(value) ?? nil
        } show: {
            .text($0)
        }
    }
}

extension SettingType<String?> {
    /// The name of an HTTP header: a token of RFC 9110, 5.6.2.
    fileprivate static var headerName: Self {
        .optional(
            SettingType<String>(rule: "a header's name, such as X-Forwarded-For") { value in
                guard case .text(let text) = value, (1...64).contains(text.utf8.count),
                    text.utf8.allSatisfy(isTokenByte)
                else { return nil }
                return text
            } show: {
                .text($0)
            })
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Secrets that callers introduce themselves by, a line each.
    fileprivate static var callerSecrets: Self {
        Self(rule: "lines of 16 to 512 characters without blanks, at most 1000 of them") { value in
            guard case .text(let text) = value else { return nil }
            let lines = text.split(whereSeparator: \.isNewline)
            let areSecrets = lines.allSatisfy { line in
                (16...512).contains(line.utf8.count)
                    && line.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            }
            // As a choice of two values the second would be a secret that is absent.
            guard !lines.isEmpty, lines.count <= 1000, areSecrets else { return nil }
            return text
        } show: {
            $0.map(SettingValue.text) ?? .null
        }
    }
}

extension SettingsRules {
    /// What is wrong with names of apps that are right one by one.
    static func resourceProblems(of reading: SettingsReader.Reading) -> [SettingProblem] {
        var problems: [SettingProblem] = []
        var seen: Set<String> = []
        for (position, app) in reading.settings.apps.enumerated() {
            func note(_ message: String) {
                problems.append(
                    SettingProblem(
                        key: "apps[\(position)].resources",
                        origin: reading.origins["apps"] ?? .standard, message: message))
            }
            if !app.resources.isEmpty, !app.moreAppIDs.isEmpty {
                note("must not be set beside moreAppIds: a name is one app's")
            }
            for name in app.resources where !seen.insert(name).inserted {
                note("has \(name), which another app has too")
            }
        }
        return problems
    }
}
