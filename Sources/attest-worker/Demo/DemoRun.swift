import AppAttest
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
    private let laneLog = DemoLog()
    private var terminal: DemoTerminal
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
        terminal = DemoTerminal(isLive: isTerminal, now: now, write: console.writeOutput)
        phases = DemoPhases(start: now)
    }

    /// Runs it.
    ///
    /// - Returns: success if every answer was the right one.
    mutating func run() -> ExitCode {
        do throws(DemoEnd) {
            return try perform()
        } catch {
            return explain(error)
        }
    }

    private mutating func perform() throws(DemoEnd) -> ExitCode {
        try terminal.say(
            "attest-worker \(Version.text) demo: \(options.devices) devices, "
                + "\(options.requests) requests, seed \(options.seed)"
                + (options.keepsRunning ? "\n" : " (--keep: look around afterwards)\n"))
        let postgres = try DemoEnd.unlessFault { () throws(Fault) in try TemporaryPostgres() }
        defer { postgres.remove() }
        _ = try finish("start PostgreSQL in a temporary folder")
        var plan = DemoPlan(options, now: console.instant)
        let log = log
        let world = try DemoEnd.unlessFault { () throws(Fault) in
            try DemoWorld(postgres: postgres, authority: plan.authority, log: log)
        }
        defer { _ = world.stopLanes() }
        try DemoEnd.unlessFault { () throws(Fault) in try world.startLanes() }
        _ = try finish("start an embedded Kafka broker, make tables and topics, start the lanes")
        let requests = try mint(&plan)
        _ = try finish("mint all requests, while the lanes join their group")
        let report = try exchange(requests, plan, world)
        for line in report.lines { try terminal.say(line) }
        if options.keepsRunning { try keep(world, example: report.tally.example) }
        let lanesEnd = world.stopLanes()
        guard report.failures.isEmpty else {
            console.writeError(laneLog.bytes)
            return .negative
        }
        guard lanesEnd == .success else { throw .lanesEnded(lanesEnd) }
        return .success
    }

    // MARK: - Parts

    /// Makes all requests before the first is sent: then throughput tells of the worker alone.
    private mutating func mint(_ plan: inout DemoPlan) throws(DemoEnd) -> [DemoRequest] {
        let count = options.requests
        var requests: [DemoRequest] = []
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
        _ requests: [DemoRequest], _ plan: DemoPlan, _ world: DemoWorld
    ) throws(DemoEnd) -> DemoReport {
        let (log, console) = (log, console)
        var exchange = try DemoEnd.unlessFault { () throws(Fault) in
            try DemoExchange(settings: world.settings.kafka, log: log) { console.instant }
        }
        var duration: Duration = .zero
        var overdue: [DemoFailure] = []
        do throws(DemoEnd) {
            // One alone: when its verdict is there, the lanes are at work.
            try exchange.run(requests.prefix(1), silenceMax: DemoExchange.firstAnswerMax) {
                (_) throws(DemoEnd) in try checkpoint(world)
            }
            _ = try finish("wait for the group and the first verdict")
            try exchange.run(requests.dropFirst()) { (tally) throws(DemoEnd) in
                try checkpoint(world)
                try terminal.update(at: .now) { tally.progress(of: requests.count) }
            }
            duration = try finish("send all other requests and read their verdicts")
        } catch {
            guard case .overdue(let what) = error else { throw error }
            overdue = [DemoFailure(overdue: what)]
        }
        return DemoReport(
            tally: exchange.tally,
            failures: overdue + exchange.tally.finalFailures() + compareRows(plan, world),
            phases: phases.all, exchange: duration)
    }

    /// Holds the rows in the database against the plan.
    private func compareRows(_ plan: DemoPlan, _ world: DemoWorld) -> [DemoFailure] {
        do throws(Fault) {
            let keyIDs = plan.strangers.union(plan.signCounts.keys)
            let stored = try world.storedSignCounts(of: keyIDs)
            return DemoFailure.differences(of: stored, from: plan.signCounts)
        } catch {
            return [DemoFailure(unexpected: "\(error)")]
        }
    }

    /// Says how to look around, and waits for a signal.
    private mutating func keep(
        _ world: DemoWorld, example: DemoVerdict.Source?
    ) throws(DemoEnd) {
        for line in DemoGuide(world, example: example).lines { try terminal.say(line) }
        let look: DispatchTimeInterval = .milliseconds(250)
        while signals.take(until: .now() + look) == nil {
            try world.checkLanes()
        }
    }

    // MARK: - Common

    private mutating func finish(_ phase: String) throws(DemoEnd) -> Duration {
        let duration = phases.end(phase, at: .now)
        try terminal.say("\(duration.readable.padded(to: 9))  \(phase)")
        try checkpoint()
        return duration
    }

    private func checkpoint(_ world: DemoWorld) throws(DemoEnd) {
        try checkpoint()
        try world.checkLanes()
    }

    private func checkpoint() throws(DemoEnd) {
        guard signals.take(until: .now()) == nil else { throw .interrupted }
        guard ContinuousClock.now < deadline else {
            throw .overdue("the demo has taken longer than it may")
        }
    }

    private var log: Log {
        Log(level: .info, format: .text, clock: console.clock) { [laneLog] in laneLog.add($0) }
    }

    /// Tells why there is no report.
    private func explain(_ end: DemoEnd) -> ExitCode {
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

extension DemoEnd {
    /// Does something whose fault ends the demo.
    fileprivate static func unlessFault<Result>(
        _ body: () throws(Fault) -> Result
    ) throws(DemoEnd) -> Result {
        do {
            return try body()
        } catch {
            throw .fault(error)
        }
    }
}

extension Console {
    /// The present moment.
    fileprivate var instant: Instant {
        Instant(milliseconds: clock() / 1000)
    }
}

extension DemoTally {
    /// How far an exchange is.
    fileprivate func progress(of count: Int) -> String {
        "sent \(sentCount) of \(count), answered \(answeredCount), wrong \(failures.count)"
    }
}
