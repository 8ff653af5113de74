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
    let kafka: InMemoryKafka
    let database = InMemoryDatabase()
    let scenario: Scenario
    var now = Scenario.now
    /// What the lane that ran last told of itself.
    private(set) var observer: LaneObserver?
    private var elapsed: Duration = .zero

    /// A world with a scenario's records, or with the first few of them.
    init(_ scenario: Scenario, first records: Int? = nil) {
        self.scenario = scenario
        kafka = InMemoryKafka()
        kafka.append(Array(scenario.records.prefix(records ?? scenario.records.count)))
        database.rows.keys = scenario.knownKeys
    }

    /// A world that stands where another does and goes its own way from there; lanes stay behind.
    init(copying other: LaneWorld) {
        scenario = other.scenario
        kafka = InMemoryKafka(copying: other.kafka)
        database.rows = other.database.rows
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
        newPolicy: Live<Policy>? = nil, revocations: Live<RevocationList>? = nil,
        isAudited: Bool = false, replyTopic: String? = nil,
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
        var settings = Self.settings(newPolicy ?? Live(policy), limits)
        settings.spans = spans
        settings.isAudited = isAudited
        settings.replyTopic = replyTopic
        if let revocations { settings.revocations = revocations }
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

    static func settings(_ policy: Live<Policy>, _ limits: LaneLimits) -> LaneSettings {
        LaneSettings(
            name: "lane", groupID: "group", verdictTopic: "verdicts", deadLetterTopic: "dead",
            policy: policy, messageLimits: MessageLimits(), limits: limits,
            identity: WorkerIdentity(version: "test", id: "worker-1"))
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

    fileprivate func tick() -> Duration {
        elapsed += .milliseconds(40)
        return elapsed
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

    func pruneUsed(expiredBefore instant: Instant, rowsMax: Int) throws(Fault) -> Int {
        try store.pruneUsed(expiredBefore: instant, rowsMax: rowsMax)
    }

    func pruneAudit(rowsMax: Int) throws(Fault) -> Int { try store.pruneAudit(rowsMax: rowsMax) }

    func probe() throws(Fault) { try store.probe() }

    func close() { store.close() }
}
