package import AppAttest
internal import Wire

/// Keeps receipts alive: takes due ones, asks Apple, stores what comes, tells what changed.
///
/// On a thread of its own, with its own connections: no lane ever waits for Apple. What it can't do
/// it tells in the log and tries again later; it never ends the process.
package final class Refresher<
    Store: ReceiptStore, Service: ReceiptService, Sink: VerdictSink,
    Random: RandomNumberGenerator
> {
    private let settings: RefresherSettings
    private let store: Store
    private let service: Service
    private let sink: Sink
    private let check: ReceiptCheck
    private var tokens: ProviderTokens
    private let clock: LaneClock
    private var random: Random
    private let stop: StopSignal
    private let pause: (Duration) -> Void
    private let log: Log
    private let observer: RefreshObserver

    private var backoff = Backoff(first: .seconds(1), most: .seconds(60))
    private var nextLook: Duration?
    private var lastTicket: UInt64 = 0
    /// Set while changes can't be published: then only a look tries, not every change.
    private var isTopicAway = false

    /// A refresher that has done nothing yet.
    ///
    /// - Parameters:
    ///   - settings: which receipts, when, and who is told.
    ///   - neighbours: database, Apple and the risk topic.
    ///   - check: verifies receipts, stored and new.
    ///   - tokens: tell Apple who asks.
    ///   - clock: the wall clock tells what is due.
    ///   - random: of the pauses after faults.
    ///   - stop: asks for the end.
    ///   - pause: waits so long, or until the end is asked for.
    ///   - log: where it tells what it does.
    ///   - observer: counts.
    package init(
        settings: RefresherSettings, neighbours: (store: Store, service: Service, sink: Sink),
        check: ReceiptCheck, tokens: ProviderTokens, clock: LaneClock, random: Random,
        stop: StopSignal, pause: @escaping (Duration) -> Void, log: Log, observer: RefreshObserver
    ) {
        self.settings = settings
        store = neighbours.store
        service = neighbours.service
        sink = neighbours.sink
        self.check = check
        self.tokens = tokens
        self.clock = clock
        self.random = random
        self.stop = stop
        self.pause = pause
        self.log = log
        self.observer = observer
    }

    /// Works until the end is asked for, then closes its connections.
    package func run() {
        while !stop.isRequested {
            let wait: Duration
            do {
                wait = try round()
                if backoff.attempts > 0 {
                    log(.info, "refresher_recovered", "receipts are refreshed again")
                    backoff.succeeded()
                }
            } catch {
                wait = backoff.failed(using: &random)
                log(.warning, "refresher_blocked", error, ["wait_ms": LogValue(milliseconds: wait)])
            }
            if !stop.isRequested { pause(wait) }
        }
        store.close()
        sink.close(wait: .seconds(1))
    }

    /// Takes what is due and asks about it.
    ///
    /// - Returns: when to come again.
    /// - Throws: a fault of the database, of the topic or of the key's file.
    package func round() throws(Fault) -> Duration {
        try look()
        let appIDs = settings.appIDs()
        // Without a token nobody can be asked, so nothing is taken.
        _ = try tokens.token(at: clock.wall())
        let terms = settings.terms(for: appIDs)
        let grant = try store.lease(terms, at: clock.wall())
        guard try ask(about: grant.receipts, terms) else { return .milliseconds(100) }
        if let wait = grant.paceWait {
            // However long Apple is left alone, what is untold or overdue is looked for.
            return max(min(wait, settings.lookInterval), .milliseconds(100))
        }
        return grant.parked > 0 ? .milliseconds(100) : settings.idleWait
    }

    /// Asks about one key at once, whether or not it is due.
    ///
    /// - Parameters:
    ///   - keyID: the key.
    ///   - appID: its app.
    /// - Returns: what came of it, or why it was not asked about.
    /// - Throws: a fault of the database or of the key's file.
    package func refresh(
        _ keyID: KeyID, of appID: String
    ) throws(Fault) -> HandTry {
        _ = try tokens.token(at: clock.wall())
        switch try store.lease(keyID, of: appID, settings.rules, at: clock.wall()) {
        case .unknown: return .unknown
        case .busy(let since): return .busy(since: since)
        case .early(let notBefore): return .early(notBefore: notBefore)
        case .taken(let leased):
            var terms = settings.terms(for: [appID])
            terms.isByHand = true
            let (outcome, detail) = try ask(leased, terms)
            return .tried(outcome, detail: detail)
        }
    }

    /// Asks about receipts one after the other, and gives back those it did not get to.
    ///
    /// - Returns: false where it stopped before the last.
    private func ask(
        about receipts: [LeasedReceipt], _ terms: LeaseTerms
    ) throws(Fault) -> Bool {
        var rest = receipts[...]
        do {
            while let leased = rest.first, !stop.isRequested {
                rest = rest.dropFirst()
                guard try !ask(leased, terms).outcome.slowsDown else { break }
            }
        } catch {
            // What went wrong is told; that these could not be given back costs them a day.
            if !rest.isEmpty { try? store.giveBack(Array(rest), at: clock.wall()) }
            throw error
        }
        if !rest.isEmpty { try store.giveBack(Array(rest), at: clock.wall()) }
        return rest.isEmpty
    }

    /// Asks Apple about one receipt and stores what came of it.
    private func ask(
        _ stored: LeasedReceipt, _ terms: LeaseTerms
    ) throws(Fault) -> (outcome: RefreshOutcome, detail: String) {
        var leased = stored
        let token = try tokens.token(at: clock.wall())
        let (outcome, detail) = exchange(&leased, token)
        if outcome == .failed(.unauthorized) { tokens.discard() }
        let now = clock.wall()
        let isStored = try settle(leased, outcome, terms, at: now)
        observer.noted(outcome)
        tell(leased, outcome, detail, isStored: isStored)
        guard isStored, case .renewed(_, let facts) = outcome, let metric = facts.metric,
            metric != leased.state.metric
        else { return (outcome, detail) }
        // Told at once by whoever got it; what fails here is found by a later look.
        if settings.tellsChanges, !isTopicAway { tellChanges([leased.appID], before: now) }
        return (outcome, detail)
    }

    /// Stores what came; a receipt in hand is worth more than one try.
    private func settle(
        _ leased: LeasedReceipt, _ outcome: RefreshOutcome, _ terms: LeaseTerms, at now: Instant
    ) throws(Fault) -> Bool {
        for _ in 1..<settings.settleAttempts {
            do {
                return try store.settle(leased, outcome, terms, at: now)
            } catch {
                log(.warning, "refresher_blocked", error)
                pause(.seconds(1))
            }
        }
        return try store.settle(leased, outcome, terms, at: now)
    }

    /// The stored receipt is verified first: what is none is not sent.
    private func exchange(
        _ leased: inout LeasedReceipt, _ token: ProviderToken
    ) -> (outcome: RefreshOutcome, detail: String) {
        switch check.facts(leased.receipt, leased, clock.wall()) {
        case .failure(let problem): return (.failed(.invalidStored), problem.code)
        case .success(let facts):
            leased.state.createdAt = facts.createdAt
            leased.state.notBefore = facts.notBefore
            leased.state.expiresAt = facts.expiresAt
            if let notBefore = facts.notBefore, clock.wall() < notBefore {
                return (.failed(.tooEarly), "not asked")
            }
        }
        let answer = service.exchange(leased.receipt, in: leased.environment, token: token)
        return check.outcome(of: answer, to: leased, at: clock.wall())
    }

    private func tell(
        _ leased: LeasedReceipt, _ outcome: RefreshOutcome, _ detail: String, isStored: Bool
    ) {
        let level: LogLevel =
            switch outcome {
            case .renewed, .failed(.tooEarly): .debug
            case .failed(.noData), .failed(.invalidStored): .info
            case .failed(.unauthorized): .error
            case .failed: .warning
            }
        log(
            level, "receipt_refresh", "Apple was asked for a new receipt: \(outcome.name)",
            [
                "result": LogValue(outcome.name), "detail": LogValue(detail),
                "app": LogValue(leased.appID),
                "environment": LogValue(leased.environment.rawValue),
                "stored": LogValue(isStored),
            ])
    }

    // MARK: - The risk topic

    /// From time to time: what was not told yet, and how long receipts wait.
    private func look() throws(Fault) {
        let now = clock.monotonic()
        if let nextLook, now < nextLook { return }
        let appIDs = settings.appIDs()
        observer.saw(oldestDue: try store.oldestDue(appIDs, at: clock.wall()))
        nextLook = now + settings.lookInterval
        tellChanges(appIDs, before: clock.wall().advanced(by: .zero - settings.untoldAge))
    }

    /// Tells what was not told yet; receipts are refreshed whether or not anybody can be told.
    private func tellChanges(_ appIDs: Set<String>, before: Instant) {
        do {
            try publish(store.untold(appIDs, before: before, limit: settings.untoldMax))
            isTopicAway = false
        } catch {
            isTopicAway = true
            log(.warning, "risk_untold", error)
        }
    }

    /// Publishes changes and notes those that were delivered.
    ///
    /// A change stays untold until its report is there, and its key is not asked about meanwhile:
    /// so no change is lost, and one may be told twice.
    private func publish(_ changes: [RiskChange]) throws(Fault) {
        guard !changes.isEmpty else { return }
        var waiting: [UInt64: RiskChange] = [:]
        var records: [(ticket: UInt64, record: OutgoingRecord)] = []
        for change in changes {
            lastTicket += 1
            waiting[lastTicket] = change
            records.append(
                (
                    lastTicket,
                    OutgoingRecord(
                        topic: settings.riskTopic, key: change.recordKey, value: change.encode(),
                        headers: change.headers(consumerGroup: settings.group))
                ))
        }
        try sink.enqueue(records)
        let deadline = clock.monotonic() + settings.reportPatience
        while !waiting.isEmpty, clock.monotonic() < deadline {
            var delivered: [RiskChange] = []
            for report in try sink.reports(wait: .milliseconds(200)) {
                guard let change = waiting.removeValue(forKey: report.ticket) else { continue }
                guard report.result == .delivered else { throw undelivered(report.result) }
                delivered.append(change)
            }
            guard !delivered.isEmpty else { continue }
            try store.noteTold(delivered)
            observer.told(delivered.count)
        }
        guard waiting.isEmpty else { throw undelivered(.failed(code: "no_report")) }
    }

    private func undelivered(_ result: DeliveryReport.Result) -> Fault {
        let code =
            switch result {
            case .delivered: "delivered"
            case .failed(let code), .refused(let code), .forbidden(let code): code
            }
        return Fault(
            operation: "publish to \(settings.riskTopic)", code: code, disposition: .retry,
            message: "a change of the risk metric was not delivered; check that the topic of"
                + " kafka.topics.risk exists and that this worker may write to it")
    }
}

extension RefreshOutcome {
    /// Whether the fleet now asks nobody for a while.
    fileprivate var slowsDown: Bool {
        switch self {
        case .renewed: false
        case .failed(let failure): RefreshPace.isTrouble(failure)
        }
    }
}
