import FoundationEssentials
import Worker

/// What an embedded worker tells whoever started it: one line of JSON.
struct EmbeddedAnnouncement: Encodable, Sendable {
    /// The worker's topics.
    struct Topics: Encodable, Sendable {
        let requests: [String]
        let verdicts: String
        let deadLetters: String
        /// Nil where receipts are not refreshed.
        let risk: String?
        /// Nil where no copies are sent to gateways.
        let replies: String?
    }

    /// The app that is configured when the settings name none.
    struct SimulatedApp: Encodable, Sendable {
        let appId: String
        /// The number its root follows from.
        let seed: UInt64
        /// The root, as PEM.
        let trustAnchor: String
    }

    /// `host:port` of the embedded broker.
    let bootstrapServers: String
    /// A connection string of libpq, the password in it; drivers of other languages take the URI.
    let postgres: String
    /// The same as a URI.
    let postgresURI: String
    let topics: Topics
    /// The ids of all apps.
    let appIds: [String]
    /// Nil when the settings have apps of their own.
    let simulatedApp: SimulatedApp?

    /// The line, a newline at its end; nil if it can't be encoded.
    var line: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) + [0x0A] }
    }
}
