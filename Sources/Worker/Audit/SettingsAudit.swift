extension Settings {
    /// What is kept of each decision.
    package struct Audit: Hashable, Sendable {
        /// Whether anything is.
        package var isEnabled = false
        /// For how long.
        package var retention: Duration = .seconds(400 * 86_400)
    }
}

extension SettingsTable {
    /// The settings of the audit.
    static let audit: [Setting<Settings>] = [
        Setting(
            "audit.enabled", \.audit.isEnabled, .flag,
            "Whether each decision is kept in `attest.audit`, in its own transaction, with what it"
                + " rested on: [audit](audit.md). Some 500 bytes a decision."),
        Setting(
            "audit.retention", \.audit.retention,
            .duration(in: .seconds(86_400)...(.seconds(3650 * 86_400))),
            "How long decisions are kept. Counted in whole days."),
    ]
}
