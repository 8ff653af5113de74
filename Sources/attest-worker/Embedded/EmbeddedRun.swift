import AttestTestKit
import Dispatch
import KafkaTransport
import PostgresStore
import Worker

/// A worker with a broker and a database of its own, for as long as its parent wants it.
struct EmbeddedRun {
    /// The app that is configured when the settings name none.
    static let appID = "SIMULATED1.com.example.app"
    /// What its root follows from: no secret, as nothing outside this machine reaches the worker.
    static let seed: UInt64 = 1
    /// What the settings may not say: the addresses are found out.
    static let ownKeys = ["kafka.bootstrapServers", "postgres.connection", "postgres.password"]

    let settings: Settings
    let console: Console

    /// The lanes have their partitions: from here on requests are answered at once.
    private static let readyEvent = "partitions_claimed"
    /// How often it looks whether it is ready, or shall end.
    private static let lookMilliseconds: Int32 = 20
    /// The group's first join takes 3 s; after so long something hangs.
    private static let readyMax: Duration = .seconds(60)

    /// Runs until the parent is gone, a signal comes, or a fault ends it.
    ///
    /// SIGTERM and SIGINT must be blocked in the calling thread.
    func run() -> ExitCode {
        let watch = ParentWatch()
        let events = Mailbox<Supervisor.Event>()
        guard TerminationSignals.forward({ events.put(.signal($0)) }) else {
            console.complain("attest-worker run: the system can't start a thread\n")
            return .software
        }
        do throws(Fault) {
            var options = TemporaryPostgres.Options()
            options.listensOnLoopback = true
            let postgres = try TemporaryPostgres(options)
            defer { postgres.remove() }
            return try run(postgres, events, watch)
        } catch {
            console.complain("attest-worker run: \(error)\n")
            return error.exitCode
        }
    }

    private func run(
        _ postgres: TemporaryPostgres, _ events: Mailbox<Supervisor.Event>, _ watch: ParentWatch
    ) throws(Fault) -> ExitCode {
        let isReady = StopSignal()
        let log = log { isReady.request() }
        let world = try EmbeddedWorld(
            name: "embedded", settings: complete(settings, postgres), log: log, events: events)
        try world.startLanes()
        let start = ContinuousClock.now
        var isAnnounced = false
        do throws(SimulationEnd) {
            while !watch.isOver(within: Self.lookMilliseconds) {
                try world.checkLanes()
                guard !isAnnounced else { continue }
                if isReady.isRequested {
                    try announce(world, postgres)
                    isAnnounced = true
                } else if start.duration(to: .now) > Self.readyMax {
                    throw .overdue("the lanes got no partitions")
                }
            }
            return world.stopLanes()
        } catch {
            let code = world.stopLanes()
            switch error {
            case .lanesEnded(let code): return code
            case .interrupted: return code
            case .fault(let fault): throw fault
            case .overdue(let what):
                throw Fault(
                    operation: "start the lanes", code: "not_ready",
                    disposition: .stop(.unavailable), message: what)
            }
        }
    }

    /// The settings with what only an embedded worker knows.
    private func complete(_ settings: Settings, _ postgres: TemporaryPostgres) -> Settings {
        var settings = settings
        settings.postgres.connection = postgres.conninfo()
        if settings.apps.isEmpty {
            settings.apps = [
                Settings.App(simulated: Self.appID, authority: TestAuthority(seed: Self.seed))
            ]
        }
        // One is enough for a test, and leaves the group without making another lane wait.
        if settings.worker.count == 0 { settings.worker.count = 1 }
        return settings
    }

    /// The log as the settings want it, but that it has the event that tells of readiness.
    private func log(whenReady notice: @escaping @Sendable () -> Void) -> Log {
        var settings = settings
        settings.log.level = min(settings.log.level, .info)
        var console = console
        let write = console.writeError
        let event = Array(Self.readyEvent.utf8)
        console.writeError = { line in
            if line.firstRange(of: event) != nil { notice() }
            write(line)
        }
        return SettingsCommand.log(settings, console)
    }

    private func announce(
        _ world: EmbeddedWorld, _ postgres: TemporaryPostgres
    ) throws(SimulationEnd) {
        let settings = world.settings
        let topics = settings.kafka.topics
        let announcement = EmbeddedAnnouncement(
            bootstrapServers: world.broker.bootstrapServers,
            postgres: postgres.loopbackConninfo() ?? settings.postgres.connection,
            postgresURI: postgres.loopbackURI() ?? "",
            topics: EmbeddedAnnouncement.Topics(
                requests: topics.requests, verdicts: topics.verdicts,
                deadLetters: topics.deadLetters,
                risk: settings.receipts.access == nil ? nil : topics.risk,
                replies: topics.replies),
            appIds: settings.apps.flatMap(\.appIDs),
            simulatedApp: self.settings.apps.isEmpty
                ? EmbeddedAnnouncement.SimulatedApp(
                    appId: Self.appID, seed: Self.seed,
                    trustAnchor: settings.apps.first?.trustAnchor ?? "") : nil)
        guard let line = announcement.line, console.writeOutput(line) else {
            throw .fault(
                Fault(
                    operation: "write to standard output", code: "output_closed",
                    disposition: .stop(.software), message: "nobody takes the addresses"))
        }
    }
}
