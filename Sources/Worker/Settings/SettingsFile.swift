extension SettingsReader.Reading {
    /// The settings as a JSON5 file that would give them again, but for secrets, which are masked.
    ///
    /// A comment behind a value tells where it came from, if it is not the default.
    package var file: String {
        let entries = SettingsTable.all.compactMap { setting -> Entry? in
            guard !SettingsPage.isUnset(setting.show(settings)) else { return nil }
            return Entry(
                path: setting.key.split(separator: ".").map(String.init)[...],
                value: SettingsPage.shown(setting, settings), origin: origins[setting.key])
        }
        return "{\n" + members(entries[...], indent: "  ") + "}\n"
    }

    /// A setting on its way into nested objects.
    private struct Entry {
        var path: ArraySlice<String>
        let value: String
        let origin: SettingOrigin?
    }

    /// The members of one object; entries with the same first part lie side by side in the table.
    private func members(_ entries: ArraySlice<Entry>, indent: String) -> String {
        var text = ""
        var rest = entries
        while let first = rest.first, let name = first.path.first {
            if first.path.count == 1 {
                let comment = first.origin.map { "  // \($0)" } ?? ""
                text += "\(indent)\"\(name)\": \(first.value),\(comment)\n"
                rest = rest.dropFirst()
                continue
            }
            let group = rest.prefix { $0.path.first == name }
            rest = rest.dropFirst(group.count)
            let inner = group.map { entry in
                Entry(path: entry.path.dropFirst(), value: entry.value, origin: entry.origin)
            }
            text += "\(indent)\"\(name)\": {\n"
            text += members(inner[...], indent: indent + "  ") + "\(indent)},\n"
        }
        return text
    }
}

extension SettingValue {
    /// The value as JSON in one line, members sorted.
    var json: String {
        switch self {
        case .text(let text): quotedAsJSON(text)
        case .number(let number): String(number)
        case .fraction(let number): String(number)
        case .flag(let flag): String(flag)
        case .null: "null"
        case .list(let values): "[" + values.map(\.json).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { quotedAsJSON($0.key) + ": " + $0.value.json }.joined(separator: ", ") + "}"
        }
    }
}
