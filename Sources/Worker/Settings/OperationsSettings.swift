extension SettingsTable {
    /// What is told of the process, and where.
    static let operations: [Setting<Settings>] = [
        Setting(
            "operations.listen", \.operations.listen, .listenAddress,
            "Where HTTP answers `/metrics`, `/livez`, `/readyz`, `/startupz`, `/statusz`,"
                + " `/version` and `/.well-known/jwks.json`. They have no secrets and no access"
                + " control: to let others than this machine in, name an address that only the"
                + " monitoring reaches. Port 0 lets the system choose, and the log tells which."),
        Setting(
            "operations.stallTimeout", \.operations.stallTimeout,
            .duration(in: .seconds(1)...(.seconds(3600))),
            "After so long without a sign of life of one lane `/livez` fails. A lane that sits out"
                + " an outage gives signs."),
        Setting(
            "operations.statisticsInterval", \.operations.statisticsInterval,
            .duration(in: .seconds(1)...(.seconds(300))),
            "How often the Kafka clients tell of themselves: lag, queues, brokers."),
    ]
}

extension SettingsRules {
    /// A lane that waits for a database must not be taken for stuck: then an outage of the database
    /// would restart workers.
    static func operationsProblems(of reading: SettingsReader.Reading) -> [SettingProblem] {
        let postgres = reading.settings.postgres
        // A transaction is two round trips, each given up 5 s after the statement's own limit.
        let longestCall = postgres.connectTimeout + (postgres.statementTimeout + .seconds(5)) * 2
        // A statement timeout that is too long by another rule was told already.
        guard postgres.statementTimeout < reading.settings.kafka.maxPollInterval,
            reading.settings.operations.stallTimeout <= longestCall
        else { return [] }
        let key = "operations.stallTimeout"
        return [
            SettingProblem(
                key: key, origin: reading.origins[key] ?? .standard,
                message: "must be longer than postgres.connectTimeout plus twice"
                    + " postgres.statementTimeout plus 10s, which a call to a database may take"
                    + " that does not answer")
        ]
    }
}

extension SettingType<String?> {
    /// An address and a port, or `off`.
    static var listenAddress: Self {
        Self(rule: "`address:port`, an IPv6 address in brackets, or `off`") { value in
            switch value {
            case .text("off"): .some(nil)
            case .text(let text) where isListenAddress(text): text
            case .text, .flag, .number, .fraction, .list, .object, .null: nil
            }
        } show: {
            .text($0 ?? "off")
        }
    }
}

/// Whether a text looks like an address and a port; whether it is one, the system will tell.
private func isListenAddress(_ text: String) -> Bool {
    guard let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) != nil,
        text.utf8.count <= 64
    else { return false }
    let host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    return host.utf8.count > (isBracketed ? 2 : 0) && (isBracketed || !host.contains(":"))
        && host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default:
                false
            }
        }
}
