package import AppAttest
package import Wire

/// Everything an operator can set, checked.
///
/// ``SettingsTable`` has the key, rule and text of each; the values here are the defaults.
package struct Settings: Hashable, Sendable {
    /// The broker, its topics and the group.
    package struct Kafka: Hashable, Sendable {
        /// `host:port` of brokers to start from.
        package var bootstrapServers: [String] = []
        /// The consumer group that all workers of a fleet share.
        package var groupID = "attest-worker"
        /// What brokers call this process in their logs and quotas.
        package var clientID = "attest-worker"
        /// The topics.
        package var topics = Topics()
        /// How long a silent member keeps its partitions.
        package var sessionTimeout: Duration = .seconds(45)
        /// How long a member may go without a poll.
        package var maxPollInterval: Duration = .seconds(300)
        /// How the group shares partitions out.
        package var assignmentStrategy = AssignmentStrategy.range
        /// A name that survives restarts, for static membership.
        package var groupInstanceID: String?
        /// The most bytes that one lane fetches ahead.
        package var prefetchBytesMax = 8 << 20
        /// The file with the token for SASL OAUTHBEARER.
        package var tokenPath: String?
        /// The program that prints the token for SASL OAUTHBEARER, with its arguments.
        package var tokenCommand: [String] = []
        /// Properties of librdkafka that are passed through.
        package var properties: [String: String] = [:]
        /// The most bytes of a record that the producer sends, unless `message.max.bytes` is set.
        package static let producedBytesMaxDefault = 4 << 20
    }

    /// The topics' names.
    package struct Topics: Hashable, Sendable {
        /// Where requests are read from.
        package var requests = ["attest.requests.v1"]
        /// Where verdicts are published.
        package var verdicts = "attest.verdicts.v1"
        /// Where records go in which no request can be read.
        package var deadLetters = "attest.dead-letters.v1"
        /// Where changes of the risk metric are published.
        package var risk = "attest.risk.v1"
        /// Where copies of verdicts go whose requests ask for one; nil: none are sent.
        package var replies: String?
    }

    /// How the members of a consumer group share partitions out, by librdkafka's names.
    package enum AssignmentStrategy: String, Hashable, Sendable, CaseIterable {
        /// Ranges of each topic.
        case range
        /// One after the other over all topics.
        case roundRobin = "roundrobin"
        /// Few moves; can abort the process with librdkafka before 2.3.0.
        case cooperativeSticky = "cooperative-sticky"
    }

    /// The database.
    package struct Postgres: Hashable, Sendable {
        /// A libpq connection string or URI; empty leaves everything to the `PG*` variables.
        package var connection = ""
        /// The password, where neither the connection string nor libpq's own means have it.
        package var password = ""
        /// How long one host may take to accept a connection.
        package var connectTimeout: Duration = .seconds(5)
        /// How long one statement may wait for a row.
        package var lockTimeout: Duration = .seconds(2)
        /// How long one statement may run.
        package var statementTimeout: Duration = .seconds(10)
        /// How long decided requests are remembered.
        package var inboxRetention: Duration = .seconds(30 * 86_400)
        /// Whether `synchronous_commit = off` is tolerated.
        package var allowsAsynchronousCommit = false
        /// Whether a pooler in transaction mode stands in between.
        package var isPooled = false
    }

    /// The lanes.
    package struct Lanes: Hashable, Sendable {
        /// How many there are; 0 is two a core.
        package var count = 0
        /// What bounds each of them.
        package var limits = LaneLimits()
        /// The bytes of records that all of them hold together at the most.
        package var memoryBudget = 512 << 20
        /// How far behind the clock a record's timestamp may lie.
        package var maxRequestAge: Duration = .seconds(7 * 86_400)
        /// How far ahead of the clock a record's timestamp may lie.
        package var maxClockSkew: Duration = .seconds(300)
        /// How large messages may be.
        package var messageLimits = MessageLimits()
    }

    /// What is told of the process, and where.
    package struct Operations: Hashable, Sendable {
        /// `address:port` of the HTTP endpoints; nil switches them off.
        package var listen: String? = "127.0.0.1:9464"
        /// After so long without a sign of life a lane is taken for stuck.
        package var stallTimeout: Duration = .seconds(300)
        /// How often Kafka's clients tell of themselves.
        package var statisticsInterval: Duration = .seconds(5)
    }

    /// The policy for one app.
    package struct App: Hashable, Sendable {
        /// `TEAMID.bundle.identifier`.
        package var appID = ""
        /// Further apps with the same policy.
        package var moreAppIDs: [String] = []
        /// Apple's environments whose keys are taken.
        package var environments: Set<AttestationEnvironment> = [.production]
        /// What genuine objects are held against besides.
        package var rules = AppRules()
        /// Another trust anchor than Apple's, as PEM: for simulated devices only.
        package var trustAnchor: String?
        /// Another root of receipts than Apple's, as PEM: for simulated devices only.
        package var receiptTrustAnchor: String?
        /// Its tokens.
        package var tokens = AppTokens()
        /// Whether its devices are simulated; an app has another trust anchor exactly if they are.
        package var isSimulated = false

        /// What it is called in the paths of App Check's contract.
        package var resources: [String] = []

        /// All apps with this policy.
        package var appIDs: [String] { [appID] + moreAppIDs }

        /// The defaults; the app id must be set.
        package init() {}
    }

    /// How log lines look.
    package enum LogFormat: String, Hashable, Sendable, CaseIterable {
        /// Text on a terminal, JSON elsewhere.
        case auto
        /// One JSON object a line.
        case json
        /// For a person.
        case text
    }

    /// The log.
    package struct LogPart: Hashable, Sendable {
        /// The least level that is written.
        package var level = LogLevel.info
        /// How lines look.
        package var format = LogFormat.auto
    }

    /// The broker, its topics and the group.
    package var kafka = Kafka()
    /// The database.
    package var postgres = Postgres()
    /// The lanes.
    package var worker = Lanes()
    /// The apps whose objects are judged.
    package var apps: [App] = []
    /// The log.
    package var log = LogPart()
    /// What is told of the process, and where.
    package var operations = Operations()
    /// Spans for a tracing system.
    package var traces = Traces()
    /// What is revoked beside the database.
    package var revocations = Revocations()
    /// The refresh of receipts at Apple.
    package var receipts = Receipts()
    /// What is kept of decisions.
    package var audit = Audit()
    /// How challenges are minted and taken.
    package var challenges = Challenges()
    /// How artifacts are made and taken.
    package var artifacts = Artifacts()
    /// How tokens are made and taken.
    package var tokens = Tokens()
    /// The HTTP gateway.
    package var gateway = Gateway()

    /// The defaults.
    package init() {}
}
