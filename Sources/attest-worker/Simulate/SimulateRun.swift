import AppAttest
import Dispatch
import KafkaTransport
import Wire
import Worker

/// One simulation, or one canary, from its first line to its last.
struct SimulateRun {
    /// With these, memory stays bounded at any rate; and an embedded broker, which keeps 5 MiB a
    /// partition, forgets nothing that is unanswered.
    private static let limits = Exchange.Limits(
        unansweredMax: 8_192, unansweredBytesMax: 4 << 20)
    /// About so many answered requests are remembered, to be compared with their repeats.
    private static let rememberedMax = 20_000

    private let options: SimulateOptions
    private let settings: Settings
    private let console: Console
    private let signals: Mailbox<Int32>
    private let run: UInt64
    private let idPrefix: String
    private let recentLog = RecentLog()
    private var terminal: ProgressTerminal

    /// A simulation that begins now.
    ///
    /// - Parameters:
    ///   - options: what was asked for; ``SimulatedAppCheck`` has nothing against it.
    ///   - settings: where the topics are.
    ///   - console: where it writes to, and its clock.
    ///   - isTerminal: whether a person watches.
    ///   - signals: SIGTERM and SIGINT come in here.
    init(
        _ options: SimulateOptions, _ settings: Settings, console: Console, isTerminal: Bool,
        signals: Mailbox<Int32>
    ) {
        self.options = options
        self.settings = settings
        self.console = console
        self.signals = signals
        // Two runs in one microsecond would need two processes: their devices would be the same.
        run = options.run ?? UInt64(clamping: console.clock())
        idPrefix = "sim-\(String(run, radix: 36))-"
        terminal = ProgressTerminal(isLive: isTerminal, now: .now, write: console.writeOutput)
    }

    /// Runs it.
    ///
    /// - Returns: success if every answer was the right one.
    mutating func perform() -> ExitCode {
        do throws(SimulationEnd) {
            return try simulate()
        } catch {
            return explain(error)
        }
    }

    private mutating func simulate() throws(SimulationEnd) -> ExitCode {
        try terminal.say(
            "attest-worker \(Version.text) simulate: "
                + (options.isCanary
                    ? "one device, three requests"
                    : "\(options.devices) devices, \(options.rate) requests a second for "
                        + options.duration.readable)
                + ", app \(options.appID), run \(run)")
        let start = ContinuousClock.now
        var exchange = try makeExchange()
        var overdue: [WrongAnswer] = []
        do throws(SimulationEnd) {
            if options.isCanary {
                try sendCanary(&exchange, start)
            } else {
                try sendLoad(&exchange)
            }
        } catch {
            guard case .overdue(let what) = error else { throw error }
            // Whoever asks whether workers are there must not be told that they answer wrongly.
            guard exchange.tally.answeredCount > 0 else { throw .fault(unanswered(what)) }
            overdue = [WrongAnswer(overdue: what)]
        }
        let tables = TallyTables(
            tally: exchange.tally, failures: overdue + exchange.tally.finalFailures())
        let report = SimulateReport(
            tables: tables, duration: start.duration(to: .now),
            rate: options.isCanary ? nil : options.rate)
        for line in report.lines { try terminal.say(line) }
        guard tables.failureCount == 0 else {
            console.writeError(recentLog.bytes)
            return .negative
        }
        return .success
    }

    // MARK: - Parts

    private func makeExchange() throws(SimulationEnd) -> Exchange {
        let kafka = KafkaSettings(settings.kafka)
        let log = Log(level: .info, format: .text, clock: console.clock) { [recentLog] line in
            recentLog.add(line)
        }
        let client: KafkaLog = { log.write($0) }
        let topics = settings.kafka.topics
        // A canary's limit counts from its start: a broker that is gone must not outlast it.
        let patience =
            options.isCanary
            ? min(options.timeLimit, TopicReader.searchPatience) : TopicReader.searchPatience
        let ends = try SimulationEnd.unlessFault { () throws(Fault) in
            Exchange.Ends(
                topic: topics.requests.first ?? "",
                writer: try TopicWriter(settings: kafka, log: client),
                verdicts: try TopicReader(
                    topic: topics.verdicts, from: .end, settings: kafka, patience: patience,
                    log: client),
                deadLetters: nil)
        }
        let console = console
        return Exchange(
            ends, tally: Tally(idPrefix: idPrefix, rememberedMax: Self.rememberedMax),
            limits: Self.limits
        ) { console.instant }
    }

    private var plan: RequestPlan {
        var plan = PlanSettings(
            appID: options.appID, authority: options.seed.authority,
            seed: options.seed.seed(ofRun: run), idPrefix: idPrefix)
        plan.shapes = options.shapes
        plan.dialects = options.dialects
        plan.skew = options.skew
        let app = settings.apps.first { $0.appIDs.contains(options.appID) }
        if app?.rules.replayWindow ?? 0 > 0 { plan.replayReason = .counterReplayed }
        return RequestPlan(plan, now: console.instant)
    }

    private mutating func sendLoad(_ exchange: inout Exchange) throws(SimulationEnd) {
        let (stop, console) = (StopSignal(), console)
        var schedule = RateSchedule(plan, options, stop: stop) { console.instant }
        try exchange.run(&schedule, silenceMax: options.patience) { (tally) throws(SimulationEnd) in
            if signals.take(until: .now()) != nil {
                stop.request()
                try terminal.say("stopping: nothing more is sent, answers are awaited")
            }
            try terminal.update(at: .now) { tally.progress }
        }
    }

    /// One registration, one assertion, one replay.
    private mutating func sendCanary(
        _ exchange: inout Exchange, _ start: ContinuousClock.Instant
    ) throws(SimulationEnd) {
        var plan = plan
        let kinds: [PlannedKind] = [.registration, .assertion, .replay]
        var schedule = ImmediateSchedule(kinds.map { plan.request($0) }[...])
        let limit = options.timeLimit
        try exchange.run(&schedule, silenceMax: limit + .seconds(1)) {
            (tally) throws(SimulationEnd) in
            guard signals.take(until: .now()) == nil else { throw .interrupted }
            guard start.duration(to: .now) < limit else {
                throw .overdue(
                    "\(tally.answeredCount) of \(kinds.count) answers came within"
                        + " \(limit.readable)")
            }
        }
    }

    // MARK: - Ends

    private func unanswered(_ what: String) -> Fault {
        Fault(
            operation: "wait for verdicts", code: "no_answer", disposition: .stop(.unavailable),
            message: "\(what); does a worker with these settings run?")
    }

    /// Tells why there is no report.
    private func explain(_ end: SimulationEnd) -> ExitCode {
        let (text, code): (String, ExitCode) =
            switch end {
            case .interrupted: ("interrupted; some answers were not awaited", .interrupted)
            case .fault(let fault): ("\(fault)", fault.exitCode)
            case .lanesEnded(let code): ("the lanes ended with code \(code.rawValue)", code)
            case .overdue(let what): (what, .negative)
            }
        if code != .interrupted { console.writeError(recentLog.bytes) }
        console.complain("\nattest-worker simulate: \(text)\n")
        return code
    }
}

extension Tally {
    /// How far a simulation is.
    fileprivate var progress: String {
        "sent \(sentCount), answered \(answeredCount), on their way \(unansweredCount), "
            + "wrong \(failures.count + unlistedFailureCount)"
    }
}
