internal import AppAttest
internal import LibCrypto
internal import Synchronization
internal import Wire

/// Where a lane tells what happens to it, and where others look.
///
/// The lock is held for no longer than a few counts take. Whoever wants to tell of the lane takes a
/// copy, so that no scrape and no slow client ever makes a lane wait.
package final class LaneObserver: Sendable {
    /// The clocks that everything is timed by.
    package let clock: LaneClock
    private let state: Mutex<LaneReport>

    /// An observer of a lane that has not begun.
    package init(lane number: Int, clock: LaneClock) {
        self.clock = clock
        state = Mutex(LaneReport(number: number, clock: clock))
    }

    /// How the lane stands.
    package var report: LaneReport {
        state.withLock { $0 }
    }

    /// Changes what is told of the lane.
    func note(_ change: (inout LaneReport) -> Void) {
        state.withLock { change(&$0) }
    }

    // MARK: What the lane is doing

    /// A call to a neighbour begins, or one has ended: a sign of life.
    func begin(_ activity: String) {
        let now = clock.monotonic()
        note { $0.activity = LaneReport.Activity(name: activity, since: now) }
    }

    /// Times a stage.
    func timed<Result>(_ stage: Stage, _ body: () -> Result) -> Result {
        let start = clock.monotonic()
        let result = body()
        took(clock.monotonic() - start, for: stage)
        return result
    }

    /// A stage took so long.
    func took(_ duration: Duration, for stage: Stage) {
        note { $0.cells.observe(MetricTable.stageDuration, [stage.rawValue], duration) }
    }

    /// A fault is sat out.
    func isBlocked(_ stage: Stage, by fault: Fault) {
        let now = clock.monotonic()
        note { report in
            report.cells.count(MetricTable.retries, [stage.rawValue, fault.code])
            let since = report.trouble?.since ?? now
            report.trouble = LaneReport.Trouble(fault: fault, since: since)
        }
    }

    /// Something that has no time limit is waited for, longer than it should take.
    func waits(for fault: Fault) {
        let now = clock.monotonic()
        note { report in
            let since = report.trouble?.since ?? now
            report.trouble = LaneReport.Trouble(fault: fault, since: since)
        }
    }

    /// What failed works again.
    func recovered() {
        note { report in
            report.trouble = nil
            // From here on the client's own watermarks move again.
            for partition in report.partitions.keys { report.partitions[partition]?.seenEnd = nil }
        }
    }

    /// The broker told where the logs end.
    func saw(ends: [TopicPartition: Int64]) {
        let now = clock.wall()
        note { report in
            for (partition, end) in ends { report.partitions[partition]?.seenEnd = end }
            report.noteLag(now: now)
        }
    }

    /// The lane's thread is about to start: what went before was no work of its own.
    package func started() {
        begin("start")
    }

    /// The lane has left its group, and begins anew with other clients.
    package func beginsAnew() {
        note { report in
            report.isMember = false
            report.partitions = [:]
            report.statistics = [:]
            report.trouble = nil
            report.inHandRecords = 0
            report.inHandBytes = 0
            report.unreported = 0
        }
        begin("start")
    }

    /// The lane's thread ends.
    package func ended() {
        note { report in
            report.hasEnded = true
            report.partitions = [:]
            report.inHandRecords = 0
            report.inHandBytes = 0
            report.unreported = 0
        }
    }

    // MARK: Batches

    /// A batch was taken in hand.
    func took(_ records: [Record], _ decoded: [DecodedRecord]) {
        note { report in
            for (record, decoded) in zip(records, decoded) {
                let topic = record.place.topic
                let kind = decoded.kind?.rawValue ?? "unknown"
                let bytes = record.value?.count ?? 0
                report.cells.count(MetricTable.consumed, [topic, kind])
                report.cells.count(MetricTable.consumedBytes, [topic], by: bytes)
                if decoded.isKeyed(otherwiseThan: record) {
                    report.cells.count(MetricTable.keyMismatches, [topic])
                }
                report.inHandRecords += 1
                report.inHandBytes += bytes
                guard let milliseconds = record.timestampMilliseconds else { continue }
                let timestamp = Instant(milliseconds: milliseconds)
                let oldest = report.partitions[record.partition]?.oldestInHand ?? timestamp
                report.partitions[record.partition]?.oldestInHand = min(oldest, timestamp)
            }
            report.cells.observe(MetricTable.batchRecords, [], records.count)
        }
    }

    /// A batch is answered and committed, or dropped.
    ///
    /// - Parameter start: when it was polled, by the monotonic clock.
    func finished(since start: Duration) {
        let duration = clock.monotonic() - start
        let now = clock.wall()
        note { report in
            report.inHandRecords = 0
            report.inHandBytes = 0
            report.progressAt = now
            for partition in report.partitions.keys {
                report.partitions[partition]?.oldestInHand = nil
            }
            report.noteLag(now: now)
            report.cells.observe(MetricTable.batchDuration, [], duration)
        }
    }

    /// There is nothing to do.
    func isIdle() {
        let now = clock.wall()
        note { report in
            guard report.trouble == nil else { return }
            report.progressAt = now
        }
    }

    /// The answers of a batch are delivered.
    func answered(_ batch: [JudgedRecord], _ decided: DecidedBatch) {
        let now = clock.wall()
        note { report in
            for (place, judged) in batch.enumerated() {
                report.count(judged, decided.answers[place], decided.facts[place], now: now)
            }
            for (partition, offset) in decided.answeredOffsets {
                report.partitions[partition]?.position = offset
            }
        }
    }

    // MARK: Partitions

    /// Partitions are claimed and fetched from here.
    func claimed(_ offsets: [TopicPartition: Int64]) {
        let now = clock.wall()
        note { report in
            for (partition, offset) in offsets {
                report.partitions[partition, default: .init()].position = offset
            }
            report.noteLag(now: now)
        }
    }

    /// A partition turned out to be claimed by another lane.
    func fenced() {
        note { $0.cells.count(MetricTable.fences) }
    }

    /// PostgreSQL was found to have lost commits of so many partitions: when they were claimed
    /// (`assign`), or in a batch.
    func fellBack(_ count: Int, cause: String) {
        note { $0.cells.count(MetricTable.regressions, [cause], by: count) }
    }

    // MARK: Kafka's client

    /// The client told of itself.
    package func told(_ statistics: ClientStatistics, by role: KafkaClientRole) {
        let now = clock.wall()
        note { report in
            report.statistics[role] = statistics
            if role == .consumer { report.noteLag(now: now) }
        }
    }

    /// The client warned.
    package func kafkaWarned(_ role: KafkaClientRole, code: String) {
        note { $0.cells.count(MetricTable.kafkaErrors, [role.rawValue, code]) }
    }

    /// The producer broke and was made anew.
    package func producerWasRecreated() {
        note { $0.cells.count(MetricTable.producersRecreated) }
    }

    /// A connection to the database was opened, or could not be.
    package func connected(_ isOpen: Bool) {
        note { $0.cells.count(MetricTable.connects, [isOpen ? "opened" : "failed"]) }
    }
}

extension LaneReport {
    /// Notes since when each partition lags, now that positions or watermarks have moved.
    fileprivate mutating func noteLag(now: Instant) {
        for partition in partitions.keys {
            guard let lag = lag(of: partition) else { continue }
            if lag == 0 {
                partitions[partition]?.behindSince = nil
            } else if partitions[partition]?.behindSince == nil {
                partitions[partition]?.behindSince = now
            }
        }
    }

    fileprivate mutating func count(
        _ judged: JudgedRecord, _ answer: Answer, _ facts: VerdictFacts?, now: Instant
    ) {
        let type = judged.kind?.rawValue ?? ""
        switch answer {
        case .nothing: return
        case .deadLetter(let cause):
            cells.count(
                MetricTable.deadLetters,
                [judged.record.place.topic, cause.stage.rawValue, cause.code])
        case .verdict:
            guard let facts else { return }
            countVerdict(facts, type: type)
        }
        guard !type.isEmpty, let stamp = judged.record.timestampMilliseconds else { return }
        let (age, isBeyond) = now.milliseconds.subtractingReportingOverflow(stamp)
        guard !isBeyond else { return }
        cells.observe(MetricTable.endToEnd, [type], .milliseconds(age))
    }

    private mutating func countVerdict(_ facts: VerdictFacts, type: String) {
        switch facts.repetition {
        case .redelivered: cells.count(MetricTable.duplicates, ["redelivery"])
        case .sentAgain: cells.count(MetricTable.duplicates, ["gateway"])
        case nil:
            let outcome = facts.reason == nil ? "accepted" : "rejected"
            let app = facts.appID ?? ""
            cells.count(MetricTable.verdicts, [app, type, outcome, facts.reason?.code ?? ""])
            for reason in facts.wouldReject {
                cells.count(MetricTable.wouldReject, [app, type, reason.code])
            }
            if facts.isOutOfOrder { cells.count(MetricTable.outOfOrder, [app]) }
            if let receipt = facts.receipt {
                cells.count(
                    MetricTable.receipts, [app, receipt.reason?.rawValue ?? receipt.name])
            }
            if let token = facts.token {
                let use = token.isForLimitedUse ? "limited" : "ordinary"
                cells.count(MetricTable.tokensIssued, [app, use])
            }
            if let isConsumedBefore = facts.isConsumedBefore {
                let result = isConsumedBefore ? "again" : "first"
                cells.count(MetricTable.tokensConsumed, [app, result])
            }
            if facts.isSimulated {
                cells.count(MetricTable.simulatedVerdicts, [app, type, outcome])
            }
            if facts.reason == .worker(.requestIDConflict) { cells.count(MetricTable.conflicts) }
            if facts.reason == .worker(.staleRequest) { cells.count(MetricTable.stale) }
        }
    }
}

extension DecodedRecord {
    /// What kind of request it holds, where the message tells.
    fileprivate var kind: RequestKind? {
        switch self {
        case .request(let request): request.kind
        case .service(let request): request.kind
        case .unjudgeable(let request): request.kind
        case .unreadable: nil
        }
    }

    /// Whether the record's key is not the key id of its request.
    fileprivate func isKeyed(otherwiseThan record: Record) -> Bool {
        guard case .request(let request) = self else { return false }
        guard let key = record.key, let text = String(validating: key, as: UTF8.self),
            let bytes = Base64.decode(text)
        else { return true }
        return bytes != request.keyID.digest.bytes
    }
}
