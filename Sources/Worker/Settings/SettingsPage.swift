/// Settings for a person: as a file, as help, and as the reference page.
package enum SettingsPage {
    /// The settings as they stand in `--help`: flag, default, text and rule.
    package static func help() -> String {
        let defaults = Settings()
        return SettingsTable.all.map { setting in
            let standard = isUnset(setting.show(defaults)) ? "" : " [\(shown(setting, defaults))]"
            return "  --\(setting.key)=…\(standard)\n"
                + wrapped("\(setting.summary) Must be \(setting.rule).", indent: "      ")
        }.joined(separator: "\n")
    }

    /// The reference page, Markdown.
    package static func reference() -> String {
        let sections = [
            ("kafka", "The broker, its topics and the group"), ("postgres", "The database"),
            ("worker", "The lanes"), ("apps", "The apps"), ("log", "The log"),
            ("operations", "Metrics and health"),
            ("traces", "Spans for a tracing system"),
            ("receipts", "Receipts and the risk metric"),
            ("revocations", "What is revoked beside the database"),
            ("audit", "What is kept of decisions"),
            ("challenges", "Challenges that workers see to"),
            ("artifacts", "Artifacts of App Check's contract"),
            ("tokens", "Tokens of App Check's contract"),
            ("gateway", "The HTTP gateway"),
        ]
        let defaults = Settings()
        var page = introduction
        for (name, title) in sections {
            page += "\n## \(title)\n"
            for setting in SettingsTable.all
            where setting.key == name || setting.key.hasPrefix(name + ".") {
                page += entry(setting, defaults, variable: setting.variable)
            }
        }
        page += "\n## One app\n\nThe members of each object in the list `apps`.\n"
        for setting in SettingsTable.app { page += entry(setting, Settings.App(), variable: nil) }
        return page
    }

    /// A value as one would write it in a file; a secret is masked.
    static func shown<Root>(_ setting: Setting<Root>, _ root: Root) -> String {
        let value = setting.show(root)
        return setting.isSecret && !isUnset(value) ? "\"\(secretMask)\"" : value.json
    }

    /// Whether there is nothing to show: the setting has no default and was not set.
    static func isUnset(_ value: SettingValue) -> Bool {
        switch value {
        case .text(let text): text.isEmpty
        case .list(let list): list.isEmpty
        case .object(let object): object.isEmpty
        case .null: true
        case .number, .fraction, .flag: false
        }
    }

    /// The entry of a setting; one without a variable belongs to an app.
    private static func entry<Root>(
        _ setting: Setting<Root>, _ defaults: Root, variable: String?
    ) -> String {
        var lines = ["\n### `\(setting.key)`\n", setting.summary, ""]
        lines.append("- must be \(setting.rule)")
        let standard = setting.show(defaults)
        lines.append(isUnset(standard) ? "- no default" : "- default `\(standard.json)`")
        if let variable { lines.append("- variable `\(variable)`") }
        if setting.takesFile {
            let fileVariable = variable.map { " or the variable `\($0)_FILE`" } ?? ""
            lines.append("- may be kept in a file that `\(setting.key)File`\(fileVariable) names")
        }
        if setting.isSecret { lines.append("- a secret: never printed") }
        if variable != nil { lines.append("- \(setting.reloadNote)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let introduction = """
        # Settings

        Written by `attest-worker config --reference`; a test compares the two.

        A setting comes from, later ones stand: its default, the file named by `--config` or
        `\(SettingsReader.configVariable)` (JSON5: comments and trailing commas are fine), the
        environment, a flag `--key=value`. In variables `__` stands for the dot between sections and
        `_` for the hump of a word; a list is written with commas. All problems are reported at
        once, each with key, origin and rule, and unknown keys are problems.

        On SIGHUP `attest-worker run` reads file, environment and the files of secrets again. Each
        entry below tells whether a new value is taken over: apps between two batches of a lane,
        passwords by connections that are made from then on. Where Kafka's clients must be made
        anew, also as a certificate's file has other contents, the lanes do so one after the other:
        each commits, leaves its group and comes back, and the next waits for that. What counts
        after a restart is named in a warning (`restart_needed`). Settings with a problem, and files
        that no client can be made with, change nothing: the old ones stay, and one line tells what
        is wrong. PostgreSQL's TLS files are read by each new connection, without any SIGHUP.

        """

    /// Breaks text into lines of at most 96 columns.
    private static func wrapped(_ text: String, indent: String) -> String {
        var lines: [String] = []
        var line = indent
        for word in text.split(separator: " ") {
            if line.count + word.count + 1 > 96 {
                lines.append(line)
                line = indent
            }
            line += line == indent ? String(word) : " " + word
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
