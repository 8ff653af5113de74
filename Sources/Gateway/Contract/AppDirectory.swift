package import Worker

/// The apps that callers may speak of.
package struct AppDirectory: Hashable, Sendable {
    private var appIDs: [String: String] = [:]
    private var projects: Set<String> = []
    private var all: Set<String> = []

    /// The apps of the settings, by their names in App Check's paths and by their own.
    package init(_ apps: [Settings.App]) {
        for app in apps {
            all.formUnion(app.appIDs)
            for resource in app.resources {
                appIDs[resource] = app.appID
                let parts = resource.split(separator: "/")
                if parts.count == 4 { projects.insert("projects/\(parts[1])") }
            }
        }
    }

    /// The app of a name in a path; nil where there is none.
    package func appID(of resource: String) -> String? {
        appIDs[resource]
    }

    /// Whether a project has an app here.
    package func hasProject(_ name: String) -> Bool {
        projects.contains(name)
    }

    /// The app that a caller names, or the only one there is; nil where that tells none.
    package func appID(named name: String?) -> String? {
        guard let name else { return all.count == 1 ? all.first : nil }
        return all.contains(name) ? name : nil
    }
}
