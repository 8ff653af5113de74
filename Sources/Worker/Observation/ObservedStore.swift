package import AppAttest

/// A store that tells an observer what each call took, and how it ended.
package final class ObservedStore<Base: KeyStore>: KeyStore {
    private let base: Base
    private let observer: LaneObserver

    /// Wraps a store.
    package init(_ base: Base, _ observer: LaneObserver) {
        self.base = base
        self.observer = observer
    }

    package func claim(
        _ initial: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Progress] {
        let start = observer.clock.monotonic()
        let rows = try observed("claim") { () throws(Fault) in try base.claim(initial) }
        note(.claim, since: start)
        return rows
    }

    package func reset(_ progress: [TopicPartition: Progress]) throws(Fault) {
        try observed("reset") { () throws(Fault) in try base.reset(progress) }
    }

    package func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey] {
        let start = observer.clock.monotonic()
        let keys = try observed("read_keys") { () throws(Fault) in try base.keys(for: keyIDs) }
        note(.loadKeys, since: start)
        return keys
    }

    package func transact<Result>(
        _ reads: BatchReads, decide: (BatchState) -> (writes: BatchWrites?, result: Result)
    ) throws(Fault) -> Result {
        let start = observer.clock.monotonic()
        var decidedAt: Duration?
        var isWritten = false
        begin("transact")
        do {
            let result = try base.transact(reads) { state in
                let answered = observer.clock.monotonic()
                let decided = decide(state)
                isWritten = decided.writes != nil
                decidedAt = observer.clock.monotonic()
                noteRoundTrip("lock_lookup", answered - start)
                return decided
            }
            if let decidedAt, isWritten {
                noteRoundTrip("write_commit", observer.clock.monotonic() - decidedAt)
            }
            end("transact", nil)
            noteTransaction(isWritten ? "commit" : "rollback")
            note(.store, since: start)
            return result
        } catch {
            let isInDoubt = decidedAt != nil && isWritten && error.leavesCommitInDoubt
            end(decidedAt == nil ? "lock_lookup" : "write_commit", error)
            noteTransaction(isInDoubt ? "in_doubt" : "rollback")
            throw error
        }
    }

    package func pruneInbox(rowsMax: Int) throws(Fault) -> Int {
        let count = try observed("prune") { () throws(Fault) in
            try base.pruneInbox(rowsMax: rowsMax)
        }
        observer.note { $0.cells.count(MetricTable.pruned, by: count) }
        return count
    }

    package func pruneUsed(expiredBefore instant: Instant, rowsMax: Int) throws(Fault) -> Int {
        try observed("prune_used") { () throws(Fault) in
            try base.pruneUsed(expiredBefore: instant, rowsMax: rowsMax)
        }
    }

    package func pruneAudit(rowsMax: Int) throws(Fault) -> Int {
        try observed("prune_audit") { () throws(Fault) in try base.pruneAudit(rowsMax: rowsMax) }
    }

    package func probe() throws(Fault) {
        try observed("probe") { () throws(Fault) in try base.probe() }
    }

    package func close() {
        begin("close")
        base.close()
    }

    // MARK: - Telling

    private func observed<Result>(
        _ operation: String, _ body: () throws(Fault) -> Result
    ) throws(Fault) -> Result {
        let start = observer.clock.monotonic()
        begin(operation)
        do {
            let result = try body()
            end(operation, nil)
            noteRoundTrip(operation, observer.clock.monotonic() - start)
            return result
        } catch {
            end(operation, error)
            throw error
        }
    }

    private func begin(_ operation: String) {
        observer.begin("database: \(operation)")
        observer.note { $0.isStoreBusy = true }
    }

    private func end(_ operation: String, _ fault: Fault?) {
        observer.begin("work")
        let now = observer.clock.monotonic()
        observer.note { report in
            report.isStoreBusy = false
            report.storeFault = fault.flatMap { $0.isOfWorkingDatabase ? nil : $0 }
            if report.storeFault == nil { report.storeAnsweredAt = now }
            if let fault {
                report.cells.count(MetricTable.databaseErrors, [operation, fault.code])
            }
        }
    }

    private func noteRoundTrip(_ operation: String, _ duration: Duration) {
        observer.note { $0.cells.observe(MetricTable.roundTrips, [operation], duration) }
    }

    private func noteTransaction(_ result: String) {
        observer.note { $0.cells.count(MetricTable.transactions, [result]) }
    }

    private func note(_ stage: Stage, since start: Duration) {
        observer.took(observer.clock.monotonic() - start, for: stage)
    }
}

extension Fault {
    /// Whether only a database that works answers so: another owner, one bad row, a row that is
    /// locked, a conflict of two transactions.
    fileprivate var isOfWorkingDatabase: Bool {
        switch disposition {
        case .fenced, .poison: true
        case .stop: false
        case .retry: code == "concurrent_insert" || code == "55P03" || code.hasPrefix("40")
        }
    }

    /// Whether a COMMIT that ended so may have been done: the server has not said that it was not.
    ///
    /// An SQLSTATE of five characters is the server's word, but for those of a broken connection.
    fileprivate var leavesCommitInDoubt: Bool {
        guard disposition == .retry else { return false }
        return code.utf8.count != 5 || code.hasPrefix("08") || code.hasPrefix("57P")
    }
}
