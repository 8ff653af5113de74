/// A command line split into flags and switches, before any key is looked up.
struct SettingsCommandLine {
    /// `--key=value` or `--key value`.
    struct Flag: Hashable {
        let key: String
        let value: String
    }

    private(set) var flags: [Flag] = []
    private(set) var switches: Set<String> = []
    private(set) var configPath: String?
    private(set) var problems: [SettingProblem] = []

    /// Splits.
    ///
    /// - Parameters:
    ///   - arguments: what stands behind the command's name.
    ///   - offered: flags without a value, dashes included.
    init(_ arguments: [String], switches offered: Set<String>) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if offered.contains(argument) {
                switches.insert(argument)
                continue
            }
            guard argument.hasPrefix("--"), argument.count > 2 else {
                note(argument, "is not a flag")
                continue
            }
            let parts = argument.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            guard let key = parts.first else { continue }
            if parts.count == 2 {
                take(key, parts[1])
            } else if let value = rest.first, !value.hasPrefix("--") {
                rest.removeFirst()
                take(key, value)
            } else if key == "config" || SettingTarget(key: key, in: SettingsTable.all) != nil {
                note("--" + key, "must have a value: --\(key)=…")
            } else {
                let switches = offered.map { String($0.dropFirst(2)) }.sorted()
                note("--" + key, unknown(key, among: switches + SettingsTable.all.map(\.key)))
            }
        }
    }

    private mutating func take(_ key: String, _ value: String) {
        if key == "config" {
            configPath = value
        } else {
            flags.append(Flag(key: key, value: value))
        }
    }

    private mutating func note(_ argument: String, _ message: String) {
        problems.append(
            SettingProblem(
                key: argument, origin: .flag(argument), message: message, isUsage: true))
    }
}
