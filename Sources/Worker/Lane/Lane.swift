import AppAttest
package import Wire

/// What one lane is told.
package struct LaneSettings: Sendable {
    /// A name for the log: `lane-0`.
    package var name: String
    /// The consumer group, for the source of its verdicts.
    package var groupID: String
    /// The topic verdicts go to.
    package var verdictTopic: String
    /// The topic dead letters go to.
    package var deadLetterTopic: String
    /// The topic that copies of verdicts go to whose requests ask for one; nil: none do.
    package var replyTopic: String?
    /// What is judged against; a replacement counts from the next batch on.
    package var policy: Live<Policy>
    /// What is revoked beside the database; a replacement counts from the next batch on.
    package var revocations = Live(RevocationList.none)
    /// Whether decisions are kept, and pruned, for the audit.
    package var isAudited = false
    /// How large messages may be.
    package var messageLimits: MessageLimits
    /// The lane's own limits.
    package var limits: LaneLimits
    /// Who this worker is, for dead letters and the log.
    package var identity: WorkerIdentity
    /// Takes the spans of requests whose trace is recorded; nil: then traces pass through as they
    /// came, and nothing is made of them.
    package var spans: SpanSink?

    /// Settings from their parts.
    package init(
        name: String, groupID: String, verdictTopic: String, deadLetterTopic: String,
        policy: Live<Policy>, messageLimits: MessageLimits, limits: LaneLimits,
        identity: WorkerIdentity
    ) {
        self.name = name
        self.groupID = groupID
        self.verdictTopic = verdictTopic
        self.deadLetterTopic = deadLetterTopic
        self.policy = policy
        self.messageLimits = messageLimits
        self.limits = limits
        self.identity = identity
    }
}

/// One consumer, one connection, one producer, one thread: the loop.
///
///     poll a batch -> decode -> load keys -> verify -> decide + store -> publish -> commit
///
/// Lanes share nothing. A lane has at most one batch in hand, and nothing of it is committed before
/// all of its verdicts are reported as delivered; so a lane that dies anywhere leaves a batch that
/// is delivered again, and answered from the inbox as far as it was decided.
///
/// A fault that may pass blocks the lane, for hours if need be, while the membership of the group
/// is kept: the partitions are paused and polled on. The changes of assignment that come meanwhile
/// are answered at once, and take their records out of the batch in hand.
package final class Lane<Source: RequestSource, Store: KeyStore, Sink: VerdictSink> {
    let settings: LaneSettings
    let source: Source
    let store: Store
    let sink: Sink
    let clock: LaneClock
    let stop: StopSignal
    let log: Log
    let observer: LaneObserver
    var random: any RandomNumberGenerator
    var judge: Judge
    /// Keys as they were read lately.
    var knownKeys = KnownKeys()
    /// What the batch in hand is judged and decided by.
    var policy: Policy
    private var policyVersion = 0
    private var revocationsVersion = 0

    /// The partitions claimed in the database, with what was last seen of each.
    var owned: [TopicPartition: OwnedPartition] = [:]
    /// The partitions assigned by the group and not claimed yet.
    var unclaimed: Set<TopicPartition> = []
    /// The partitions that are being fetched: claimed, or fenced and to be claimed again.
    var started: Set<TopicPartition> = []
    var claimBackoff = Backoff()
    var nextClaim: Duration = .zero
    /// Records that came while the lane was blocked.
    var backlog: [Record] = []
    var isPaused = false
    var drainDeadline: Duration?
    var lastTicket: UInt64 = 0
    var lateReplies = LateReplies()
    var deadLettersInARow = 0
    var nextPrune: Duration = .zero
    var nextProbe: Duration = .zero
    var nextLook: Duration = .zero
    /// When the batch in hand was received.
    var received: Duration = .zero

    /// A lane over its neighbours, which it closes when it ends.
    ///
    /// - Parameters:
    ///   - settings: what the lane is told.
    ///   - source: the request topics.
    ///   - store: the database.
    ///   - sink: the verdict topic.
    ///   - clock: the clocks.
    ///   - random: for jitter and the ids of spans.
    ///   - stop: asks the lane to end.
    ///   - log: where it tells what it does.
    ///   - observer: where it counts and times what it does.
    package init(
        settings: LaneSettings, source: Source, store: Store, sink: Sink, clock: LaneClock,
        random: any RandomNumberGenerator, stop: StopSignal, log: Log, observer: LaneObserver
    ) {
        self.settings = settings
        self.source = source
        self.store = store
        self.sink = sink
        self.clock = clock
        self.random = random
        self.stop = stop
        self.observer = observer
        self.log = log.with(["lane": LogValue(settings.name)])
        var policy = settings.policy.newer(than: &policyVersion) ?? settings.policy.value
        policy.revocations =
            settings.revocations.newer(than: &revocationsVersion) ?? settings.revocations.value
        self.policy = policy
        judge = Judge(policy: policy, messageLimits: settings.messageLimits)
    }

    /// Runs until the stop signal, on the calling thread.
    ///
    /// - Parameter beforeLeaving: called when all work is done and committed, before the lane
    ///   leaves the group.
    /// - Throws: a fault with disposition `.stop`: the process shall end with its code.
    package func run(beforeLeaving: () -> Void = {}) throws(Fault) {
        defer { closeNeighbours() }
        while !stop.isRequested {
            try claimWhatIsDue()
            let records = try nextRecords()
            if records.isEmpty { try tendWhileIdle() } else { try process(records) }
            try pruneWhatIsDue()
        }
        beforeLeaving()
        log(.info, "lane_stopped", "the lane has finished its work and leaves the group")
    }

    /// Takes the next batch: what came while the lane was blocked, or else a poll.
    private func nextRecords() throws(Fault) -> [Record] {
        if !backlog.isEmpty {
            defer { backlog.removeAll() }
            return backlog
        }
        let wait: Duration =
            unclaimed.isEmpty
            ? settings.limits.idleWait
            : min(settings.limits.idleWait, max(.zero, nextClaim - clock.monotonic()))
        let polled = try persistently(.poll) { () throws(Fault) in
            try source.poll(limits: settings.limits.batch, wait: wait)
        }
        guard let change = polled.change else { return polled.records }
        // A revocation goes first: what is polled and not begun costs its next owner nothing.
        try answer(change)
        return polled.records.filter { owned[$0.partition] != nil }
    }

    /// Takes over a policy that has replaced this lane's, between two batches.
    ///
    /// The new judge has no intermediates in memory that were verified under the old one's roots.
    private func adoptPolicy() {
        adoptRevocations()
        guard var policy = settings.policy.newer(than: &policyVersion) else { return }
        policy.revocations = self.policy.revocations
        self.policy = policy
        judge = Judge(policy: policy, messageLimits: settings.messageLimits)
        log(
            .info, "policy_adopted", "batches from now on are judged by the new list of apps",
            ["apps": LogValue(policy.apps.count)])
    }

    /// Takes over a list of revocations that has replaced this lane's, between two batches.
    ///
    /// The judge goes on: what it verifies does not depend on the list.
    private func adoptRevocations() {
        guard let list = settings.revocations.newer(than: &revocationsVersion) else { return }
        policy.revocations = list
    }

    /// Judges, decides, publishes and commits one batch.
    private func process(_ records: [Record]) throws(Fault) {
        let start = clock.monotonic()
        received = start
        defer { observer.finished(since: start) }
        adoptPolicy()
        let epochs = owned.mapValues(\.epoch)
        let batch = records.filter { epochs[$0.partition] != nil }
        let decoded = observer.timed(.decode) {
            batch.map { (record: $0, decoded: judge.decode($0)) }
        }
        observer.took(batch, decoded.map(\.decoded))
        let keys = try keys(for: Set(decoded.compactMap { $0.decoded.assertionKeyID }))
        let judged = observer.timed(.verify) {
            judge.judge(decoded, keys: keys, now: clock.wall())
        }
        for record in judged where record.isUnprocessable {
            tellUnprocessable(record, "the stored public key is not a point of P-256")
            if let keyID = record.keyID { knownKeys.forget(keyID) }
        }
        try settle(judged, epochs: epochs)
    }

    /// What assertions are verified with: keys that are remembered, and the others as stored.
    private func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey] {
        let known = knownKeys.keys(for: keyIDs)
        guard known.count < keyIDs.count else { return known }
        let unknown = keyIDs.subtracting(known.keys)
        let read = try persistently(.loadKeys) { () throws(Fault) in
            try store.keys(for: unknown)
        }
        knownKeys.note(read)
        return known.merging(read) { _, new in new }
    }

    /// Without a record to work on: looks after the producer and the database.
    private func tendWhileIdle() throws(Fault) {
        observer.isIdle()
        try tendSink()
        try probeStoreIfDue()
    }

    /// Asks an idle lane's database whether it would decide now.
    ///
    /// An operator shall learn of a broken one before the next request does. That it is broken is
    /// told once, when it begins, and stops nothing.
    private func probeStoreIfDue() throws(Fault) {
        let now = clock.monotonic()
        guard now >= nextProbe else { return }
        nextProbe = now + settings.limits.probeInterval
        let wasBroken = observer.report.storeFault != nil
        do {
            try store.probe()
            if wasBroken { log(.info, "database_answers", "the database answers again") }
        } catch {
            if case .stop = error.disposition { throw error }
            guard !wasBroken else { return }
            log(
                .warning, "database_unavailable", error.description,
                ["error_code": LogValue(error.code)])
        }
    }

    /// Lets an idle producer tell what it has to tell.
    ///
    /// What happens to it in hours without a record would pile up otherwise. Nothing is on its way
    /// that anyone waits for, so that it broke and was made anew is only told.
    private func tendSink() throws(Fault) {
        do {
            for report in try sink.reports(wait: .zero) { lateReplies.remove(report.ticket) }
        } catch {
            guard error.disposition == .retry else { throw error }
            lateReplies.removeAll()
            log(.warning, "retried", error.description, ["error_code": LogValue(error.code)])
        }
    }

    /// Deletes a few expired inbox rows, in a transaction of its own.
    ///
    /// Retention is no reason to stop deciding: a fault is told and the next round tries again.
    private func pruneWhatIsDue() throws(Fault) {
        let now = clock.monotonic()
        guard now >= nextPrune else { return }
        do {
            let rowsMax = settings.limits.pruneRowsMax
            var deleted = try store.pruneInbox(rowsMax: rowsMax)
            if settings.isAudited { deleted = max(deleted, try store.pruneAudit(rowsMax: rowsMax)) }
            if policy.challenges != nil || policy.tokens != nil {
                let kept = policy.maxRequestAge + UsedOnce.margin
                deleted = max(
                    deleted,
                    try store.pruneUsed(
                        expiredBefore: clock.wall().advanced(by: .zero - kept), rowsMax: rowsMax))
            }
            if deleted < rowsMax {
                nextPrune = now + settings.limits.pruneInterval
            }
        } catch {
            if case .stop = error.disposition { throw error }
            nextPrune = now + settings.limits.pruneInterval
            log(.warning, "prune_failed", error.description, ["error_code": LogValue(error.code)])
        }
    }

    private func closeNeighbours() {
        sink.close(wait: settings.limits.closeWait)
        source.close()
        store.close()
    }
}

extension DecodedRecord {
    /// The key that must be loaded to judge this record.
    fileprivate var assertionKeyID: KeyID? {
        guard case .request(let request) = self, request.kind == .assertion else { return nil }
        return request.keyID
    }
}
