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
        return keyFindings(settings, access) + rootFindings(settings)
    }

    private static func keyFindings(
        _ settings: Settings, _ access: ProviderAccess
    ) -> [Finding] {
        do throws(Fault) {
            let key = try ProviderTokens(Live(access), read: Console.process.fileBytes).key()
            return [.fine("key for receipts", "\(key.keyID) of team \(key.teamID)")]
                + strangers(settings, access.teamID)
        } catch {
            return [.failure("key for receipts", .config, error.message)]
        }
    }

    /// Whether the roots are there; nothing where they are the system's.
    private static func rootFindings(_ settings: Settings) -> [Finding] {
        rootProblem(settings).map { [.failure("roots for receipts", .config, $0)] } ?? []
    }

    /// Why Apple's server could not be known by `receipts.caPath`; nil if it can, or is not set.
    static func rootProblem(_ settings: Settings) -> String? {
        guard let path = settings.receipts.caPath else { return nil }
        guard let bytes = Console.process.fileBytes(path) else {
            return "the file of receipts.caPath can't be read: \(printable(path))"
        }
        guard PEM.hasCertificate(String(decoding: bytes, as: UTF8.self)) else {
            return "the file of receipts.caPath must hold certificates in PEM: \(printable(path))"
        }
        return nil
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
