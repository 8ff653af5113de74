extension Settings {
    /// The list of what is revoked beside the database.
    package struct Revocations: Hashable, Sendable {
        /// The list's file; nil: there is none.
        package var path: String?
        /// How often it is looked whether the file has changed.
        package var interval: Duration = .seconds(1)
        /// How old the file may become before it is told; nil for ever.
        package var ageMax: Duration?
    }
}

extension SettingsTable {
    /// The settings of the list of revocations.
    static let revocations: [Setting<Settings>] = [
        Setting(
            "revocations.path", \.revocations.path,
            .optionalText("a file's path", bytesMax: 4096),
            "A list of revoked keys, certificates and apps, whose form"
                + " [revocations](revocations.md) tells. It is read in full before the first"
                + " request is judged, and again when the file changes."),
        Setting(
            "revocations.interval", \.revocations.interval,
            .duration(in: .milliseconds(100)...(.seconds(3600))),
            "How often it is looked whether the file has changed; SIGHUP looks at once."),
        Setting(
            "revocations.maxAge", \.revocations.ageMax,
            .optionalDuration(in: .seconds(60)...(.seconds(3650 * 86_400))),
            "How old the file may become: beyond it the alert `AttestRevocationsStale` fires."
                + " Unset, it may be as old as it likes."),
    ]
}
