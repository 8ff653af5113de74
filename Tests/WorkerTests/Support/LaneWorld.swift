import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import SeededNumbers
import Testing
import Wire
import Worker

/// A broker and a database in memory, on which lanes live and die on one thread.
final class LaneWorld {
    let kafka = InMemoryKafka()
    let database = InMemoryDatabase()
    let scenario: Scenario
    var now = Scenario.now
    /// What the lane that ran last told of itself.
    private(set) var observer: LaneObserver?
    private var elapsed: Duration = .zero

    init(_ scenario: Scenario) {
        self.scenario = scenario
        kafka.append(scenario.records)
    }

    var partitions: [TopicPartition] {
        Set(scenario.records.map(\.partition)).sorted()
    }

    /// Where a lane may be made to fail or die; called with a name for each side of each effect.
    typealias Hook = (_ point: String) throws(Fault) -> Void

    /// How many polls may find nothing to do before the lane is stopped with its work undone.
    static let idlePollsMax = 1000

    /// Runs one lane until it finds nothing more to do, or dies.
    ///
    /// - Returns: the fault that ended it; nil when it was stopped in peace.
    func runLane(
        batch: Int, member: Int, policy: Policy, limits: LaneLimits = LaneLimits(),
        newPolicy: Live<Policy>? = nil,
        stop: StopSignal = StopSignal(),
        hook: @escaping Hook = { (_) throws(Fault) in }, idle: (() -> Void)? = nil,
        delivery: @escaping InMemorySink.Delivery = { _ in .delivered },
        poison: @escaping (BatchWrites) -> Bool = { _ in false }, log: Log = .silent,
        spans: SpanSink? = nil
    ) -> Fault? {
        var idlePolls = 0
        var limits = limits
        limits.batch = BatchLimits(recordsMax: batch, bytesMax: 1 << 20)
        let source = InMemorySource(
            kafka, member: member,
            hook: { (step, isAfter) throws(Fault) in
                try hook("\(step) \(isAfter ? "after" : "before")")
            },
            idle: { [kafka] in
                idlePolls += 1
                if let idle { idle() }
                if kafka.isDrained || idlePolls > Self.idlePollsMax { stop.request() }
            })
        let memory = InMemoryKeyStore(
            database,
            hook: { (step, moment) throws(Fault) in try hook("\(step) \(moment)") })
        let store = PoisonedStore(memory, refusing: poison)
        let sink = InMemorySink(
            kafka,
            hook: { (step, isAfter) throws(Fault) in
                try hook("\(step) \(isAfter ? "after" : "before")")
            }, delivery: delivery)
        var settings = LaneSettings(
            name: "lane", groupID: "group", verdictTopic: "verdicts", deadLetterTopic: "dead",
            policy: newPolicy ?? Live(policy), messageLimits: MessageLimits(), limits: limits,
            identity: WorkerIdentity(version: "test", id: "worker-1"))
        settings.spans = spans
        let clock = ManualClock(world: self)
        let observer = LaneObserver(lane: 0, clock: clock.clock)
        self.observer = observer
        let lane = Lane(
            settings: settings, source: ObservedSource(source, observer),
            store: ObservedStore(store, observer), sink: ObservedSink(sink, observer),
            clock: clock.clock, random: SplitMix64(seed: 1), stop: stop, log: log,
            observer: observer)
        do {
            try lane.run()
            return nil
        } catch {
            return error
        }
    }

    /// Joins the group with all partitions and runs until all is done.
    func finish(batch: Int, policy: Policy) -> Fault? {
        let member = kafka.join()
        kafka.assign(partitions, to: member, tellingFormer: false)
        return runLane(batch: batch, member: member, policy: policy)
    }

    /// The verdicts as published, in order.
    func verdicts() throws -> [ReceivedVerdict] {
        try kafka.published.filter { $0.topic == "verdicts" }.map {
            try ReceivedVerdict(parsing: $0.value ?? [])
        }
    }

    /// The promise of the product, whatever happened on the way.
    func checkOracle(_ context: String) throws {
        let published = kafka.published.filter { $0.topic == "verdicts" }
        var bytesOf: [String: Set<[UInt8]>] = [:]
        var firstEmissions: [ReceivedVerdict] = []
        for record in published {
            let verdict = try ReceivedVerdict(parsing: record.value ?? [])
            guard let id = verdict.requestId else { continue }
            if bytesOf[id] == nil { firstEmissions.append(verdict) }
            bytesOf[id, default: []].insert(record.value ?? [])
        }
        for expectation in scenario.expectations {
            let bytes = bytesOf[expectation.requestID] ?? []
            #expect(bytes.count == 1, "\(context): verdicts of \(expectation.requestID)")
        }
        let answers = Dictionary(uniqueKeysWithValues: firstEmissions.map { ($0.requestId, $0) })
        for expectation in scenario.expectations {
            let verdict = answers[expectation.requestID]
            let answer = verdict?.outcome == "accepted" ? "accepted" : verdict?.reason
            #expect(answer == expectation.answer, "\(context): \(expectation.requestID)")
        }
        try checkAcceptedCounts(context)
        checkOrder(firstEmissions, context)
        #expect(
            kafka.published.count { $0.topic == "dead" } >= scenario.deadLetters,
            "\(context): dead letters")
        #expect(kafka.isDrained, "\(context): all is committed")
    }

    /// Accepted pairs in the database are the distinct valid requests, and the rows their maxima.
    private func checkAcceptedCounts(_ context: String) throws {
        var accepted: [String: [UInt32]] = [:]
        for row in database.rows.inbox.values {
            let verdict = try ReceivedVerdict(parsing: row.entry.verdict)
            guard verdict.outcome == "accepted", verdict.type == "assertion",
                let key = verdict.keyId, let count = verdict.signCount
            else { continue }
            accepted[key, default: []].append(count)
        }
        var valid: [String: [UInt32]] = [:]
        for expectation in scenario.expectations where expectation.answer == "accepted" {
            if let count = expectation.signCount {
                valid[expectation.keyID, default: []].append(count)
            }
        }
        #expect(
            accepted.mapValues { $0.sorted() } == valid.mapValues { $0.sorted() },
            "\(context): accepted pairs")
        for (keyID, row) in database.rows.keys {
            let key = Base64.encode(keyID.digest.bytes)
            #expect(row.key.signCount == valid[key]?.max() ?? 0, "\(context): sign count")
        }
    }

    private func checkOrder(_ firstEmissions: [ReceivedVerdict], _ context: String) {
        var last: [String: Int64] = [:]
        for verdict in firstEmissions {
            let key = "\(verdict.keyId ?? "") \(verdict.source.partition)"
            #expect(
                verdict.source.offset > last[key] ?? -1, "\(context): verdicts of one key in order")
            last[key] = verdict.source.offset
        }
        for commit in kafka.commits {
            let before = kafka.published.prefix(commit.publishedBefore)
            for (partition, offset) in commit.offsets {
                let answered = before.compactMap { record in
                    record.topic == "verdicts"
                        ? (try? ReceivedVerdict(parsing: record.value ?? []))?.requestId : nil
                }
                let due = scenario.records.filter {
                    $0.partition == partition && $0.place.offset < offset
                }.compactMap(scenario.requestID)
                #expect(
                    Set(due).isSubset(of: Set(answered)),
                    "\(context): a commit is ahead of a verdict")
            }
        }
    }

    fileprivate func tick() -> Duration {
        elapsed += .milliseconds(40)
        return elapsed
    }
}

extension Scenario {
    /// The request id in a record of this scenario.
    func requestID(of record: Record) -> String? {
        guard
            case .request(let request) = RequestMessage.decode(
                value: record.value, headers: record.headers, limits: MessageLimits())
        else { return nil }
        return request.requestID?.text
    }
}

/// A monotonic clock on which every look costs time, so that no pause is waited out for real.
private final class ManualClock: Sendable {
    private nonisolated(unsafe) let world: LaneWorld

    init(world: LaneWorld) {
        self.world = world
    }

    var clock: LaneClock {
        LaneClock(wall: { self.world.now }, monotonic: { self.world.tick() })
    }
}

/// A store that refuses, as a database does, every batch that would write certain rows.
private final class PoisonedStore: KeyStore {
    private let store: InMemoryKeyStore
    private let isRefused: (BatchWrites) -> Bool

    init(_ store: InMemoryKeyStore, refusing isRefused: @escaping (BatchWrites) -> Bool) {
        self.store = store
        self.isRefused = isRefused
    }

    func transact<Result>(
        _ reads: BatchReads, decide: (BatchState) -> (writes: BatchWrites?, result: Result)
    ) throws(Fault) -> Result {
        var isPoisoned = false
        let result = try store.transact(reads) { state in
            let (writes, result) = decide(state)
            isPoisoned = writes.map(isRefused) ?? false
            return (isPoisoned ? nil : writes, result)
        }
        guard !isPoisoned else {
            throw Fault(
                operation: "store batch", code: "22021", disposition: .poison,
                message: "a text holds the character NUL")
        }
        return result
    }

    func claim(
        _ initial: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Progress] { try store.claim(initial) }

    func reset(_ progress: [TopicPartition: Progress]) throws(Fault) { try store.reset(progress) }

    func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey] {
        try store.keys(for: keyIDs)
    }

    func pruneInbox(rowsMax: Int) throws(Fault) -> Int { try store.pruneInbox(rowsMax: rowsMax) }

    func probe() throws(Fault) { try store.probe() }

    func close() { store.close() }
}
