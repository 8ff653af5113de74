internal import CRdkafka
internal import Wire
internal import Worker

/// What the group gave to this member, what of it is being fetched, and from where.
///
/// The books are kept here, and librdkafka is told the outcome by ``apply(answering:to:)``. Under
/// the eager protocol that is the whole assignment anew, each partition at its position: what was
/// prefetched is fetched again, and nothing is handed out twice or left out. Under the incremental
/// protocol it is the difference.
struct GroupAssignment {
    /// Whether the group's protocol tells differences (cooperative-sticky).
    ///
    /// Kept here, as asking librdkafka while it closes can hang.
    let isIncremental: Bool
    /// What the coordinator gave, started or not.
    private var owned: Set<TopicPartition> = []
    /// What is started, and the next offset expected of each.
    private var positions: [TopicPartition: Int64] = [:]
    /// What librdkafka fetches; under the incremental protocol the base of differences.
    private var applied: Set<TopicPartition> = []
    /// Moved, and librdkafka was not told yet: what it brings of them is stale.
    private var displaced: Set<TopicPartition> = []
    /// What ``pause(_:)`` paused.
    ///
    /// Resuming anything else would fetch records a second time (librdkafka issue 4686).
    private var paused: Set<TopicPartition> = []
    /// Whether librdkafka was last told something that makes it stop partitions.
    private var isStopping = false
    /// The change that was told and is not answered yet.
    private var unanswered: AssignmentChange?

    /// An empty assignment.
    init(isIncremental: Bool) {
        self.isIncremental = isIncremental
    }

    /// Whether the group waits for an answer.
    var isAnswerOwed: Bool {
        unanswered != nil
    }

    // MARK: Questions

    /// Whether records of this partition are to be handed out.
    func isFetching(_ partition: TopicPartition) -> Bool {
        positions[partition] != nil && !isBeingGivenUp(partition)
    }

    /// Whether this partition was paused.
    func isPaused(_ partition: TopicPartition) -> Bool {
        paused.contains(partition)
    }

    /// Whether offsets of this partition may still be committed: until the answer to a revocation,
    /// and not at all after a loss.
    func mayCommit(_ partition: TopicPartition) -> Bool {
        owned.contains(partition)
    }

    private func isBeingGivenUp(_ partition: TopicPartition) -> Bool {
        switch unanswered {
        case .revoked(let partitions), .lost(let partitions): partitions.contains(partition)
        case .assigned, nil: false
        }
    }

    /// Moves a partition's position past a fetched record.
    ///
    /// - Returns: whether the record is to be handed out. It is not if its partition is not
    ///   started, or if it lies before the position and so was handed out already.
    mutating func advance(past place: RecordPlace) -> Bool {
        let partition = TopicPartition(topic: place.topic, partition: place.partition)
        guard isFetching(partition), !displaced.contains(partition),
            let position = positions[partition], place.offset >= position
        else { return false }
        positions[partition] = place.offset + 1
        return true
    }

    // MARK: Changes

    /// Notes what the group's coordinator decided.
    mutating func told(_ change: AssignmentChange) {
        switch change {
        case .assigned(let partitions): owned.formUnion(partitions)
        case .lost(let partitions): owned.subtract(partitions)
        case .revoked: break
        }
        unanswered = change
    }

    /// Takes partitions, each at its offset.
    ///
    /// - Returns: the change that this answers, if one was open.
    /// - Throws: `.fenced` when they are not ours, or are to be given up first.
    mutating func start(
        _ offsets: [TopicPartition: Int64]
    ) throws(Fault) -> AssignmentChange? {
        switch unanswered {
        case .revoked, .lost:
            throw Fault(
                operation: "start partitions", code: "rebalance_in_progress", disposition: .fenced,
                message: "the group takes partitions away, which must be answered first")
        case .assigned, nil:
            break
        }
        guard owned.isSuperset(of: offsets.keys) else {
            throw Fault(
                operation: "start partitions", code: "not_assigned", disposition: .fenced,
                message: "the group has given some of these partitions to another member")
        }
        displaced.formUnion(offsets.keys.filter { applied.contains($0) })
        paused.subtract(offsets.keys)
        positions.merge(offsets) { _, new in new }
        defer { unanswered = nil }
        return unanswered
    }

    /// Forgets partitions.
    ///
    /// - Returns: the revocation or loss that this answers: the one told, if all of it is meant.
    mutating func stop(_ partitions: Set<TopicPartition>) -> AssignmentChange? {
        for partition in partitions { positions[partition] = nil }
        paused.subtract(partitions)
        displaced.subtract(partitions)
        switch unanswered {
        case .revoked(let told), .lost(let told):
            guard partitions.isSuperset(of: told) else { return nil }
            owned.subtract(told)
            defer { unanswered = nil }
            return unanswered
        case .assigned, nil:
            return nil
        }
    }

    /// Forgets everything.
    ///
    /// - Returns: the change that is still to be answered.
    mutating func abandon() -> AssignmentChange? {
        owned = []
        positions = [:]
        paused = []
        displaced = []
        defer { unanswered = nil }
        return unanswered
    }

    // MARK: Telling librdkafka

    /// Makes librdkafka fetch what is started, and answers a change by it.
    mutating func apply(
        answering change: AssignmentChange?, to client: KafkaClient
    ) throws(Fault) {
        if isIncremental {
            try applyDifference(answering: change, to: client)
        } else {
            try applyWhole(answering: change, to: client)
        }
        displaced = []
        // Of a partition that librdkafka started anew, the pause must be told anew.
        try client.setPaused(true, paused)
    }

    private mutating func applyWhole(
        answering change: AssignmentChange?, to client: KafkaClient
    ) throws(Fault) {
        switch change {
        case .revoked, .lost:
            // The eager protocol takes all partitions, always; no list is the answer to that.
            positions = [:]
            try resume(client)
            try assign(nil, on: client, "give partitions up")
        case .assigned, nil:
            let list = TopicPartitionList(positions)
            try assign(list.pointer, on: client, "assign partitions")
        }
        applied = Set(positions.keys)
    }

    /// Tells the whole assignment, once librdkafka has stopped what the one before made it stop.
    ///
    /// It stops a partition to start it anew; 2.0.2 ends the process when it is to stop it again
    /// meanwhile (`rd_kafka_assignment_partition_stopped: rktp->rktp_started`).
    private mutating func assign(
        _ list: UnsafePointer<rd_kafka_topic_partition_list_t>?, on client: KafkaClient,
        _ operation: String
    ) throws(Fault) {
        if isStopping { try client.awaitAssignment() }
        isStopping = !applied.isEmpty
        try client.check(rd_kafka_assign(client.handle, list), operation)
    }

    /// Even a difference of nothing is told where it is the answer.
    private mutating func applyDifference(
        answering change: AssignmentChange?, to client: KafkaClient
    ) throws(Fault) {
        if case .assigned = change {
            try assign(positions.filter { !applied.contains($0.key) }, on: client)
        }
        let removed = applied.subtracting(positions.keys).union(displaced)
        let isRevocation = change.map { if case .assigned = $0 { false } else { true } } ?? false
        if isRevocation || !removed.isEmpty {
            let list = TopicPartitionList(removed)
            if let error = rd_kafka_incremental_unassign(client.handle, list.pointer) {
                throw KafkaError(operation: "give partitions up", consuming: error).fault()
            }
            applied.subtract(removed)
        }
        let added = positions.filter { !applied.contains($0.key) }
        if !added.isEmpty { try assign(added, on: client) }
    }

    private mutating func assign(
        _ offsets: [TopicPartition: Int64], on client: KafkaClient
    ) throws(Fault) {
        let list = TopicPartitionList(offsets)
        if let error = rd_kafka_incremental_assign(client.handle, list.pointer) {
            throw KafkaError(operation: "assign partitions", consuming: error).fault()
        }
        applied.formUnion(offsets.keys)
    }

    /// Pauses what is started and not paused yet.
    mutating func pause(_ client: KafkaClient) throws(Fault) {
        let running = Set(positions.keys).subtracting(paused)
        try client.setPaused(true, running)
        paused.formUnion(running)
    }

    /// Lifts the pauses of partitions that are about to be stopped, or started anew.
    ///
    /// librdkafka keeps a pause beyond the assignment, and would fetch nothing of the partition
    /// when it comes back (confluent-kafka-go issue 193).
    mutating func liftPauses(
        of partitions: some Sequence<TopicPartition>, on client: KafkaClient
    ) throws(Fault) {
        let lifted = paused.intersection(partitions)
        paused.subtract(lifted)
        try client.setPaused(false, lifted)
    }

    /// Resumes what was paused.
    mutating func resume(_ client: KafkaClient) throws(Fault) {
        let resumed = paused
        paused = []
        try client.setPaused(false, resumed)
    }
}
