import AppAttest
import Dispatch
import Glibc
import KafkaTransport
import PostgresStore
import Wire
import Worker

/// A worker with all that stands around it: brokers, a server, lanes.
///
/// Used by one thread; the lanes have theirs.
final class EmbeddedWorld {
    /// Partitions of requests and of verdicts.
    static let partitionCount = 4

    let broker: EmbeddedBroker
    let settings: Settings
    private let name: String
    private let log: Log
    private let events: Mailbox<Supervisor.Event>
    private let outcome = Mailbox<ExitCode>()
    private var areLanesRunning = false
    /// How the lanes ended; nil while they run.
    private(set) var lanesEnd: ExitCode?

    /// Starts everything but the lanes; the tables and the topics are there then.
    ///
    /// - Parameters:
    ///   - name: who claims partitions in the database.
    ///   - settings: all but the addresses; `connection` leads to a server that runs, its tables
    ///     not made yet.
    ///   - log: takes the lanes' lines.
    ///   - events: where others may put signals in.
    /// - Throws: what broker or database have against it.
    init(
        name: String, settings: Settings, log: Log,
        events: Mailbox<Supervisor.Event> = Mailbox()
    ) throws(Fault) {
        self.name = name
        self.log = log
        self.events = events
        broker = try EmbeddedBroker()
        var settings = settings
        settings.kafka.bootstrapServers = broker.bootstrapServers.split(separator: ",")
            .map(String.init)
        // A consumer that begins its first join anew is a second member to the embedded broker,
        // which then waits for the first one until its session times out. It must exceed 3 s.
        settings.kafka.sessionTimeout = min(settings.kafka.sessionTimeout, .seconds(6))
        self.settings = settings
        let topics = settings.kafka.topics
        for topic in topics.requests + [topics.verdicts] {
            try broker.createTopic(topic, partitions: Self.partitionCount)
        }
        try broker.createTopic(topics.deadLetters, partitions: 1)
        if let replies = topics.replies {
            try broker.createTopic(replies, partitions: Self.partitionCount)
        }
        if settings.receipts.access != nil {
            try broker.createTopic(topics.risk, partitions: Self.partitionCount)
        }
        _ = try Migrations.apply(PostgresSettings(settings, owner: name))
    }

    /// Starts the lanes, by the code of `attest-worker run`.
    func startLanes() throws(Fault) {
        let fleet = Fleet(
            settings: settings, live: LiveSettings(settings),
            identity: WorkerIdentity(version: Version.text, id: name), log: log)
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
    func checkLanes() throws(SimulationEnd) {
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
        let store = PostgresKeyStore(PostgresSettings(settings, owner: name))
        defer { store.close() }
        return try store.keys(for: keyIDs).mapValues(\.signCount)
    }
}
