/// What a new reading of the settings changes for a process that runs.
///
/// Some settings are taken over as they are, some by making the lanes' Kafka clients anew; the
/// others count after a restart. What needs one stays as it was, and is told again by each further
/// reading until the process is restarted.
package struct SettingsChange: Hashable, Sendable {
    /// Keys whose new values are taken over, in the order of the reference page.
    package let takenOver: [String]
    /// Keys whose new values need a restart, in the same order.
    package let needingRestart: [String]
    /// Whether what is taken over needs new Kafka clients.
    package let renewsClients: Bool
    /// The settings in force from now on: the old ones but for what is taken over.
    package let inForce: Settings

    /// Settings that are taken over while the process runs.
    static let liveKeys: Set<String> = [
        "postgres.password", "worker.maxRequestAge", "worker.maxClockSkew", "apps", "log.level",
        "traces.headers", "traces.caPath", "traces.timeout", "traces.interval",
        "receipts.keyPath", "receipts.keyId",
        "challenges.secret", "challenges.previousSecret", "challenges.ttl",
        "challenges.payloadField",
        "artifacts.secret", "artifacts.previousSecret", "artifacts.lifetime",
        "gateway.apiKeys", "gateway.bearerTokens", "gateway.allowAnonymous",
        "tokens.issuer", "tokens.keyFiles",
    ]

    /// Settings that new Kafka clients take over.
    static let clientKeys: Set<String> = ["kafka.oauth.tokenPath", "kafka.oauth.tokenCommand"]

    /// Properties of librdkafka that a client takes over while it lives: as whom a connection that
    /// is made later introduces itself.
    static let liveProperties: Set<String> = ["sasl.username", "sasl.password"]

    /// Whether a property of librdkafka is about how connections are secured: only a client that is
    /// made anew takes it over.
    static func isOfConnections(_ property: String) -> Bool {
        ["ssl.", "sasl.", "enable.ssl.", "enable.sasl.", "security.protocol"]
            .contains { property.hasPrefix($0) }
    }

    /// Compares.
    ///
    /// - Parameters:
    ///   - old: the settings in force.
    ///   - new: those that were read now, checked.
    ///   - isSameDatabase: whether two connection strings differ at most in how a session
    ///     introduces itself; such a change is taken over.
    package init(
        from old: Settings, to new: Settings, isSameDatabase: (String, String) -> Bool
    ) {
        var takenOver: [String] = []
        var needingRestart: [String] = []
        var renewsClients = false
        for setting in SettingsTable.all {
            let key = setting.key
            if key == "kafka.properties" {
                for name in Self.changedProperties(from: old, to: new) {
                    // One that is taken away is known to a client for as long as it lives.
                    let isLive =
                        Self.liveProperties.contains(name) && new.kafka.properties[name] != nil
                        && old.kafka.properties[name] != nil
                    if isLive || Self.isOfConnections(name) {
                        takenOver.append("\(key).\(name)")
                        renewsClients = renewsClients || !isLive
                    } else {
                        needingRestart.append("\(key).\(name)")
                    }
                }
            } else if setting.show(old) != setting.show(new)
                // The same path may hold another key now.
                || key == "tokens.keyFiles" && old.tokens.keyFiles != new.tokens.keyFiles
            {
                let isRenewing = Self.clientKeys.contains(key)
                renewsClients = renewsClients || isRenewing
                if isRenewing || Self.isLive(key, old, new, isSameDatabase) {
                    takenOver.append(key)
                } else {
                    needingRestart.append(key)
                }
            }
        }
        self.takenOver = takenOver
        self.needingRestart = needingRestart
        self.renewsClients = renewsClients
        inForce = Self.merge(old, new, takenOver)
    }

    private static func isLive(
        _ key: String, _ old: Settings, _ new: Settings,
        _ isSameDatabase: (String, String) -> Bool
    ) -> Bool {
        switch key {
        case "postgres.connection":
            isSameDatabase(old.postgres.connection, new.postgres.connection)
        case "traces.endpoint":
            // Whether spans are made at all is settled at the start.
            old.traces.endpoint != nil && new.traces.endpoint != nil
        case "receipts.keyPath":
            // And so is whether receipts are refreshed.
            old.receipts.keyPath != nil && new.receipts.keyPath != nil
        default: liveKeys.contains(key)
        }
    }

    private static func changedProperties(from old: Settings, to new: Settings) -> [String] {
        let (old, new) = (old.kafka.properties, new.kafka.properties)
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
    }

    private static func merge(_ old: Settings, _ new: Settings, _ takenOver: [String]) -> Settings {
        var settings = old
        settings.apps = new.apps
        settings.worker.maxRequestAge = new.worker.maxRequestAge
        settings.worker.maxClockSkew = new.worker.maxClockSkew
        settings.log.level = new.log.level
        settings.challenges = new.challenges
        settings.artifacts = new.artifacts
        settings.tokens = new.tokens
        settings.postgres.password = new.postgres.password
        if takenOver.contains("postgres.connection") {
            settings.postgres.connection = new.postgres.connection
        }
        if takenOver.contains("receipts.keyPath") {
            settings.receipts.keyPath = new.receipts.keyPath
        }
        settings.receipts.keyID = new.receipts.keyID
        for name in changedProperties(from: old, to: new)
        where takenOver.contains("kafka.properties.\(name)") {
            settings.kafka.properties[name] = new.kafka.properties[name]
        }
        settings.kafka.tokenPath = new.kafka.tokenPath
        settings.kafka.tokenCommand = new.kafka.tokenCommand
        if takenOver.contains("traces.endpoint") { settings.traces.endpoint = new.traces.endpoint }
        settings.traces.headers = new.traces.headers
        settings.traces.caPath = new.traces.caPath
        settings.traces.timeout = new.traces.timeout
        settings.traces.interval = new.traces.interval
        return settings
    }
}

extension Setting {
    /// Whether a new value is taken over while the process runs; what is said of it on the page.
    var reloadNote: String {
        switch key {
        case "postgres.connection":
            "taken over on SIGHUP if only user, password or TLS files differ"
        case "kafka.properties", "kafka.propertyFiles":
            "on SIGHUP `sasl.username` and `sasl.password` are taken over, and with new clients all"
                + " that begins with `ssl.`, `sasl.` or `enable.ssl.`, `security.protocol`, and the"
                + " files named there; the others count after a restart"
        case "traces.endpoint":
            "taken over on SIGHUP, but that there is one at all counts after a restart"
        default:
            if SettingsChange.clientKeys.contains(key) {
                "taken over on SIGHUP, with new clients"
            } else if SettingsChange.liveKeys.contains(key) {
                "taken over on SIGHUP"
            } else {
                "counts after a restart"
            }
        }
    }
}
