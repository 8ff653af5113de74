extension SettingsReader {
    /// Reads the list of apps; it replaces whatever an earlier source gave.
    static func storeApps(
        _ value: SettingValue, in settings: inout Settings, context: inout SettingContext
    ) {
        var value = value
        if case .text(let json) = value {
            do {
                value = try SettingValue(parsingJSON5: Array(json.utf8))
            } catch {
                context.note(error.message)
                return
            }
        }
        guard case .list(let elements) = value, !elements.isEmpty else {
            context.note("must be a list of apps with at least one element")
            return
        }
        settings.apps = elements.enumerated().map { position, element in
            app(element, at: "\(context.key)[\(position)]", context: &context)
        }
    }

    private static func app(
        _ value: SettingValue, at key: String, context: inout SettingContext
    ) -> Settings.App {
        var app = Settings.App()
        guard case .object(let members) = value else {
            context.note("must have an object in each place, not \(value.written)")
            return app
        }
        apply(members, below: "", to: &app, at: key, context: &context)
        if members["appId"] == nil {
            var inner = SettingContext(
                key: key, origin: context.origin, readFile: context.readFile)
            inner.note("must have an appId")
            context.note(inner.problems)
        }
        return app
    }

    /// Stores members; a member may be an object whose members have keys below its own.
    private static func apply(
        _ members: [String: SettingValue], below prefix: String, to app: inout Settings.App,
        at appKey: String, context: inout SettingContext
    ) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let key = prefix + name
            var inner = SettingContext(
                key: appKey + "." + key, origin: context.origin, readFile: context.readFile)
            if let target = SettingTarget(key: key, in: SettingsTable.app) {
                target.store(value, in: &app, context: &inner)
            } else if SettingsTable.app.contains(where: { $0.key.hasPrefix(key + ".") }) {
                if case .object(let members) = value {
                    apply(members, below: key + ".", to: &app, at: appKey, context: &inner)
                } else {
                    inner.note("must be an object, not \(value.written)")
                }
            } else {
                inner.note(unknown(key, among: SettingsTable.app.map(\.key)))
            }
            context.note(inner.problems)
        }
    }
}
