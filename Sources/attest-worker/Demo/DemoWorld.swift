import AppAttest
import AttestTestKit
import Dispatch
import Glibc
import KafkaTransport
import PostgresStore
import Wire
import Worker

/// What stands around the demo's worker, and the worker itself: brokers, a server, two lanes.
///
/// Used by one thread; the lanes have theirs.
final class DemoWorld {
    /// How many lanes there are: two, so that they have to share the partitions out.
    static let laneCount = 2
    /// Partitions of requests and of verdicts.
    static let partitionCount = 4

    let broker: EmbeddedBroker
    let postgres: TemporaryPostgres
    let settings: Settings
    private let log: Log
    private let events = Mailbox<Supervisor.Event>()
    private let outcome = Mailbox<ExitCode>()
    private var areLanesRunning = false
    /// How the lanes ended; nil while they run.
    private(set) var lanesEnd: ExitCode?

    /// Starts everything but the lanes; the tables and the topics are there then.
    ///
    /// - Parameters:
    ///   - postgres: a server that runs, its tables not made yet.
    ///   - authority: who signs the devices' attestations.
    ///   - log: takes the lanes' lines.
    /// - Throws: what broker or database have against it.
    init(
        postgres: TemporaryPostgres, authority: TestAuthority, log: Log
    ) throws(Fault) {
        self.postgres = postgres
        self.log = log
        broker = try EmbeddedBroker()
        var settings = Settings()
        settings.kafka.bootstrapServers = broker.bootstrapServers.split(separator: ",")
            .map(String.init)
        settings.kafka.groupID = "attest-worker-demo"
        settings.postgres.connection = postgres.conninfo()
        settings.worker.count = Self.laneCount
        // A consumer that begins its first join anew is a second member to the embedded broker,
        // which then waits for the first one until its session times out. It must exceed 3 s.
        settings.kafka.sessionTimeout = .seconds(6)
        var app = Settings.App()
        app.appID = DemoPlan.appID
        app.trustAnchor = authority.rootCertificateAsPEM
        app.isSimulated = true
        settings.apps = [app]
        self.settings = settings
        let topics = settings.kafka.topics
        for topic in topics.requests + [topics.verdicts] {
            try broker.createTopic(topic, partitions: Self.partitionCount)
        }
        try broker.createTopic(topics.deadLetters, partitions: 1)
        _ = try Migrations.apply(PostgresSettings(settings, owner: "demo"))
    }

    /// Starts the lanes, by the code of `attest-worker run`.
    func startLanes() throws(Fault) {
        let fleet = Fleet(
            settings: settings, policy: Policy(settings),
            identity: WorkerIdentity(version: Version.text, id: "demo"), log: log)
        areLanesRunning = DetachedThread.start { [events, outcome] in
            outcome.put(fleet.run(events: events))
        }
        guard areLanesRunning else {
            throw Fault(
                operation: "start the lanes", code: "thread_refused",
                disposition: .stop(.software), message: "the system can't start a thread")
        }
    }

    /// Looks whether the lanes still run.
    ///
    /// - Throws: `.lanesEnded` if they ended by themselves.
    func checkLanes() throws(DemoEnd) {
        if lanesEnd == nil, let code = outcome.take(until: .now()) {
            areLanesRunning = false
            lanesEnd = code
        }
        if let lanesEnd { throw .lanesEnded(lanesEnd) }
    }

    /// Asks the lanes to end as a signal does, and waits for it; the supervisor's own deadline
    /// bounds that.
    ///
    /// - Returns: how they ended.
    func stopLanes() -> ExitCode {
        guard areLanesRunning else { return lanesEnd ?? .success }
        events.put(.signal(SIGTERM))
        let code = outcome.take(until: .distantFuture) ?? .software
        areLanesRunning = false
        lanesEnd = code
        return code
    }

    /// The sign counts that the database has.
    func storedSignCounts(of keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: UInt32] {
        let store = PostgresKeyStore(PostgresSettings(settings, owner: "demo"))
        defer { store.close() }
        return try store.keys(for: keyIDs).mapValues(\.signCount)
    }
}

extension TestAuthority {
    /// The root as an operator would set it (RFC 7468 §5).
    fileprivate var rootCertificateAsPEM: String {
        """
        -----BEGIN CERTIFICATE-----
        \(Base64.encode(rootCertificate))
        -----END CERTIFICATE-----
        """
    }
}
