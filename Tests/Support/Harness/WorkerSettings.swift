internal import FoundationEssentials

/// A settings file for a worker under test.
package struct WorkerSettings: Encodable, Sendable {
    package struct Kafka: Encodable, Sendable {
        package struct Topics: Encodable, Sendable {
            package var requests: [String]
            package var verdicts: String
            package var deadLetters: String
            package var risk: String?
            package var replies: String?

            /// Topics by their names.
            package init(requests: [String], verdicts: String, deadLetters: String) {
                self.requests = requests
                self.verdicts = verdicts
                self.deadLetters = deadLetters
            }
        }

        package struct OAuth: Encodable, Sendable {
            package var tokenPath: String?
            package var tokenCommand: [String]?

            /// One or the other.
            package init(tokenPath: String? = nil, tokenCommand: [String]? = nil) {
                self.tokenPath = tokenPath
                self.tokenCommand = tokenCommand
            }
        }

        package var bootstrapServers: [String]
        package var oauth: OAuth?
        package var groupId: String
        package var topics: Topics
        // Above the 3 s that the mock broker needs for a join.
        package var sessionTimeout = "6s"
        package var maxPollInterval = "60s"
        package var properties = ["reconnect.backoff.max.ms": "500"]

        /// A group on these topics.
        package init(bootstrapServers: [String], groupId: String, topics: Topics) {
            self.bootstrapServers = bootstrapServers
            self.groupId = groupId
            self.topics = topics
        }
    }

    package struct Postgres: Encodable, Sendable {
        package var connection: String
        package var connectTimeout = "2s"
        package var password: String?
        package var passwordFile: String?

        /// A database by its connection string.
        package init(connection: String) {
            self.connection = connection
        }
    }

    package struct Lanes: Encodable, Sendable {
        package var lanes = 1
        package var maxRequestAge = "7d"
        package var drainTimeout = "20s"
        package var batchRecordsMax = 50
        package var idleWait = "100ms"
        package var deadLettersInARowMax = 1000

        /// One lane.
        package init() {}
    }

    package struct Operations: Encodable, Sendable {
        // Many workers share this machine: the system chooses the port.
        package var listen = "127.0.0.1:0"
        package var stallTimeout = "300s"
        package var statisticsInterval = "1s"

        /// A port of its own.
        package init() {}
    }

    package struct App: Encodable, Hashable, Sendable {
        package var appId: String
        package var environments = ["production"]
        /// A root in place of Apple's, which needs the mark beside it.
        package var trustAnchor: String?
        package var receiptTrustAnchor: String?
        package var simulated: Bool?
        package var reattestation: String?
        package var replayWindow: Int?
        package var challenge: String?
        package var counterJump: CounterJump?
        package var tokens: AppTokens?

        /// An app; Apple's root and production keys unless told otherwise.
        package init(
            appId: String, environments: [String] = ["production"], trustAnchor: String? = nil,
            simulated: Bool? = nil
        ) {
            self.appId = appId
            self.environments = environments
            self.trustAnchor = trustAnchor
            self.simulated = simulated
        }
    }

    package struct AppTokens: Encodable, Hashable, Sendable {
        package var subject: String
        package var audience: [String]

        /// An app's public name, and who takes its tokens.
        package init(subject: String, audience: [String]) {
            self.subject = subject
            self.audience = audience
        }
    }

    package struct Tokens: Encodable, Sendable {
        package var issuer: String
        package var keyFiles: [String]

        /// Tokens, signed with the first of these keys.
        package init(issuer: String, keyFiles: [String]) {
            self.issuer = issuer
            self.keyFiles = keyFiles
        }
    }

    package struct Receipts: Encodable, Sendable {
        package var keyPath: String
        package var teamId: String
        package var productionUrl: String
        package var developmentUrl: String
        package var caPath: String
        // Due at once.
        package var firstWithin = "0s"

        /// Receipts are refreshed at a server that stands for Apple's.
        package init(keyPath: String, teamId: String, url: String, caPath: String) {
            self.keyPath = keyPath
            self.teamId = teamId
            productionUrl = url
            developmentUrl = url
            self.caPath = caPath
        }
    }

    package struct CounterJump: Encodable, Hashable, Sendable {
        package var max: Int
        package var mode: String

        /// A limit, and what is done with more.
        package init(max: Int, mode: String) {
            self.max = max
            self.mode = mode
        }
    }

    package struct Audit: Encodable, Sendable {
        package var enabled = true

        /// Decisions are kept.
        package init() {}
    }

    package struct Revocations: Encodable, Sendable {
        package var path: String

        /// A list in a file.
        package init(path: String) {
            self.path = path
        }
    }

    package struct Log: Encodable, Sendable {
        package var level = "debug"
        package var format = "json"

        /// Everything, as JSON.
        package init() {}
    }

    package var kafka: Kafka
    package var postgres: Postgres
    package var worker = Lanes()
    package var apps: [App]
    package var receipts: Receipts?
    package var log = Log()
    package var operations = Operations()
    package var audit: Audit?
    package var revocations: Revocations?
    package var tokens: Tokens?

    /// Settings of the parts that have no defaults.
    package init(kafka: Kafka, postgres: Postgres, apps: [App]) {
        self.kafka = kafka
        self.postgres = postgres
        self.apps = apps
    }

    /// The file's text.
    package var json: String {
        get throws {
            String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        }
    }
}
