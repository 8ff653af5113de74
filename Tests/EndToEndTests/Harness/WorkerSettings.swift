import FoundationEssentials

/// A settings file for a worker under test.
struct WorkerSettings: Encodable, Sendable {
    struct Kafka: Encodable, Sendable {
        struct Topics: Encodable, Sendable {
            var requests: [String]
            var verdicts: String
            var deadLetters: String
        }

        var bootstrapServers: [String]
        var groupId: String
        var topics: Topics
        // Above the 3 s that the mock broker needs for a join.
        var sessionTimeout = "6s"
        var maxPollInterval = "60s"
        var properties = ["reconnect.backoff.max.ms": "500"]
    }

    struct Postgres: Encodable, Sendable {
        var connection: String
        var connectTimeout = "2s"
        var password: String?
    }

    struct Lanes: Encodable, Sendable {
        var lanes = 1
        var maxRequestAge = "7d"
        var drainTimeout = "20s"
        var batchRecordsMax = 50
        var idleWait = "100ms"
        var deadLettersInARowMax = 1000
    }

    struct App: Encodable, Hashable, Sendable {
        var appId: String
        var environments = ["production"]
        /// A root in place of Apple's, which needs the mark beside it.
        var trustAnchor: String?
        var simulated: Bool?
    }

    struct Log: Encodable, Sendable {
        var level = "debug"
        var format = "json"
    }

    var kafka: Kafka
    var postgres: Postgres
    var worker = Lanes()
    var apps: [App]
    var log = Log()

    /// The file's text.
    var json: String {
        get throws {
            String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        }
    }
}
