import AppAttest
import Wire

// One batch through the lane: decided and stored, published, committed.

extension Lane {
    /// Decides a batch, publishes its answers and commits; halves it where one row can't be stored.
    func settle(
        _ judged: [JudgedRecord], epochs: [TopicPartition: Int64]
    ) throws(Fault) {
        let asked = clock.monotonic()
        do {
            guard
                let (batch, decided) = try persistently(
                    .store, { () throws(Fault) in try decide(judged, epochs: epochs) })
            else { return }
            note(decided)
            var trace = trace(of: batch, asked: asked)
            let messages = try messages(for: batch, decided.answers, &trace)
            try publish(messages, epochs: epochs)
            trace?.times.delivered = clock.monotonic()
            notePublished(decided.answeredOffsets, epochs: epochs)
            observer.answered(batch, decided)
            try commit(decided.answeredOffsets, epochs: epochs)
            tell(trace)
        } catch {
            switch error.disposition {
            case .poison:
                try divide(judged, epochs: epochs, after: error)
            case .fenced:
                let mine = judged.map(\.record.partition).filter { isOwned($0, epochs: epochs) }
                for partition in Set(mine) { noteFenced(partition) }
            case .retry, .stop:
                throw error
            }
        }
    }

    /// One try: the records that are still this lane's, in one transaction.
    private func decide(
        _ judged: [JudgedRecord], epochs: [TopicPartition: Int64]
    ) throws(Fault) -> (batch: [JudgedRecord], decided: DecidedBatch)? {
        var batch = judged.filter { isOwned($0.record.partition, epochs: epochs) }
        guard !batch.isEmpty else { return nil }
        while true {
            let (decided, outdated) = try decideOnce(batch)
            guard let outdated else { return (batch, decided) }
            batch = judge.judge(
                batch.map { ($0.record, judge.decode($0.record)) }, keys: outdated,
                now: batch[0].judgedAt)
        }
    }

    /// One transaction over a batch.
    ///
    /// - Returns: what was decided; or, where a key was verified with that is stored otherwise
    ///   meanwhile, the keys as they are stored: then nothing is decided, and the records are to be
    ///   judged by those. It happens once for a key, as what is outdated is forgotten.
    private func decideOnce(
        _ batch: [JudgedRecord]
    ) throws(Fault) -> (decided: DecidedBatch, outdated: [KeyID: StoredKey]?) {
        let policy = policy
        var reads = BatchReads(
            partitions: Set(batch.map(\.record.partition)).union(owned.keys),
            keyIDs: Set(batch.compactMap(\.keyToLock)),
            requests: Set(batch.filter(\.isAnswerable).map(\.identity)),
            owners: Dictionary(
                batch.compactMap { $0.ownerToCount(by: policy) }, uniquingKeysWith: max))
        reads.once = Set(batch.compactMap(\.once?.id))
        reads.wantsStandings = policy.refresh != nil
        let owned = owned
        let audit = settings.isAudited ? AuditBasis(policy, by: settings.identity) : nil
        var outdated: [KeyID: StoredKey]?
        let decided = try store.transact(reads) { state in
            outdated = knownKeys.forgetOutdated(reads.keyIDs, stored: state.keys)
            guard outdated == nil else { return (nil, DecidedBatch()) }
            return Decision.decide(
                batch, owned: owned, state: state, policy: policy, audit: audit)
        }
        return (decided, outdated)
    }

    /// Halves a batch that the database refuses, until the one record is found and refused.
    ///
    /// Its verdict is stored like any other, without the rows that were refused; where even that is
    /// refused, it becomes a dead letter and stores nothing but progress.
    private func divide(
        _ judged: [JudgedRecord], epochs: [TopicPartition: Int64], after fault: Fault
    ) throws(Fault) {
        guard judged.count > 1 else {
            guard let alone = judged.first, alone.isAnswerable else {
                throw Fault(
                    operation: fault.operation, code: fault.code, disposition: .stop(.software),
                    message: "the database refuses to store progress: \(fault.message)")
            }
            let cause = DeadLetter.Cause(
                stage: .store, code: "refused_by_database", message: fault.message,
                sqlState: fault.code)
            tellUnprocessable(alone, fault.description)
            return try settle(
                [
                    alone.claiming(
                        alone.isUnprocessable
                            ? .unanswerable(cause) : .refused(.worker(.unprocessable)))
                ], epochs: epochs)
        }
        let middle = judged.count / 2
        try settle(Array(judged[..<middle]), epochs: epochs)
        try settle(Array(judged[middle...]), epochs: epochs)
    }

    /// Tells an operator of a record that the database stands in the way of.
    func tellUnprocessable(_ judged: JudgedRecord, _ message: String) {
        log(
            .error, "unprocessable", message,
            [
                "topic": LogValue(judged.record.place.topic),
                "partition": LogValue(judged.record.place.partition),
                "offset": LogValue(judged.record.place.offset),
            ])
    }

    func isOwned(_ partition: TopicPartition, epochs: [TopicPartition: Int64]) -> Bool {
        guard let mine = owned[partition] else { return false }
        return mine.epoch == epochs[partition]
    }

    /// Takes over what the rows say of the partitions.
    private func note(_ decided: DecidedBatch) {
        for (partition, nextOffset) in decided.nextOffsets {
            owned[partition]?.nextOffset = nextOffset
        }
        for partition in decided.fenced { noteFenced(partition) }
        if !decided.fallenBack.isEmpty { noteFallenBack(decided.fallenBack) }
        backlog.removeAll { owned[$0.partition] == nil }
    }

    /// The database has lost commits: every partition is claimed and read again from its row.
    ///
    /// All of them, as a partition without new records would not notice by itself.
    private func noteFallenBack(_ offsets: [TopicPartition: Int64]) {
        for (partition, offset) in offsets {
            log(
                .error, "database_regression",
                "PostgreSQL fell back behind what it had stored; deciding again from its position",
                [
                    "topic": LogValue(partition.topic), "partition": LogValue(partition.partition),
                    "offset": LogValue(offset),
                ])
        }
        observer.fellBack(offsets.count, cause: "batch")
        knownKeys = KnownKeys()
        owned.removeAll()
        unclaimed.formUnion(started)
        nextClaim = clock.monotonic()
    }

    /// Another lane has claimed a partition.
    ///
    /// Either the group has given it away and will say so at
    /// the next poll, or someone claimed what is ours: then it is claimed again, after a pause.
    private func noteFenced(_ partition: TopicPartition) {
        owned[partition] = nil
        unclaimed.insert(partition)
        nextClaim = clock.monotonic() + claimBackoff.failed(using: &random)
        observer.fenced()
        log(
            .warning, "partition_fenced", "another lane has claimed the partition",
            ["topic": LogValue(partition.topic), "partition": LogValue(partition.partition)])
    }

    /// Every verdict of these records is delivered now; the next batch's progress row tells so.
    private func notePublished(
        _ answeredOffsets: [TopicPartition: Int64], epochs: [TopicPartition: Int64]
    ) {
        for (partition, offset) in answeredOffsets where isOwned(partition, epochs: epochs) {
            owned[partition]?.publishedOffset = offset
        }
    }

    /// The records that carry the answers, in the batch's order.
    private func messages(
        for batch: [JudgedRecord], _ answers: [Answer], _ trace: inout BatchTrace?
    ) throws(Fault) -> [Unreported] {
        var messages: [Unreported] = []
        messages.reserveCapacity(batch.count)
        for (judged, answer) in zip(batch, answers) {
            let record: OutgoingRecord
            switch answer {
            case .nothing: continue
            case .verdict(let bytes, let id, let isRepeat):
                deadLettersInARow = 0
                record = verdictRecord(
                    judged, bytes: bytes, id: id, isRepeat: isRepeat,
                    trace: trace == nil
                        ? judged.record.trace(settings.messageLimits)
                        : trace?.sending(of: judged.record.place, id, isRepeat: isRepeat))
            case .deadLetter(let cause):
                deadLettersInARow += 1
                try checkDeadLetterGuard()
                record = deadLetterRecord(judged, cause)
            }
            lastTicket += 1
            messages.append(
                Unreported(
                    ticket: lastTicket, partition: judged.record.partition, record: record))
            guard case .verdict = answer, let copy = replyCopy(of: record, to: judged.record)
            else { continue }
            lastTicket += 1
            messages.append(
                Unreported(
                    ticket: lastTicket, partition: judged.record.partition, record: copy,
                    isCopy: true))
        }
        return messages
    }

    private func checkDeadLetterGuard() throws(Fault) {
        let most = settings.limits.deadLettersInARowMax
        guard most > 0, deadLettersInARow > most else { return }
        throw Fault(
            operation: "publish dead letters", code: "dead_letter_flood",
            disposition: .stop(.incompatible),
            message: """
                more than \(most) records in a row hold no readable request: look at what is \
                written to the request topic; the records are kept there
                """)
    }

    /// Publishes and waits until every record is delivered or its partition is no longer ours.
    ///
    /// For copies to gateways it waits a moment longer than for the verdicts, and not for ever.
    /// Whoever owns such a partition answers its records again, in their order.
    private func publish(
        _ messages: [Unreported], epochs: [TopicPartition: Int64]
    ) throws(Fault) {
        var unreported = Dictionary(uniqueKeysWithValues: messages.map { ($0.ticket, $0) })
        var toEnqueue = messages
        var backoff = Backoff()
        let start = clock.monotonic()
        var silence = Silence(from: start, most: settings.limits.silenceMax)
        var onlyReplies: Duration?
        while !unreported.isEmpty {
            do {
                if !toEnqueue.isEmpty {
                    try sink.enqueue(toEnqueue.map { ($0.ticket, $0.record) })
                    toEnqueue.removeAll()
                }
                let reports = try sink.reports(wait: settings.limits.reportWait)
                let failed = try take(reports, from: &unreported)
                if let first = failed.first {
                    toEnqueue = failed.map(\.message)
                    try sitOut(.publish, undelivered(failed.count, first.code), &backoff)
                } else if reports.isEmpty {
                    tell(unreported.count, missingSince: &silence)
                    try keepMembership(for: .zero)
                }
                giveUpReplies(in: &unreported, since: &onlyReplies)
            } catch {
                guard error.disposition == .retry else { throw error }
                lateReplies.removeAll()
                toEnqueue = unreported.values.sorted { $0.ticket < $1.ticket }
                try sitOut(.publish, error, &backoff)
            }
            if epochs.keys.contains(where: { !isOwned($0, epochs: epochs) }) {
                unreported = unreported.filter { isOwned($0.value.partition, epochs: epochs) }
                toEnqueue.removeAll { unreported[$0.ticket] == nil }
            }
        }
        if backoff.attempts > 0 || silence.wasTold { observer.recovered() }
        observer.took(clock.monotonic() - start, for: .publish)
        try resume()
    }

    /// Strikes out what was delivered.
    ///
    /// - Returns: what failed and may be sent again, in order.
    private func take(
        _ reports: [DeliveryReport], from unreported: inout [UInt64: Unreported]
    ) throws(Fault) -> [(message: Unreported, code: String)] {
        var failed: [(message: Unreported, code: String)] = []
        for report in reports {
            lateReplies.remove(report.ticket)
            guard let message = unreported[report.ticket] else { continue }
            if message.isCopy {
                unreported[report.ticket] = nil
                noteReply(message.record, report.result)
                continue
            }
            switch report.result {
            case .delivered: unreported[report.ticket] = nil
            case .failed(let code): failed.append((message, code))
            case .forbidden(let code):
                throw Fault(
                    operation: "publish to \(message.record.topic)", code: code,
                    disposition: .stop(.noPermission),
                    message: "this worker may not write to the topic")
            case .refused(let code):
                throw Fault(
                    operation: "publish to \(message.record.topic)", code: code,
                    disposition: .stop(.incompatible),
                    message: """
                        the broker refuses the record for good: check that the topic exists, and \
                        that its max.message.bytes is at least the request topic's plus 16 KiB
                        """)
            }
        }
        return failed.sorted { $0.message.ticket < $1.message.ticket }
    }

    private func undelivered(_ count: Int, _ code: String) -> Fault {
        Fault(
            operation: "publish", code: code, disposition: .retry,
            message: "\(count) records were not delivered")
    }

    /// Tells, from time to time, that the lane waits for reports that don't come.
    ///
    /// A record on its way has no time limit, so nothing else would tell.
    private func tell(_ count: Int, missingSince silence: inout Silence) {
        guard let waited = silence.toTell(at: clock.monotonic()) else { return }
        observer.waits(
            for: Fault(
                operation: "publish", code: "reports_missing", disposition: .retry,
                message: "\(count) verdicts on their way are not reported as delivered"))
        log(
            .warning, "reports_missing",
            "verdicts on their way are not reported as delivered: the lane waits for the broker",
            ["records": LogValue(count), "waited_ms": LogValue(milliseconds: waited)])
    }

    /// Commits the offsets of the partitions that are still ours.
    ///
    /// A refusal because the generation is over is no fault: the change of assignment is on its
    /// way, and the next owner answers these records from the inbox.
    private func commit(
        _ nextOffsets: [TopicPartition: Int64], epochs: [TopicPartition: Int64]
    ) throws(Fault) {
        do {
            try persistently(.commit) { () throws(Fault) in
                let mine = nextOffsets.filter { isOwned($0.key, epochs: epochs) }
                if !mine.isEmpty { try source.commit(mine) }
            }
        } catch {
            guard error.disposition == .fenced else { throw error }
            log(.info, "commit_refused", error.description, ["error_code": LogValue(error.code)])
        }
    }
}

/// A record on its way, until its delivery is reported.
struct Unreported {
    let ticket: UInt64
    /// Where its request lies.
    let partition: TopicPartition
    let record: OutgoingRecord
    /// Whether it is a copy for a gateway, which nothing depends on.
    var isCopy = false
}
