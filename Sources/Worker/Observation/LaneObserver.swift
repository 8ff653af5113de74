internal import AppAttest
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
        let taken = TakenRecords(records, decoded)
        note { taken.count(in: &$0) }
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
        let answers = GivenAnswers(batch, decided, now: clock.wall())
        note { report in
            answers.count(in: &report.cells)
            for (partition, offset) in decided.answeredOffsets {
                report.partitions[partition]?.position = offset
            }
        }
    }

    /// A copy for a gateway is done with.
    func replied(_ result: ReplyResult) {
        note { $0.cells.count(MetricTable.replies, [result.rawValue]) }
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
}
