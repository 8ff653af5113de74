import AppAttest
import KeyStoreSuite
import Wire
import Worker

// A lane's neighbours in memory, which stand before each effect on what two lanes share, and note
// what they tell the lane. Effects on a lane's own things (pause, start) are no steps: in
// whatever order they come, nobody else can tell.

/// A member of the group, step by step.
final class SteppedSource: RequestSource {
    private let base: InMemorySource
    private let thread: SteppedThread
    private let clock: SteppedClock
    private let idleWait: Duration
    /// Reads the lane's own state, as one number.
    var laneState: () -> Int = { 0 }

    init(
        _ base: InMemorySource, thread: SteppedThread, clock: SteppedClock, idleWait: Duration
    ) {
        self.base = base
        self.thread = thread
        self.clock = clock
        self.idleWait = idleWait
    }

    func poll(limits: BatchLimits, wait: Duration) throws(Fault) -> Polled {
        // Between two batches nothing lives on a lane's stack: its own state says it all.
        if !base.isPaused { thread.forget(for: laneState()) }
        try thread.stand(before: .poll(waitsForNews: wait >= idleWait))
        let polled = try base.poll(limits: limits, wait: wait)
        if polled.records.isEmpty, polled.change == nil { clock.advance(by: wait) }
        thread.note(polled.records.map(\.place.offset))
        thread.note(polled.change)
        return polled
    }

    func positions(
        of partitions: [TopicPartition]
    ) throws(Fault) -> [TopicPartition: LogPosition] {
        try thread.stand(before: .positions)
        let positions = try base.positions(of: partitions)
        thread.note(positions)
        return positions
    }

    func firstOffsets(
        laterThan instants: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Int64] {
        let offsets = try base.firstOffsets(laterThan: instants)
        thread.note(offsets)
        return offsets
    }

    func start(_ offsets: [TopicPartition: Int64]) throws(Fault) { try base.start(offsets) }

    func stop(_ partitions: [TopicPartition]) throws(Fault) { try base.stop(partitions) }

    func pause() throws(Fault) { try base.pause() }

    func resume() throws(Fault) { try base.resume() }

    func commit(_ nextOffsets: [TopicPartition: Int64]) throws(Fault) {
        try thread.stand(before: .commitOffsets)
        do throws(Fault) {
            try base.commit(nextOffsets)
        } catch {
            thread.note(error)
            throw error
        }
        thread.note("committed")
    }

    func close() {}
}

/// A producer, record by record.
final class SteppedSink: VerdictSink {
    private let base: InMemorySink
    private let thread: SteppedThread

    init(_ base: InMemorySink, thread: SteppedThread) {
        self.base = base
        self.thread = thread
    }

    func enqueue(_ records: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault) {
        for record in records {
            try thread.stand(before: .enqueue)
            try base.enqueue([record])
            thread.note("enqueued")
        }
    }

    func reports(wait: Duration) throws(Fault) -> [DeliveryReport] { try base.reports(wait: wait) }

    func close(wait: Duration) {}
}

/// A connection to the database, statement by statement.
final class SteppedStore: KeyStore {
    private let base: InMemoryKeyStore
    private let thread: SteppedThread

    init(_ database: InMemoryDatabase, thread: SteppedThread) {
        self.thread = thread
        base = InMemoryKeyStore(
            database,
            hook: { (step, moment) throws(Fault) in
                switch (step, moment) {
                case (.claim, .before): try thread.stand(before: .claim)
                case (.readKeys, .before): try thread.stand(before: .readKeys)
                case (.begin, .before): try thread.stand(before: .begin)
                case (.commit, .before): try thread.stand(before: .commit)
                default: break
                }
            },
            waitForLock: { () throws(Fault) in try thread.stand(before: .waitForLock) })
    }

    func claim(
        _ initial: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Progress] {
        try noting { () throws(Fault) in try base.claim(initial) }
    }

    func reset(_ progress: [TopicPartition: Progress]) throws(Fault) { try base.reset(progress) }

    func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey] {
        try noting { () throws(Fault) in try base.keys(for: keyIDs) }
    }

    func transact<Result>(
        _ reads: BatchReads, decide: (BatchState) -> (writes: BatchWrites?, result: Result)
    ) throws(Fault) -> Result {
        do throws(Fault) {
            let result = try base.transact(reads) { state in
                thread.note(state.progress)
                thread.note(state.keys)
                thread.note(state.inbox)
                return decide(state)
            }
            thread.note("stored")
            return result
        } catch {
            thread.note(error)
            throw error
        }
    }

    func pruneInbox(rowsMax: Int) throws(Fault) -> Int { try base.pruneInbox(rowsMax: rowsMax) }

    func pruneUsed(expiredBefore instant: Instant, rowsMax: Int) throws(Fault) -> Int {
        try base.pruneUsed(expiredBefore: instant, rowsMax: rowsMax)
    }

    func pruneAudit(rowsMax: Int) throws(Fault) -> Int { try base.pruneAudit(rowsMax: rowsMax) }

    func probe() throws(Fault) { try base.probe() }

    func close() { base.close() }

    private func noting<Result: Hashable>(
        _ body: () throws(Fault) -> Result
    ) throws(Fault) -> Result {
        do throws(Fault) {
            let result = try body()
            thread.note(result)
            return result
        } catch {
            thread.note(error)
            throw error
        }
    }
}

/// A lane's own clock: it stands still but for polls that find nothing.
final class SteppedClock: @unchecked Sendable {
    private(set) var elapsed: Duration = .zero

    func advance(by wait: Duration) { elapsed += wait }

    var clock: LaneClock {
        LaneClock(wall: { Scenario.now }, monotonic: { self.elapsed })
    }
}
