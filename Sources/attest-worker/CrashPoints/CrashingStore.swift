#if DEBUG
    import AppAttest
    import Worker

    /// A store that passes crash points.
    final class CrashingStore<Base: KeyStore>: KeyStore {
        private let base: Base
        private let point: CrashPoint

        init(_ base: Base, _ point: CrashPoint) {
            self.base = base
            self.point = point
        }

        func claim(
            _ initial: [TopicPartition: Int64]
        ) throws(Fault) -> [TopicPartition: Progress] {
            let rows = try base.claim(initial)
            point.pass(.claimed)
            return rows
        }

        func reset(_ progress: [TopicPartition: Progress]) throws(Fault) {
            try base.reset(progress)
        }

        func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey] {
            let keys = try base.keys(for: keyIDs)
            point.pass(.keysRead)
            return keys
        }

        func transact<Result>(
            _ reads: BatchReads, decide: (BatchState) -> (writes: BatchWrites?, result: Result)
        ) throws(Fault) -> Result {
            let result = try base.transact(reads) { state in
                point.pass(.deciding)
                return decide(state)
            }
            point.pass(.decided)
            return result
        }

        func pruneInbox(rowsMax: Int) throws(Fault) -> Int { try base.pruneInbox(rowsMax: rowsMax) }

        func pruneUsed(expiredBefore instant: Instant, rowsMax: Int) throws(Fault) -> Int {
            try base.pruneUsed(expiredBefore: instant, rowsMax: rowsMax)
        }

        func pruneAudit(rowsMax: Int) throws(Fault) -> Int { try base.pruneAudit(rowsMax: rowsMax) }

        func probe() throws(Fault) { try base.probe() }

        func close() { base.close() }
    }
#endif
