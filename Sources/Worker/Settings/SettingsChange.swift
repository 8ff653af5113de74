/// What a new reading of the settings changes for a process that runs.
///
/// Some settings are taken over as they are; the others count after a restart. What needs one stays
/// as it was, and is told again by each further reading until the process is restarted.
package struct SettingsChange: Hashable, Sendable {
    /// Keys whose new values are taken over, in the order of the reference page.
    package let takenOver: [String]
    /// Keys whose new values need a restart, in the same order.
    package let needingRestart: [String]
    /// The settings in force from now on: the old ones but for what is taken over.
    package let inForce: Settings

    /// Settings that are taken over while the process runs.
    static let liveKeys: Set<String> = [
        "postgres.password", "worker.maxRequestAge", "worker.maxClockSkew", "apps", "log.level",
    ]

    /// Properties of librdkafka that are taken over while the process runs: as whom a connection
    /// that is made later introduces itself.
    static let liveProperties: Set<String> = ["sasl.username", "sasl.password"]

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
        for setting in SettingsTable.all {
            let key = setting.key
            if key == "kafka.properties" {
                for name in Self.changedProperties(from: old, to: new) {
                    let isLive = Self.liveProperties.contains(name)
                    // An absent one can't be taken back: librdkafka keeps what it was given.
                    if isLive, new.kafka.properties[name] != nil {
                        takenOver.append("\(key).\(name)")
                    } else {
                        needingRestart.append("\(key).\(name)")
                    }
                }
            } else if setting.show(old) != setting.show(new) {
                let isLive =
                    key == "postgres.connection"
                    ? isSameDatabase(old.postgres.connection, new.postgres.connection)
                    : Self.liveKeys.contains(key)
                if isLive { takenOver.append(key) } else { needingRestart.append(key) }
            }
        }
        self.takenOver = takenOver
        self.needingRestart = needingRestart
        inForce = Self.merge(old, new, takenOver)
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
        settings.postgres.password = new.postgres.password
        if takenOver.contains("postgres.connection") {
            settings.postgres.connection = new.postgres.connection
        }
        for name in liveProperties {
            if let value = new.kafka.properties[name] { settings.kafka.properties[name] = value }
        }
        return settings
    }
}

extension Setting {
    /// Whether a new value is taken over while the process runs; what is said of it on the page.
    var reloadNote: String? {
        switch key {
        case "postgres.connection":
            "taken over on SIGHUP if only user, password or TLS files differ"
        case "kafka.properties", "kafka.propertyFiles":
            "`sasl.username` and `sasl.password` are taken over on SIGHUP"
        default:
            SettingsChange.liveKeys.contains(key) ? "taken over on SIGHUP" : nil
        }
    }
}
