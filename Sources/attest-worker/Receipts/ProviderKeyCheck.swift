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
        } catch {
            return [.failure("key for receipts", .config, error.message)]
        }
    }
}

extension Console {
    /// A file's bytes; nil if it can't be read, or is too large for a key.
    var fileBytes: @Sendable (String) -> [UInt8]? {
        let readFile = readFile
        return { path in try? readFile(path) }
    }
}
