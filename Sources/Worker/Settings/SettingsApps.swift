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
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            var inner = SettingContext(
                key: key + "." + name, origin: context.origin, readFile: context.readFile)
            if let target = SettingTarget(key: name, in: SettingsTable.app) {
                target.store(value, in: &app, context: &inner)
            } else {
                inner.note(unknown(name, among: SettingsTable.app.map(\.key)))
            }
            context.note(inner.problems)
        }
        if members["appId"] == nil {
            var inner = SettingContext(
                key: key, origin: context.origin, readFile: context.readFile)
            inner.note("must have an appId")
            context.note(inner.problems)
        }
        return app
    }
}
