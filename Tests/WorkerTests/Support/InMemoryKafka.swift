import Wire
import Worker

/// A broker in memory, for one thread: request logs, committed offsets, one group, what is
/// published.
///
/// It hands a partition to whoever the test says, and tells a former owner only when the test says.
final class InMemoryKafka {
    /// Of an effect on the broker, at which a test may let the worker die.
    enum Step: String, CaseIterable {
        case poll, start, stop, commitOffsets, enqueue, reports
    }

    /// Called on both sides of every effect; what it throws is thrown.
    typealias Hook = (Step, _ isAfter: Bool) throws(Fault) -> Void

    private(set) var logs: [TopicPartition: [Record]] = [:]
    private(set) var lows: [TopicPartition: Int64] = [:]
    /// Partitions of which nobody can tell anything now.
    var leaderless: Set<TopicPartition> = []
    var committed: [TopicPartition: Int64] = [:]
    private(set) var published: [OutgoingRecord] = []
    /// The offsets that were committed, in order, to look for one that is ahead of a verdict.
    private(set) var commits: [(offsets: [TopicPartition: Int64], publishedBefore: Int)] = []
    private var emitted: Set<OutgoingRecord> = []
    /// What was published, without the repeats.
    private var firstEmissions: [OutgoingRecord] = []
    private var members: [Int: [AssignmentChange]] = [:]
    private var owners: [TopicPartition: Int] = [:]

    init() {}

    /// A broker that stands where another does and goes its own way from there.
    init(copying other: InMemoryKafka) {
        logs = other.logs
        lows = other.lows
        leaderless = other.leaderless
        committed = other.committed
        published = other.published
        commits = other.commits
        emitted = other.emitted
        firstEmissions = other.firstEmissions
        members = other.members
        owners = other.owners
    }

    func append(_ records: [Record]) {
        for record in records { logs[record.partition, default: []].append(record) }
    }

    /// The topic is deleted and made again, empty; nothing else changes.
    func recreate(_ partition: TopicPartition) {
        logs[partition] = []
        committed[partition] = nil
    }

    /// Retention deletes the records before an offset.
    func expire(_ partition: TopicPartition, before offset: Int64) {
        lows[partition] = offset
    }

    func position(of partition: TopicPartition) -> LogPosition {
        LogPosition(
            committed: committed[partition], low: lows[partition] ?? 0,
            high: Int64(logs[partition]?.count ?? 0))
    }

    /// Whether every record is committed past.
    var isDrained: Bool {
        logs.allSatisfy { committed[$0.key] ?? 0 >= Int64($0.value.count) }
    }

    /// A new member of the group, with nothing assigned.
    func join() -> Int {
        let member = (members.keys.max() ?? 0) + 1
        members[member] = []
        return member
    }

    /// Gives partitions to a member; a former owner is told at once, later or never.
    func assign(_ partitions: [TopicPartition], to member: Int, tellingFormer: Bool = true) {
        for partition in partitions {
            if tellingFormer, let former = owners[partition], former != member {
                members[former]?.append(.revoked([partition]))
            }
            owners[partition] = member
        }
        members[member]?.append(.assigned(partitions))
    }

    /// Tells a former owner what it has lost.
    func tellLoss(of partitions: [TopicPartition], to member: Int) {
        members[member]?.append(.lost(partitions))
    }

    /// Tells an owner to give partitions up.
    func tellRevocation(of partitions: [TopicPartition], to member: Int) {
        members[member]?.append(.revoked(partitions))
    }

    func hasChange(for member: Int) -> Bool {
        members[member]?.isEmpty == false
    }

    func owner(of partition: TopicPartition) -> Int? { owners[partition] }

    /// Feeds all that a later member can be told of, and each verdict's first emission.
    ///
    /// Repeats are left out: what they must be, their first emission tells.
    func feed(_ hasher: inout Hasher) {
        hasher.combine(committed)
        hasher.combine(firstEmissions)
    }

    /// Feeds all that its present members can be told of.
    func feedMembers(_ hasher: inout Hasher) {
        hasher.combine(owners)
        hasher.combine(members)
    }

    func nextChange(for member: Int) -> AssignmentChange? {
        guard let changes = members[member], !changes.isEmpty else { return nil }
        return members[member]?.removeFirst()
    }

    func commit(_ offsets: [TopicPartition: Int64], by member: Int) throws(Fault) {
        guard offsets.keys.allSatisfy({ owners[$0] == member }) else {
            throw Fault(
                operation: "commit offsets", code: "ILLEGAL_GENERATION", disposition: .fenced,
                message: "the generation is over")
        }
        committed.merge(offsets) { $1 }
        commits.append((offsets, published.count))
    }

    func publish(_ record: OutgoingRecord) {
        published.append(record)
        let first = OutgoingRecord(
            topic: record.topic, key: record.key, value: record.value,
            headers: record.headers.filter { $0.name != "attest-redelivered" },
            partition: record.partition)
        if emitted.insert(first).inserted { firstEmissions.append(first) }
    }
}

/// A member's view of an ``InMemoryKafka``.
final class InMemorySource: RequestSource {
    private let kafka: InMemoryKafka
    private let member: Int
    private let hook: InMemoryKafka.Hook
    private let idle: () -> Void
    private var positions: [TopicPartition: Int64] = [:]
    private(set) var isPaused = false

    /// A member's source; `idle` is called when a poll finds nothing to do.
    init(
        _ kafka: InMemoryKafka, member: Int,
        hook: @escaping InMemoryKafka.Hook = { (_, _) throws(Fault) in },
        idle: @escaping () -> Void = {}
    ) {
        self.kafka = kafka
        self.member = member
        self.hook = hook
        self.idle = idle
    }

    func poll(limits: BatchLimits, wait: Duration) throws(Fault) -> Polled {
        try hook(.poll, false)
        var polled = Polled()
        var bytes = 0
        let partitions = isPaused ? [] : positions.keys.sorted()
        for partition in partitions {
            while let record = next(in: partition) {
                let size = record.value?.count ?? 0
                let fits = polled.records.count < limits.recordsMax
                guard fits, polled.records.isEmpty || bytes + size <= limits.bytesMax else { break }
                bytes += size
                polled.records.append(record)
                positions[partition, default: 0] += 1
            }
        }
        polled.change = kafka.nextChange(for: member)
        if polled.records.isEmpty, polled.change == nil { idle() }
        try hook(.poll, true)
        return polled
    }

    /// Whether a poll would bring something.
    var hasNews: Bool {
        kafka.hasChange(for: member)
            || !isPaused && positions.keys.contains { next(in: $0) != nil }
    }

    private func next(in partition: TopicPartition) -> Record? {
        guard let position = positions[partition], let log = kafka.logs[partition],
            position < Int64(log.count)
        else { return nil }
        return log[Int(position)]
    }

    func positions(
        of partitions: [TopicPartition]
    ) throws(Fault) -> [TopicPartition: LogPosition] {
        let known = partitions.filter { !kafka.leaderless.contains($0) }
        return Dictionary(
            known.map { ($0, kafka.position(of: $0)) }, uniquingKeysWith: { first, _ in first })
    }

    func firstOffsets(
        laterThan instants: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Int64] {
        var found: [TopicPartition: Int64] = [:]
        for (partition, instant) in instants {
            let low = Int(kafka.lows[partition] ?? 0)
            let place = kafka.logs[partition, default: []].dropFirst(low).first {
                ($0.timestampMilliseconds ?? -1) > instant
            }?.place
            found[partition] = place?.offset
        }
        return found
    }

    func start(_ offsets: [TopicPartition: Int64]) throws(Fault) {
        try hook(.start, false)
        positions.merge(offsets) { $1 }
        try hook(.start, true)
    }

    func stop(_ partitions: [TopicPartition]) throws(Fault) {
        try hook(.stop, false)
        for partition in partitions { positions[partition] = nil }
        try hook(.stop, true)
    }

    func pause() throws(Fault) { isPaused = true }

    func resume() throws(Fault) { isPaused = false }

    func commit(_ nextOffsets: [TopicPartition: Int64]) throws(Fault) {
        try hook(.commitOffsets, false)
        try kafka.commit(nextOffsets, by: member)
        try hook(.commitOffsets, true)
    }

    func close() {}
}

/// A producer into an ``InMemoryKafka``: what is enqueued is published at once, record by record.
final class InMemorySink: VerdictSink {
    private let kafka: InMemoryKafka
    private let hook: InMemoryKafka.Hook
    private let delivery: Delivery
    private var unreported: [DeliveryReport] = []

    /// What becomes of a record; nil: nothing is ever told of it.
    typealias Delivery = (OutgoingRecord) -> DeliveryReport.Result?

    init(
        _ kafka: InMemoryKafka, hook: @escaping InMemoryKafka.Hook = { (_, _) throws(Fault) in },
        delivery: @escaping Delivery = { _ in .delivered }
    ) {
        self.kafka = kafka
        self.hook = hook
        self.delivery = delivery
    }

    func enqueue(_ records: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault) {
        for (ticket, record) in records {
            try hook(.enqueue, false)
            if let result = delivery(record) {
                if result == .delivered { kafka.publish(record) }
                unreported.append(DeliveryReport(ticket: ticket, result: result))
            }
            try hook(.enqueue, true)
        }
    }

    func reports(wait: Duration) throws(Fault) -> [DeliveryReport] {
        try hook(.reports, false)
        let reports = unreported
        unreported.removeAll()
        try hook(.reports, true)
        return reports
    }

    func close(wait: Duration) {}
}
