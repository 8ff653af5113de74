import AppAttest
import PostgresStore
import Worker

/// The part of the start-up check that looks at the key for Apple's server.
enum ProviderKeyCheck {
    /// Whether the key is there; nothing where receipts are not refreshed.
    ///
    /// Apple is not asked.
    static func findings(_ settings: Settings) -> [Finding] {
        guard let access = settings.receipts.access else { return [] }
        do throws(Fault) {
            let key = try ProviderTokens(Live(access), read: Console.process.fileBytes).key()
            return [.fine("key for receipts", "\(key.keyID) of team \(key.teamID)")]
                + strangers(settings, access.teamID)
        } catch {
            return [.failure("key for receipts", .config, error.message)]
        }
    }

    /// Apps that seem to be another team's; about those Apple answers 401, and the fleet pauses.
    ///
    /// A warning only: old apps have prefixes that are no team's.
    private static func strangers(_ settings: Settings, _ teamID: String) -> [Finding] {
        let apps = settings.apps.filter { !$0.isSimulated }.flatMap(\.appIDs)
            .filter { !$0.hasPrefix(teamID + ".") }
        guard let first = apps.first else { return [] }
        return [
            Finding(
                .warning, "team of receipts",
                found: "\(apps.count) apps, such as \(first), have another prefix than \(teamID)",
                needed: "apps of one team, whose key is receipts.keyPath",
                remedy: "give apps of another team workers and a group of their own; if the prefix"
                    + " is just an old one, there is nothing to do")
        ]
    }
}

extension Console {
    /// A file's bytes; nil if it can't be read, or is too large for a key.
    var fileBytes: @Sendable (String) -> [UInt8]? {
        let readFile = readFile
        return { path in try? readFile(path) }
    }
}
