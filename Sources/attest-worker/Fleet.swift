import Dispatch
import Glibc
import KafkaTransport
import Operations
import PostgresStore
import TraceExport
import Worker

/// The lanes of one process: each with its own consumer, producer, connection and thread.
struct Fleet: Sendable {
    let settings: Settings
    let live: LiveSettings
    let identity: WorkerIdentity
    let log: Log
    /// Who started the process and wants to hear of it.
    var manager: ServiceManager?
    /// Follows the list of revocations, where there is one.
    let revocations: RevocationWatcher?

    /// A fleet that has not begun.
    init(
        settings: Settings, live: LiveSettings, identity: WorkerIdentity, log: Log,
        manager: ServiceManager? = nil
    ) {
        self.settings = settings
        self.live = live
        self.identity = identity
        self.log = log
        self.manager = manager
        revocations = RevocationWatcher(settings.revocations, live: live.revocations, log: log)
    }

    /// Runs until a signal or a fault ends it.
    ///
    /// All of ``TerminationSignals/all`` must be blocked in the calling thread.
    ///
    /// - Parameter reloader: what SIGHUP, SIGUSR1 and SIGUSR2 are for.
    /// - Returns: the code to end the process with.
    func run(reloader: Reloader) -> ExitCode {
        let events = Mailbox<Supervisor.Event>()
        guard forwardSignals(to: events, reloader) else {
            log(.error, "thread_refused", "the system can't start a thread for signals")
            return .software
        }
        return run(events: events) {
            let findings = StartUpCheck.findings(
                settings, ProcessFacts(settings), owner: identity.id)
            log.write(findings)
            return findings.exitCodeOfRun
        }
    }

    /// Runs until an event or a fault ends it.
    ///
    /// The endpoints answer before anything is looked at, so that a start that waits can be seen.
    ///
    /// - Parameters:
    ///   - events: where whoever waits for signals puts them in.
    ///   - check: looks at what is needed; the code to end with before any lane starts.
    /// - Returns: the code to end the process with.
    func run(
        events: Mailbox<Supervisor.Event>, check: () -> ExitCode? = { nil }
    ) -> ExitCode {
        let count = ProcessFacts(settings).lanes
        let stop = StopSignal()
        guard watchRevocations(until: stop) else { return .config }
        let exporter = SpanExporter.Settings(settings.traces, identity).map { first in
            SpanExporter(
                first,
                newer: { [live, identity] seen in
                    live.traces.newer(than: &seen).flatMap { SpanExporter.Settings($0, identity) }
                }, log: log)
        }
        let refreshing = Refreshing(settings, live: live, identity: identity, stop: stop, log: log)
        let observer = observer(
            lanes: count, stop: stop, spans: exporter, receipts: refreshing?.observer)
        let endpoints: OperationsServer?
        do throws(Fault) {
            endpoints = try startEndpoints(observer)
        } catch {
            log(.error, "operations_refused", error)
            return error.exitCode
        }
        defer { endpoints?.stop() }
        if let code = check() { return code }
        announce(lanes: count)
        observer.lanes.forEach { $0.started() }
        refreshing?.start()
        let ending = runLanes(observer, exporter, events, stop)
        let hasAsked = refreshing?.end(within: .seconds(3)) ?? true
        exporter?.stop(within: .seconds(1))
        log(
            ending.code == .success ? .info : .warning, "worker_stopped", "the worker has ended",
            ["exit_code": LogValue(ending.code.rawValue)])
        log.flush()
        // Whoever was left behind still uses the C libraries, whose tidying-up at exit would pull
        // the ground from under it.
        if ending.lanesLeft > 0 || !hasAsked { _exit(ending.code.rawValue) }
        return ending.code
    }

    /// Starts the lanes and waits for their end.
    private func runLanes(
        _ observer: WorkerObserver, _ exporter: SpanExporter?,
        _ events: Mailbox<Supervisor.Event>, _ stop: StopSignal
    ) -> Supervisor.Ending {
        // Before the watchdog's first ping.
        tellManager(.ready)
        let watchdog = Watchdog(manager) { Health.liveness(observer.report).isWell }
        defer { watchdog?.stop() }
        let limits = settings.worker.limits
        let supervisor = Supervisor(
            stop: stop, drainTimeout: limits.stopTimeMax, log: log, events: events,
            whenStopping: { tellManager(.stopping) })
        start(exporter)
        let count = observer.lanes.count
        let departure = Departure(lanes: count, patience: limits.drainTimeout)
        let renewal = ClientRenewal(live.clients, lanes: count) { number in
            let report = observer.lanes[number].report
            return report.isMember || report.hasEnded
        }
        return supervisor.run(lanes: count) { number in
            let observer = observer.lanes[number]
            defer {
                departure.laneEnded(number)
                observer.ended()
            }
            do throws(Fault) {
                try runLane(
                    number, observer, renewal, departure, stop: stop,
                    spans: exporter.map { $0.take })
                return nil
            } catch {
                return error
            }
        }
    }

    private func tellManager(_ message: ServiceManager.Message) {
        guard let manager, !manager.tell(message) else { return }
        log(.warning, "manager_unreachable", "nobody listens at the socket of NOTIFY_SOCKET")
    }

    /// One lane as long as the process runs, on the lane's own thread: begun again whenever its
    /// Kafka clients are to be made anew.
    private func runLane(
        _ number: Int, _ observer: LaneObserver, _ renewal: ClientRenewal,
        _ departure: Departure, stop: StopSignal, spans: SpanSink?
    ) throws(Fault) {
        while true {
            let kafka = renewal.begin(number)
            let either = StopSignal { stop.isRequested || renewal.isDue(number) }
            do throws(Fault) {
                try runLane(number, kafka, observer, stop: either, spans: spans) {
                    if stop.isRequested { departure.wait(number) }
                }
            } catch {
                // A lane that sits out a fault can't finish its batch: it is delivered again.
                guard error.disposition == .stop(.drainDeadline), !stop.isRequested else {
                    throw error
                }
            }
            guard !stop.isRequested else { return }
            observer.beginsAnew()
            log(
                .info, "clients_renewed", "the lane comes back with new Kafka clients",
                ["lane": LogValue("lane-\(number)")])
        }
    }

    /// One lane from its first connection to its last.
    private func runLane(
        _ number: Int, _ clients: Settings.Kafka, _ observer: LaneObserver, stop: StopSignal,
        spans: SpanSink?, beforeLeaving: () -> Void
    ) throws(Fault) {
        let name = "lane-\(number)"
        let log = log.with(["lane": LogValue(name)])
        var inForce = settings
        inForce.kafka = clients
        let kafka = KafkaSettings(inForce, lane: number, of: ProcessFacts(settings).lanes)
        let topics = settings.kafka.topics
        let source = try KafkaSource(
            settings: kafka, credentials: live.kafka, log: observer.log(log, of: .consumer)
        ) {
            observer.told($0, by: .consumer)
        }
        let sink = try KafkaSink(
            settings: kafka, topics: topics.written,
            credentials: live.kafka, log: observer.log(log, of: .producer),
            observer: KafkaSinkObserver(
                statistics: { observer.told($0, by: .producer) },
                recreated: observer.producerWasRecreated))
        let store = PostgresKeyStore(
            PostgresSettings(settings, owner: "\(identity.id) \(name)"), access: live.database,
            noteConnect: observer.connected)
        var settings = LaneSettings(
            name: name, groupID: settings.kafka.groupID, verdictTopic: topics.verdicts,
            deadLetterTopic: topics.deadLetters, policy: live.policy,
            messageLimits: settings.worker.messageLimits, limits: settings.worker.limits,
            identity: identity)
        settings.replyTopic = topics.replies
        settings.spans = spans
        settings.revocations = live.revocations
        settings.isAudited = self.settings.audit.isEnabled
        #if DEBUG
            if let point = CrashPoint.ofThisProcess {
                return try run(
                    settings, observer, CrashingSource(source, point), CrashingStore(store, point),
                    CrashingSink(sink, point), stop, beforeLeaving)
            }
        #endif
        try run(settings, observer, source, store, sink, stop, beforeLeaving)
    }

    /// Runs a lane over its neighbours.
    private func run(
        _ settings: LaneSettings, _ observer: LaneObserver, _ source: some RequestSource,
        _ store: some KeyStore, _ sink: some VerdictSink, _ stop: StopSignal,
        _ beforeLeaving: () -> Void
    ) throws(Fault) {
        let lane = Lane(
            settings: settings, source: ObservedSource(source, observer),
            store: ObservedStore(store, observer), sink: ObservedSink(sink, observer),
            clock: observer.clock, random: SystemRandomNumberGenerator(), stop: stop, log: log,
            observer: observer)
        try lane.run(beforeLeaving: beforeLeaving)
    }

    private func announce(lanes: Int) {
        log(
            .info, "worker_started", "attest-worker \(identity.version) starts",
            [
                "lanes": LogValue(lanes), "group": LogValue(settings.kafka.groupID),
                "topics": LogValue(settings.kafka.topics.requests.joined(separator: ",")),
                "apps": LogValue(settings.apps.count),
            ])
        for appID in settings.apps.filter(\.isSimulated).flatMap(\.appIDs) {
            log(
                .warning, "simulated_app",
                "this app is SIMULATED: its attestations are not checked against Apple's root, and"
                    + " whoever holds the configured root's key can forge them",
                ["app": LogValue(appID)])
        }
        if settings.postgres.allowsAsynchronousCommit {
            log(
                .warning, "asynchronous_commit_allowed",
                "a crash of the database may forget sign counts, and a replay is then accepted")
        }
    }

    /// Passes signals on: those that end the process must not wait for a file that is read again,
    /// so that has a thread of its own.
    private func forwardSignals(
        to events: Mailbox<Supervisor.Event>, _ reloader: Reloader
    ) -> Bool {
        let requests = Mailbox<Int32>()
        let isServing = DetachedThread.start {
            while let number = requests.take(until: .distantFuture) {
                switch number {
                case SIGHUP:
                    tellManager(.reloading(monotonic: LaneClock.system.monotonic()))
                    reloader.reload()
                    revocations?.look()
                    tellManager(.ready)
                case SIGUSR2: reloader.toggleDebugging()
                default: reloader.tellState()
                }
            }
        }
        return isServing
            && DetachedThread.start {
                while let number = TerminationSignals.next(of: TerminationSignals.all) {
                    if TerminationSignals.ending.contains(number) {
                        events.put(.signal(number))
                    } else {
                        requests.put(number)
                    }
                }
            }
    }
}

extension Log {
    /// Writes what librdkafka says.
    func write(_ line: KafkaLogLine) {
        let level: LogLevel =
            switch line.level {
            // Every broker that has idempotent producers can do without creating topics; only the
            // mock cluster can't, and is right to.
            case _ where line.facility == "AUTOCREATE": .debug
            case ...3: .error
            case 4: .warning
            case 5, 6: .info
            default: .debug
            }
        self(level, "kafka_client", line.text, ["rdkafka_code": LogValue(line.facility)])
    }
}
