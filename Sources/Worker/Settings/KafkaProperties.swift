extension Setting<Settings> {
    /// `kafka.properties`: any property of librdkafka, by its own name.
    ///
    /// What librdkafka makes of them, and which of them the guarantees rest on, the transport
    /// knows.
    static let properties = Setting(
        key: "kafka.properties", rule: "an object of librdkafka property names and values",
        summary: "Properties passed to librdkafka as they are, TLS and SASL among them. As one"
            + " variable or flag, an object in JSON; one by one,"
            + " `ATTEST_KAFKA__PROPERTIES__SASL_MECHANISM` sets `sasl.mechanism`, and"
            + " `…__SASL_PASSWORD_FILE` names a file that holds `sasl.password`. Those that the"
            + " guarantees rest on are refused.",
        isSecret: false, takesFile: false, isMap: true
    ) { settings, value, context in
        guard let members = objectMembers(value) else {
            context.note("must be an object of librdkafka property names and values")
            return
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let text = propertyText(value) else {
                context.note("must have a text, a number or a boolean for \(name)")
                continue
            }
            settings.kafka.properties[name] = text
        }
    } show: { settings in
        .object(
            Dictionary(
                uniqueKeysWithValues: settings.kafka.properties.map { name, value in
                    (name, .text(isSecretProperty(name) ? secretMask : value))
                }))
    }

    /// `kafka.propertyFiles`: the same, with the values in files.
    static let propertyFiles = Setting(
        key: "kafka.propertyFiles", rule: "an object of librdkafka property names and file paths",
        summary: "Properties whose values are kept in files: `{\"sasl.password\": \"/run/…\"}`.",
        isSecret: false, takesFile: false, isMap: true
    ) { settings, value, context in
        guard let members = objectMembers(value) else {
            context.note("must be an object of librdkafka property names and file paths")
            return
        }
        for (name, path) in members.sorted(by: { $0.key < $1.key }) {
            if let text = context.contents(of: path) { settings.kafka.properties[name] = text }
        }
    } show: { _ in
        .object([:])
    }
}

/// What is printed in place of a secret.
let secretMask = "***"

/// The members of an object, which one variable or one flag holds as JSON.
private func objectMembers(_ value: SettingValue) -> [String: SettingValue]? {
    switch value {
    case .object(let members):
        return members
    case .text(let json):
        guard case .object(let members)? = try? SettingValue(parsingJSON5: Array(json.utf8)) else {
            return nil
        }
        return members
    case .number, .fraction, .flag, .list, .null:
        return nil
    }
}

/// A property's value as librdkafka takes it.
private func propertyText(_ value: SettingValue) -> String? {
    switch value {
    case .text(let text): text
    case .number(let number): String(number)
    case .fraction(let number): String(number)
    case .flag(let flag): String(flag)
    case .list, .object, .null: nil
    }
}

/// Whether a property's value is never printed.
///
/// Rather one too many than one too few: all names of librdkafka that hold passwords, keys and
/// tokens have one of these words in them.
private func isSecretProperty(_ name: String) -> Bool {
    ["password", "secret", "pem", "oauthbearer.config", "token", "key"].contains {
        name.lowercased().contains($0)
    }
}
