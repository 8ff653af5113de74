import Dispatch
import Gateway
import Glibc
import KafkaTransport
import Operations
import Worker

/// A gateway from its start to its end: two threads for Kafka, one for HTTP, and the caller's,
/// which keeps the time.
struct GatewayRun {
    /// How often it looks for those who have waited long enough.
    private static let tickMilliseconds = 50
    /// How often slow connections are looked for, in ticks.
    private static let ticksBetweenCuts = 20
    /// How long an answer may take to be written out at the end.
    private static let farewell: Duration = .seconds(2)

    private let settings: Settings
    private let console: Console
    private let log: Log
    private let callers: Live<CallerRules>
    private let apps: Live<AppDirectory>

    /// A gateway that has not begun; nil if its settings let nobody in.
    init?(_ settings: Settings, console: Console) {
        let rules = CallerRules(settings.gateway)
        guard rules.servesAnyone else { return nil }
        self.settings = settings
        self.console = console
        log = SettingsCommand.log(settings, console)
        callers = Live(rules)
        apps = Live(AppDirectory(settings.apps))
    }

    /// What the threads work with.
    private struct Parts {
        let observer: GatewayObserver
        let service: GatewayService
        let requests: KafkaRequests
        let replies: KafkaReplies
        let server: ExchangeServer
        let operations: OperationsServer?
    }

    /// Runs until a signal ends it.
    ///
    /// - Parameter reread: reads the settings again; nil where they have problems, which it tells.
    /// - Returns: the code to end the process with.
    func run(reread: () -> Settings?) -> ExitCode {
        let events = Mailbox<Int32>()
        let isHeard = DetachedThread.start {
            while let number = TerminationSignals.next(of: TerminationSignals.all) {
                events.put(number)
            }
        }
        guard isHeard else {
            log(.error, "thread_refused", "the system can't start a thread for signals")
            return .software
        }
        do throws(Fault) {
            FileLimit.raise()
            let code = try serve(parts(), events, reread)
            log(
                code == .success ? .info : .warning, "gateway_stopped", "the gateway has ended",
                ["exit_code": LogValue(code.rawValue)])
            log.flush()
            return code
        } catch {
            log(
                .error, "gateway_refused", error.description,
                ["operation": LogValue(error.operation), "error_code": LogValue(error.code)])
            log.flush()
            return error.exitCode
        }
    }

    private func parts() throws(Fault) -> Parts {
        let clock = LaneClock.system
        let identity = WorkerIdentity(
            version: Version.text, id: SettingsCommand.workerID(console))
        let observer = GatewayObserver(
            facts: WorkerFacts(
                identity: identity, libraries: .ofThisProcess, groupID: settings.kafka.groupID,
                startedAt: clock.wall(), stallTimeout: GatewayObserver.stallTimeout),
            figures: { .ofThisProcess() }, monotonic: clock.monotonic)
        var kafka = KafkaSettings(settings.kafka)
        kafka.statisticsInterval = min(settings.operations.statisticsInterval, .seconds(1))
        let requestTopic = settings.kafka.topics.requests[0]
        let kafkaLog: KafkaLog = { [log] in log.write($0) }
        let requests = KafkaRequests(
            settings: kafka, topic: requestTopic, observer: observer, log: log,
            kafkaLog: kafkaLog)
        guard let replyTopic = settings.kafka.topics.replies,
            let partition = settings.gateway.replyPartition,
            let address = ListenAddress(settings.gateway.listen)
        else {
            throw Fault(
                operation: "start the gateway", code: "settings", disposition: .stop(.config),
                message: "a setting that was demanded is missing")
        }
        let replies = KafkaReplies(
            settings: kafka, topic: replyTopic, partition: Int32(clamping: partition),
            observer: observer, log: log, kafkaLog: kafkaLog)
        let service = GatewayService(
            GatewaySettings(
                settings.gateway, requestTopic: requestTopic, replyTopic: replyTopic,
                replyPartition: Int32(clamping: partition), callers: callers, apps: apps),
            addressHeader: settings.gateway.addressHeader, publisher: requests,
            observer: observer, randomWord: { .random(in: .min ... .max) },
            monotonic: clock.monotonic)
        let operations = try operations(observer)
        var limits = ExchangeLimits()
        limits.bodyBytesMax = settings.gateway.bodyBytesMax
        limits.connectionsMax = settings.gateway.connectionsMax
        let server = try ExchangeServer(
            address: address, limits: limits, headerNames: service.headerNames, handler: service)
        return Parts(
            observer: observer, service: service, requests: requests, replies: replies,
            server: server, operations: operations)
    }

    private func operations(_ observer: GatewayObserver) throws(Fault) -> OperationsServer? {
        guard let text = settings.operations.listen, let address = ListenAddress(text) else {
            return nil
        }
        let server = try OperationsServer(address: address, observer: observer)
        log(
            .info, "operations_listening", "metrics and health are told over HTTP",
            ["address": LogValue(server.address.description)])
        return server
    }

    /// Serves until a signal or a fault, and then to the end of what waits.
    private func serve(
        _ parts: Parts, _ events: Mailbox<Int32>, _ reread: () -> Settings?
    ) throws(Fault) -> ExitCode {
        let stop = StopSignal()
        let ends = Mailbox<Fault?>()
        let threads = start(parts, stop, ends)
        defer {
            parts.operations?.stop()
        }
        log(
            .info, "gateway_listening", "the gateway answers",
            [
                "address": LogValue(parts.server.address.description),
                "partition": LogValue(settings.gateway.replyPartition ?? 0),
            ])
        let manager = ServiceManager(environment: console.environment)
        _ = manager?.tell(.ready)
        let watchdog = Watchdog(manager) { parts.observer.health(.liveness).isWell }
        defer { watchdog?.stop() }
        var fault = threads == 2 ? nil : noThread
        while fault == nil, !isStopAsked(parts, events, reread) {
            fault = ends.take(until: .now()) ?? nil
        }
        _ = manager?.tell(.stopping)
        parts.service.drain()
        parts.server.stopListening()
        if fault == nil { finish(parts, events) }
        stop.request()
        parts.service.abandon()
        // Nobody may wake a connection up once the server is stopped.
        let ended = DispatchTime.now() + .seconds(10)
        for _ in 0..<threads { fault = (ends.take(until: ended) ?? nil) ?? fault }
        linger(parts)
        parts.server.stop()
        if let fault { throw fault }
        return .success
    }

    private var noThread: Fault {
        Fault(
            operation: "start the gateway", code: "thread_refused",
            disposition: .stop(.software), message: "the system can't start a thread")
    }

    /// Starts the threads for Kafka; each tells of its end.
    ///
    /// - Returns: how many could be started.
    private func start(
        _ parts: Parts, _ stop: StopSignal, _ ends: Mailbox<Fault?>
    ) -> Int {
        let (requests, replies, service) = (parts.requests, parts.replies, parts.service)
        let areSent = DetachedThread.start {
            do throws(Fault) {
                try requests.run(until: stop, service)
                ends.put(nil)
            } catch {
                ends.put(error)
            }
        }
        let areRead = DetachedThread.start {
            replies.run(until: stop, service) { sleep(1) }
            ends.put(nil)
        }
        return (areSent ? 1 : 0) + (areRead ? 1 : 0)
    }

    /// One second of work, or less.
    ///
    /// - Returns: whether a signal asks for the end.
    private func isStopAsked(
        _ parts: Parts, _ events: Mailbox<Int32>, _ reread: () -> Settings?
    ) -> Bool {
        let cut = parts.server.cutSlowConnections()
        parts.observer.isAlive(connections: parts.server.connectionCount, cut: cut)
        for _ in 0..<Self.ticksBetweenCuts {
            let signal = events.take(until: .now() + .milliseconds(Self.tickMilliseconds))
            parts.service.tick()
            switch signal {
            case SIGTERM, SIGINT:
                log(
                    .info, "stop_requested", "a signal asks for the end",
                    ["signal": LogValue(signal == SIGINT ? "SIGINT" : "SIGTERM")])
                return true
            case SIGHUP: reload(reread)
            default: break
            }
        }
        return false
    }

    /// Takes over who is served, and which apps there are.
    private func reload(_ reread: () -> Settings?) {
        guard let settings = reread(), case let rules = CallerRules(settings.gateway),
            rules.servesAnyone
        else {
            log(.error, "reload_failed", "the settings have problems; the old ones stay")
            return
        }
        callers.replace(with: rules)
        apps.replace(with: AppDirectory(settings.apps))
        log(
            .info, "settings_reloaded", "callers and apps are taken over",
            ["apps": LogValue(settings.apps.count)])
    }

    /// Answers those who wait, each within its deadline; a signal of its own ends that.
    private func finish(_ parts: Parts, _ events: Mailbox<Int32>) {
        let start = DispatchTime.now()
        while parts.service.waitingCount > 0 {
            let signal = events.take(until: .now() + .milliseconds(Self.tickMilliseconds))
            parts.service.tick()
            // Whoever signals a process and then its group means one stop.
            if signal == SIGTERM || signal == SIGINT, DispatchTime.now() > start + .seconds(1) {
                return
            }
        }
    }

    /// Lets the last answers be written out.
    private func linger(_ parts: Parts) {
        let start = ContinuousClock.now
        while parts.server.busyCount > 0, start.duration(to: .now) < Self.farewell {
            usleep(10_000)
        }
    }
}

/// How many files and sockets the process may have.
private enum FileLimit {
    /// Raises it as far as the system lets this user: a connection is a socket.
    static func raise() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}

extension CallerRules {
    /// The callers that settings let in.
    init(_ settings: Settings.Gateway) {
        self.init(
            apiKeys: settings.apiKeys, bearerTokens: settings.bearerTokens,
            allowsAnonymous: settings.allowsAnonymous, addressHeader: settings.addressHeader)
    }
}

extension GatewaySettings {
    /// What settings say, with the topics.
    init(
        _ settings: Settings.Gateway, requestTopic: String, replyTopic: String,
        replyPartition: Int32, callers: Live<CallerRules>, apps: Live<AppDirectory>
    ) {
        self.init(
            requestTopic: requestTopic, replyTopic: replyTopic, replyPartition: replyPartition,
            source: "//attest-gateway/\(replyPartition)", deadline: settings.deadline,
            waitingMax: settings.waitingMax, callers: callers,
            rates: RateLimiter.Rates(
                callerPerMinute: settings.rates.callerPerMinute,
                callerBurst: settings.rates.callerBurst,
                totalPerSecond: settings.rates.totalPerSecond,
                totalBurst: settings.rates.totalBurst), apps: apps)
    }
}
