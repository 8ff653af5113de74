/// The policy that settings describe, as settings that describe it: JSON that a worker, or
/// `attest-worker check --policy`, can load.
///
/// Defaults are written out, so that it still means the same once a version has other defaults.
/// Equal policies have equal documents: names are sorted, and nothing else of the settings is in
/// it.
package enum PolicyDocument {
    /// The document of settings.
    package static func of(_ settings: Settings) -> String {
        var shown: [String: SettingValue] = [:]
        for setting in SettingsTable.all
        where ["apps", "worker.maxRequestAge", "worker.maxClockSkew"].contains(setting.key) {
            let parts = setting.key.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                shown[setting.key] = setting.show(settings)
                continue
            }
            var members: [String: SettingValue] = [:]
            if case .object(let object) = shown[parts[0]] { members = object }
            members[parts[1]] = setting.show(settings)
            shown[parts[0]] = .object(members)
        }
        return json(.object(shown))
    }

    private static func json(_ value: SettingValue) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .number(let number): String(number)
        case .fraction(let number): String(number)
        case .flag(let flag): String(flag)
        case .null: "null"
        case .list(let elements): "[" + elements.map(json).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { quoted($0.key) + ":" + json($0.value) }.joined(separator: ",") + "}"
        }
    }

    /// Escapes what RFC 8259 §7 demands.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
