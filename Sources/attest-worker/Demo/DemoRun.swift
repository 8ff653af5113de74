import AppAttest
import AttestTestKit
import Dispatch
import PostgresStore
import Worker

/// One demo from its first line to its last.
struct DemoRun {
    /// However it hangs, the demo gives up after so long, and so much more for each request.
    private static let durationMax: Duration = .seconds(180)
    private static let durationMaxPerRequest: Duration = .milliseconds(20)

    private let options: DemoOptions
    private let console: Console
    private let signals: Mailbox<Int32>
    private let deadline: ContinuousClock.Instant
    private let laneLog = RecentLog()
    private var terminal: ProgressTerminal
    private var phases: DemoPhases

    /// A demo that begins now.
    ///
    /// - Parameters:
    ///   - options: what was asked for.
    ///   - console: where it writes to, and its clock.
    ///   - isTerminal: whether a person watches.
    ///   - signals: SIGTERM and SIGINT come in here.
    init(
        _ options: DemoOptions, console: Console, isTerminal: Bool, signals: Mailbox<Int32>
    ) {
        let now = ContinuousClock.now
        self.options = options
        self.console = console
        self.signals = signals
        deadline = now + Self.durationMax + Self.durationMaxPerRequest * options.requests
        terminal = ProgressTerminal(isLive: isTerminal, now: now, write: console.writeOutput)
        phases = DemoPhases(start: now)
    }

    /// Runs it.
    ///
    /// - Returns: success if every answer was the right one.
    mutating func run() -> ExitCode {
        do throws(SimulationEnd) {
            return try perform()
        } catch {
            return explain(error)
        }
    }

    private mutating func perform() throws(SimulationEnd) -> ExitCode {
        try terminal.say(
            "attest-worker \(Version.text) demo: \(options.devices) devices, "
                + "\(options.requests) requests, seed \(options.seed)"
                + (options.keepsRunning ? "\n" : " (--keep: look around afterwards)\n"))
        let postgres = try SimulationEnd.unlessFault { () throws(Fault) in try TemporaryPostgres() }
        defer { postgres.remove() }
        _ = try finish("start PostgreSQL in a temporary folder")
        var plan = DemoPlan(options, now: console.instant)
        let log = log
        let world = try SimulationEnd.unlessFault { () throws(Fault) in
            try EmbeddedWorld(
                name: "demo", settings: demoSettings(plan.authority, postgres), log: log)
        }
        defer { _ = world.stopLanes() }
        try SimulationEnd.unlessFault { () throws(Fault) in try world.startLanes() }
        _ = try finish("start an embedded Kafka broker, make tables and topics, start the lanes")
        let requests = try mint(&plan)
        _ = try finish("mint all requests, while the lanes join their group")
        let report = try exchange(requests, plan.plan, world)
        for line in report.lines { try terminal.say(line) }
        if options.keepsRunning { try keep(world, postgres, example: report.tally.example) }
        let lanesEnd = world.stopLanes()
        guard report.failures.isEmpty else {
            console.writeError(laneLog.bytes)
            return .negative
        }
        guard lanesEnd == .success else { throw .lanesEnded(lanesEnd) }
        return .success
    }

    // MARK: - Parts

    /// Two lanes, so that they have to share the partitions out.
    private func demoSettings(
        _ authority: TestAuthority, _ postgres: TemporaryPostgres
    ) -> Settings {
        var settings = Settings()
        settings.operations.listen = nil
        settings.kafka.groupID = "attest-worker-demo"
        settings.postgres.connection = postgres.conninfo()
        settings.worker.count = 2
        settings.apps = [Settings.App(simulated: DemoPlan.appID, authority: authority)]
        return settings
    }

    /// Makes all requests before the first is sent: then throughput tells of the worker alone.
    private mutating func mint(_ plan: inout DemoPlan) throws(SimulationEnd) -> [PlannedRequest] {
        let count = options.requests
        var requests: [PlannedRequest] = []
        requests.reserveCapacity(count)
        while let request = plan.next() {
            requests.append(request)
            try checkpoint()
            try terminal.update(at: .now) { "minted \(requests.count) of \(count)" }
        }
        return requests
    }

    /// Sends everything, and holds the answers and the database against the plan.
    private mutating func exchange(
        _ requests: [PlannedRequest], _ plan: RequestPlan, _ world: EmbeddedWorld
    ) throws(SimulationEnd) -> DemoReport {
        let (log, console) = (log, console)
        var exchange = try SimulationEnd.unlessFault { () throws(Fault) in
            try Exchange(demoWith: world.settings.kafka, log: log) { console.instant }
        }
        var duration: Duration = .zero
        var overdue: [WrongAnswer] = []
        do throws(SimulationEnd) {
            // One alone: when its verdict is there, the lanes are at work.
            var first = ImmediateSchedule(requests.prefix(1))
            try exchange.run(&first, silenceMax: Exchange.firstAnswerMax) {
                (_) throws(SimulationEnd) in try checkpoint(world)
            }
            _ = try finish("wait for the group and the first verdict")
            var others = ImmediateSchedule(requests.dropFirst())
            try exchange.run(&others) { (tally) throws(SimulationEnd) in
                try checkpoint(world)
                try terminal.update(at: .now) { tally.progress(of: requests.count) }
            }
            duration = try finish("send all other requests and read their verdicts")
        } catch {
            guard case .overdue(let what) = error else { throw error }
            overdue = [WrongAnswer(overdue: what)]
        }
        return DemoReport(
            tally: exchange.tally,
            failures: overdue + exchange.tally.finalFailures() + compareRows(plan, world),
            phases: phases.all, exchange: duration)
    }

    /// Holds the rows in the database against the plan.
    private func compareRows(_ plan: RequestPlan, _ world: EmbeddedWorld) -> [WrongAnswer] {
        do throws(Fault) {
            let keyIDs = plan.strangers.union(plan.signCounts.keys)
            let stored = try world.storedSignCounts(of: keyIDs)
            return WrongAnswer.differences(of: stored, from: plan.signCounts)
        } catch {
            return [WrongAnswer(unexpected: "\(error)")]
        }
    }

    /// Says how to look around, and waits for a signal.
    private mutating func keep(
        _ world: EmbeddedWorld, _ postgres: TemporaryPostgres, example: ReceivedVerdict.Source?
    ) throws(SimulationEnd) {
        for line in DemoGuide(world, postgres, example: example).lines { try terminal.say(line) }
        let look: DispatchTimeInterval = .milliseconds(250)
        while signals.take(until: .now() + look) == nil {
            try world.checkLanes()
        }
    }

    // MARK: - Common

    private mutating func finish(_ phase: String) throws(SimulationEnd) -> Duration {
        let duration = phases.end(phase, at: .now)
        try terminal.say("\(duration.readable.padded(to: 9))  \(phase)")
        try checkpoint()
        return duration
    }

    private func checkpoint(_ world: EmbeddedWorld) throws(SimulationEnd) {
        try checkpoint()
        try world.checkLanes()
    }

    private func checkpoint() throws(SimulationEnd) {
        guard signals.take(until: .now()) == nil else { throw .interrupted }
        guard ContinuousClock.now < deadline else {
            throw .overdue("the demo has taken longer than it may")
        }
    }

    private var log: Log {
        Log(level: .info, format: .text, clock: console.clock) { [laneLog] in laneLog.add($0) }
    }

    /// Tells why there is no report.
    private func explain(_ end: SimulationEnd) -> ExitCode {
        let (text, code): (String, ExitCode) =
            switch end {
            case .interrupted: ("interrupted; nothing is left behind", .interrupted)
            case .fault(let fault): ("\(fault)", fault.exitCode)
            case .lanesEnded(let code): ("the lanes ended with code \(code.rawValue)", code)
            case .overdue(let what): (what, .negative)
            }
        if code != .interrupted { console.writeError(laneLog.bytes) }
        console.complain("\nattest-worker demo: \(text)\n")
        return code
    }
}

extension Tally {
    /// How far an exchange is.
    fileprivate func progress(of count: Int) -> String {
        "sent \(sentCount) of \(count), answered \(answeredCount), wrong \(failures.count)"
    }
}
