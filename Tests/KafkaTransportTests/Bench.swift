import Glibc
import Synchronization
import Testing
import Wire
import Worker

@testable import KafkaTransport

/// Everything that needs a broker: one after the other, as calls block and joins take 3 s each.
@Suite(.serialized)
struct BrokerTests {}

/// A topic and a group of its own on the broker that the tests share.
///
/// That is the cluster that `KAFKA_BOOTSTRAP` names, or else a mock cluster; faults are injected
/// into a mock cluster in either case.
struct Bench {
    let broker: BrokerProcess
    let topic: String
    let partitions: [TopicPartition]
    var settings: KafkaSettings

    /// Whether the shared broker is the mock, which knows fewer requests.
    static let isMock = getenv("KAFKA_BOOTSTRAP") == nil
    private static let mock = Result { try BrokerProcess([]) }
    private static let shared: Result<BrokerProcess, any Error> = {
        guard let address = getenv("KAFKA_BOOTSTRAP") else { return mock }
        return Result { try BrokerProcess(["--bootstrap", String(cString: address)]) }
    }()
    /// Nothing of another run on the same cluster is called like ours.
    private static let prefix = isMock ? "" : "attest-\(getpid())-"
    private static let count = Atomic<Int>(0)

    static let limits = BatchLimits(recordsMax: 1_000, bytesMax: 1 << 20)

    /// A bench on the shared broker, on one of its own, or on one that takes faults.
    init(partitions: Int = 1, broker: BrokerProcess? = nil, takesFaults: Bool = false) throws {
        self.broker = try broker ?? (takesFaults ? Bench.mock : Bench.shared).get()
        let number = Bench.count.add(1, ordering: .relaxed).newValue
        topic = "\(Bench.prefix)requests-\(number)"
        try self.broker.command("topic \(topic):\(partitions)")
        let topic = topic
        self.partitions = (0..<Int32(partitions)).map {
            TopicPartition(topic: topic, partition: $0)
        }
        var settings = KafkaSettings(
            bootstrapServers: self.broker.bootstrapServers,
            groupID: "\(Bench.prefix)group-\(number)", requestTopics: [topic])
        // A join on the mock waits 3 s, and fails when the session is shorter.
        settings.sessionTimeout = .seconds(6)
        self.settings = settings
    }

    /// The same, narrowed to some partitions.
    fileprivate init(_ whole: Bench, partitions: [TopicPartition]) {
        broker = whole.broker
        topic = whole.topic
        settings = whole.settings
        self.partitions = partitions
    }

    /// Each partition at the same offset.
    func all(at offset: Int64) -> [TopicPartition: Int64] {
        Dictionary(partitions.map { ($0, offset) }) { first, _ in first }
    }

    func source(log: @escaping KafkaLog = { _ in }) throws -> KafkaSource {
        try KafkaSource(settings: settings, log: log)
    }

    func sink(log: @escaping KafkaLog = { _ in }) throws -> KafkaSink {
        try KafkaSink(settings: settings, topics: [topic], log: log)
    }

    /// Writes records `0..<count` into each partition; a record's number is its value and offset.
    func fill(_ numbers: Range<Int>, bytes: Int = 4) throws {
        let writer = try TopicWriter(settings: settings) { _ in }
        for partition in partitions {
            for number in numbers {
                try writer.write(
                    record(number, bytes: bytes), partition: partition.partition,
                    timestampMilliseconds: 1_700_000_000_000 + Int64(number))
            }
        }
        try writer.flush(wait: .seconds(10))
    }

    func record(_ number: Int, bytes: Int = 4) -> OutgoingRecord {
        OutgoingRecord(
            topic: topic, key: Array("key \(number)".utf8),
            value: [UInt8](repeating: UInt8(number & 0xFF), count: bytes), headers: [])
    }

    func allRecords() throws -> [Record] {
        try TopicReader(topic: topic, settings: settings) { _ in }.readToEnd(wait: .seconds(10))
    }
}

/// A member of a group that several tests share, as each join takes 3 s: every test takes
/// partitions of its own of the one topic, starts them, and stops them in the end.
struct SharedMember {
    let bench: Bench
    let source: KafkaSource
    private var free: [TopicPartition]

    private static let shared = Mutex<SharedMember?>(nil)

    private init() throws {
        bench = try Bench(partitions: 16)
        source = try bench.source()
        guard case .assigned(let partitions) = try source.awaitChange() else {
            throw BrokerProcess.Failure(text: "expected an assignment")
        }
        free = partitions
        try source.start([:])
    }

    /// Lends the member and some partitions that were not used before.
    static func withPartitions(
        _ count: Int, _ body: (KafkaSource, Bench) throws -> Void
    ) throws {
        try shared.withLock { member in
            var lent = try member ?? SharedMember()
            let partitions = Array(lent.free.prefix(count))
            lent.free.removeFirst(count)
            member = lent
            defer { member = lent }
            try body(lent.source, Bench(lent.bench, partitions: partitions))
            try lent.source.resume()
            try lent.source.stop(partitions)
        }
    }
}

extension KafkaSource {
    /// Polls until the group changes something.
    func awaitChange(within patience: Duration = .seconds(20)) throws -> AssignmentChange {
        let deadline = Deadline(after: patience)
        while !deadline.isOver {
            let polled = try poll(limits: Bench.limits, wait: .milliseconds(100))
            if let change = polled.change { return change }
        }
        throw BrokerProcess.Failure(text: "the group changed nothing in time")
    }

    /// Joins, and starts all that is assigned at one offset.
    @discardableResult
    func join(at offset: Int64 = 0) throws -> [TopicPartition] {
        guard case .assigned(let partitions) = try awaitChange() else {
            throw BrokerProcess.Failure(text: "expected an assignment")
        }
        try start(Dictionary(partitions.map { ($0, offset) }) { first, _ in first })
        return partitions
    }

    /// Polls until so many records have come, and for a moment more.
    func take(
        _ count: Int, limits: BatchLimits = Bench.limits, within patience: Duration = .seconds(10)
    ) throws -> [Record] {
        var records: [Record] = []
        let deadline = Deadline(after: patience)
        while records.count < count, !deadline.isOver {
            let polled = try poll(limits: limits, wait: .milliseconds(100))
            records += polled.records
            // librdkafka fetches nothing while an answer is owed.
            if case .assigned = polled.change { try start([:]) }
        }
        return try records + poll(limits: limits, wait: .milliseconds(100)).records
    }
}

extension Sequence<Record> {
    /// The offsets seen of a partition, in the order they came.
    func offsets(of partition: TopicPartition) -> [Int64] {
        filter { $0.partition == partition }.map(\.place.offset)
    }
}

/// The lines that a client has written.
final class Lines: Sendable {
    private let lines = Mutex<[KafkaLogLine]>([])

    var all: [KafkaLogLine] {
        lines.withLock { $0 }
    }

    @Sendable func add(_ line: KafkaLogLine) {
        lines.withLock { $0.append(line) }
    }
}
