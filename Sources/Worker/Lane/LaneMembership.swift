// The lane as a member of its group: assignments answered, partitions claimed, faults sat out.

extension Lane {
    /// Answers a change of the assignment.
    ///
    /// The group waits for it, so nothing here waits for the database: partitions are claimed
    /// later, by ``claimWhatIsDue()``.
    func answer(_ change: AssignmentChange) throws(Fault) {
        switch change {
        case .assigned(let partitions):
            unclaimed.formUnion(partitions)
            nextClaim = clock.monotonic()
            claimBackoff.succeeded()
            try source.start([:])
            log(
                .info, "partitions_assigned", "the group assigned partitions",
                ["partitions": LogValue(partitions.count)])
        case .revoked(let partitions), .lost(let partitions):
            forget(partitions)
            try source.stop(partitions)
            log(
                .info, "partitions_revoked", "the group took partitions away",
                ["partitions": LogValue(partitions.count), "lost": LogValue(change.isLoss)])
        }
    }

    private func forget(_ partitions: [TopicPartition]) {
        for partition in partitions {
            owned[partition] = nil
            unclaimed.remove(partition)
            started.remove(partition)
        }
        backlog.removeAll { partitions.contains($0.partition) }
    }

    /// Claims in the database what the group has assigned, and starts fetching it.
    func claimWhatIsDue() throws(Fault) {
        guard !unclaimed.isEmpty, clock.monotonic() >= nextClaim else { return }
        do {
            try resume()
            try claim(unclaimed.sorted())
            if claimBackoff.attempts > 0 { observer.recovered() }
            claimBackoff.succeeded()
        } catch {
            guard error.disposition == .retry || error.disposition == .fenced else { throw error }
            let pause = claimBackoff.failed(using: &random)
            nextClaim = clock.monotonic() + pause
            observer.isBlocked(.claim, by: error)
            log(
                .warning, "claim_retried", error.description,
                [
                    "error_code": LogValue(error.code), "attempt": LogValue(claimBackoff.attempts),
                    "pause_ms": LogValue(milliseconds: pause),
                ])
        }
    }

    /// Claims and starts what broker and database can tell of now.
    ///
    /// One partition without a leader must not keep the others waiting.
    ///
    /// - Throws: `.retry` when some or all are left unclaimed.
    private func claim(_ partitions: [TopicPartition]) throws(Fault) {
        let logs = try source.positions(of: partitions)
        let rows = try store.claim(logs.mapValues(StartPosition.initial))
        let firstLater = try source.firstOffsets(
            laterThan: rows.filter { partition, row in
                logs[partition].map { StartPosition.mayBeNewLog(row: row, log: $0) } ?? false
            }.mapValues(\.lastTimestampMilliseconds))
        var offsets: [TopicPartition: Int64] = [:]
        var resets: [TopicPartition: Progress] = [:]
        for (partition, row) in rows {
            guard let log = logs[partition] else { continue }
            let position = StartPosition(row: row, log: log, firstLater: firstLater[partition])
            tell(position, of: partition)
            switch position {
            case .at(let offset), .lostCommits(let offset, _), .recordsExpired(let offset, _):
                offsets[partition] = offset
            case .newLog(let offset):
                offsets[partition] = offset
                resets[partition] = Progress(
                    epoch: row.epoch, nextOffset: offset, publishedOffset: offset,
                    lastTimestampMilliseconds: 0)
            case .unrecoverable(let nextOffset, let low):
                throw unrecoverable(partition, nextOffset: nextOffset, low: low)
            }
        }
        if !resets.isEmpty { try store.reset(resets) }
        try startFetching(offsets)
        for (partition, row) in rows.merging(resets, uniquingKeysWith: { $1 }) {
            guard offsets[partition] != nil else { continue }
            owned[partition] = OwnedPartition(
                epoch: row.epoch, nextOffset: row.nextOffset,
                publishedOffset: row.publishedOffset)
        }
        unclaimed.subtract(offsets.keys)
        log(
            .info, "partitions_claimed", "fetching starts",
            ["partitions": LogValue(offsets.count)])
        guard unclaimed.isEmpty else {
            throw Fault(
                operation: "claim partitions", code: "position_missing", disposition: .retry,
                message: "the broker tells nothing of \(unclaimed.count) assigned partitions")
        }
    }

    /// Starts new partitions; goes back in those that were fenced while they were fetched.
    private func startFetching(_ offsets: [TopicPartition: Int64]) throws(Fault) {
        // What was fetched before lies ahead of what is decided next.
        backlog.removeAll { offsets[$0.partition] != nil }
        // All in one call: each makes the client fetch everything anew.
        if !offsets.isEmpty { try source.start(offsets) }
        started.formUnion(offsets.keys)
    }

    private func tell(_ position: StartPosition, of partition: TopicPartition) {
        let fields: KeyValuePairs<String, LogValue> = [
            "topic": LogValue(partition.topic), "partition": LogValue(partition.partition),
        ]
        let log = log.with(fields)
        switch position {
        case .at, .unrecoverable: break
        case .lostCommits(let offset, let committed):
            observer.fellBack(1, cause: "assign")
            log(
                .error, "database_regression",
                "PostgreSQL is behind what Kafka has committed; deciding again from its position",
                ["offset": LogValue(offset), "committed": LogValue(committed)])
        case .newLog(let offset):
            log(
                .error, "topic_recreated",
                "the progress row was that of another log; it was set back",
                ["offset": LogValue(offset)])
        case .recordsExpired(let offset, let missing):
            log(
                .error, "records_expired", "retention deleted records that nobody had decided",
                ["offset": LogValue(offset), "missing": LogValue(missing)])
        }
    }

    private func unrecoverable(
        _ partition: TopicPartition, nextOffset: Int64, low: Int64
    ) -> Fault {
        Fault(
            operation: "claim \(partition.topic)[\(partition.partition)]",
            code: "database_behind_log", disposition: .stop(.incompatible),
            message: """
                the database knows of decisions up to offset \(nextOffset), the group has \
                committed more, and the topic begins at \(low): sign counts may be too low, and \
                old assertions could be accepted again. Restore a newer copy of the database; or \
                raise the sign counts from the verdict topic with `attest-worker reconcile \
                --from-verdicts`, and let this partition go on with its --accept-gap
                """)
    }

    /// Does something until it succeeds, as long as its faults may pass.
    ///
    /// Between tries the membership is kept. `body` must look at ``owned`` anew at each try.
    func persistently<Result>(
        _ stage: Stage, _ body: () throws(Fault) -> Result
    ) throws(Fault) -> Result {
        var backoff = Backoff()
        while true {
            do {
                let result = try body()
                try resume()
                if backoff.attempts > 0 {
                    observer.recovered()
                    log(
                        .info, "recovered", "\(stage.rawValue): works again",
                        ["attempt": LogValue(backoff.attempts)])
                }
                return result
            } catch {
                guard error.disposition == .retry else { throw error }
                try sitOut(stage, error, &backoff)
            }
        }
    }

    /// Tells of a fault that may pass, and waits before the next try.
    func sitOut(
        _ stage: Stage, _ fault: Fault, _ backoff: inout Backoff
    ) throws(Fault) {
        let pause = backoff.failed(using: &random)
        observer.isBlocked(stage, by: fault)
        log(
            .warning, "retried", fault.description,
            [
                "error_code": LogValue(fault.code), "attempt": LogValue(backoff.attempts),
                "pause_ms": LogValue(milliseconds: pause),
            ])
        try keepMembership(for: pause)
        if stage == .store || stage == .loadKeys { try lookAtLogsIfDue() }
    }

    /// Asks the broker how far the logs have grown while the database is away.
    ///
    /// What is paused is not fetched, and so the client's own watermarks stand still just when an
    /// operator wants to see the lag grow. A broker that can't tell is no reason to end.
    private func lookAtLogsIfDue() throws(Fault) {
        let now = clock.monotonic()
        guard now >= nextLook, !owned.isEmpty else { return }
        nextLook = now + settings.limits.lookInterval
        do {
            observer.saw(ends: try source.positions(of: owned.keys.sorted()).mapValues(\.high))
        } catch {
            guard error.disposition == .retry else { throw error }
            log(
                .debug, "lag_unknown", error.description, ["error_code": LogValue(error.code)])
        }
    }

    /// Polls without taking new work: one poll at least, and for so long.
    ///
    /// - Throws: `.stop(.drainDeadline)` once a stop was asked for and its deadline has passed.
    func keepMembership(for pause: Duration) throws(Fault) {
        if !isPaused {
            isPaused = true
            try source.pause()
        }
        let end = clock.monotonic() + pause
        var remaining = pause
        repeat {
            try checkDrainDeadline()
            let polled = try source.poll(
                limits: BatchLimits(recordsMax: 1, bytesMax: settings.limits.batch.bytesMax),
                wait: min(max(remaining, .zero), settings.limits.idleWait))
            backlog += polled.records
            if let change = polled.change { try answer(change) }
            remaining = end - clock.monotonic()
        } while remaining > .zero
    }

    func resume() throws(Fault) {
        guard isPaused else { return }
        isPaused = false
        try source.resume()
    }

    private func checkDrainDeadline() throws(Fault) {
        guard stop.isRequested else { return }
        let now = clock.monotonic()
        let deadline = drainDeadline ?? now + settings.limits.drainTimeout
        drainDeadline = deadline
        guard now >= deadline else { return }
        throw Fault(
            operation: "drain", code: "drain_deadline", disposition: .stop(.drainDeadline),
            message: "the batch in hand was not done in time; it will be delivered again")
    }
}

extension AssignmentChange {
    fileprivate var isLoss: Bool {
        if case .lost = self { true } else { false }
    }
}
