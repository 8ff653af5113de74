internal import AppAttest
internal import CRdkafka
package import Worker

/// Looks at topics and at a group's offsets from outside, and moves the latter: for operators'
/// commands.
///
/// Joins no group and reads no record. Used by one thread.
package final class TopicInspector {
    private let client: KafkaClient
    private let groupID: String

    /// How long each question may take.
    package static let patience: Duration = .seconds(10)

    /// Connects in the background.
    ///
    /// - Parameters:
    ///   - settings: how to reach the cluster, and the group whose offsets are meant.
    ///   - log: takes librdkafka's lines, on the thread that asks.
    /// - Throws: `.stop(.config)`.
    package init(settings: KafkaSettings, log: @escaping KafkaLog) throws(Fault) {
        try settings.check()
        let configuration = try settings.configuration(for: .reader)
        configuration.enableEvents(RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG)
        client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration: configuration, tokens: settings.tokenSource, log: log)
        groupID = settings.groupID
    }

    deinit {
        client.leaveGroup(isIncremental: false)
    }

    /// The partitions of a topic.
    ///
    /// - Throws: `.stop(.incompatible)` where there is no such topic, `.stop(.noPermission)` where
    ///   we may not look at it, `.retry` when no broker answers in time.
    package func partitions(of topic: String) throws(Fault) -> [TopicPartition] {
        let state = try client.topicState(topic, wait: TopicInspector.patience)
        func fault(_ disposition: Disposition, _ message: String) -> Fault {
            Fault(
                operation: "look at topic \(topic)", code: "no_topic", disposition: disposition,
                message: message)
        }
        switch state {
        case .found(let count):
            return (0..<Int32(clamping: count)).map { TopicPartition(topic: topic, partition: $0) }
        case .missing: throw fault(.stop(.incompatible), "it does not exist")
        case .notPermitted:
            throw fault(.stop(.noPermission), "it may not be looked at: grant Describe on it")
        case .failed(let code): throw fault(.retry, "the cluster answers \(code)")
        }
    }

    /// What the group has committed, and where the logs begin and end.
    ///
    /// - Throws: `.retry` when the broker can't tell of all of them now.
    package func positions(
        of partitions: [TopicPartition]
    ) throws(Fault) -> [TopicPartition: LogPosition] {
        let positions = try client.logPositions(of: partitions)
        if let missing = partitions.first(where: { positions[$0] == nil }) {
            throw Fault(
                operation: "look up offsets", code: "no_leader", disposition: .retry,
                message: "\(missing.topic) [\(missing.partition)] has no leader now")
        }
        return positions
    }

    /// The part of each log between two bounds, within what is there.
    ///
    /// - Parameters:
    ///   - partitions: which logs.
    ///   - from: where it begins; nil is each log's beginning.
    ///   - to: before what it ends; nil is each log's present end.
    /// - Returns: the first offset and the one behind the last, by partition.
    /// - Throws: `.retry` when the broker can't tell now.
    package func stretches(
        of partitions: [TopicPartition], from: LogBound?, to: LogBound?
    ) throws(Fault) -> [TopicPartition: Range<Int64>] {
        let positions = try positions(of: partitions)
        let first = try offsets(of: partitions, at: from)
        let end = try offsets(of: partitions, at: to)
        return positions.reduce(into: [:]) { stretches, entry in
            let (partition, position) = entry
            stretches[partition] = position.stretch(from: first[partition], to: end[partition])
        }
    }

    /// The offset at which each log has reached a bound; none where no record has.
    ///
    /// - Throws: `.retry` when the broker can't tell now.
    package func offsets(
        of partitions: [TopicPartition], at bound: LogBound?
    ) throws(Fault) -> [TopicPartition: Int64] {
        switch bound {
        case nil: return [:]
        case .offset(let offset):
            return Dictionary(partitions.map { ($0, offset) }) { first, _ in first }
        case .time(let instant):
            // Negative ones are marks with meanings of their own.
            let found = try client.logEnds(of: partitions, which: max(0, instant.milliseconds))
            // The broker tells nothing where all records are older: then the log's end is meant.
            let ends = try client.logEnds(of: partitions, which: Int64(RD_KAFKA_OFFSET_END))
            return ends.merging(found) { $1 }
        }
    }

    /// Moves the group's committed offsets, also backwards.
    ///
    /// Kafka refuses it while the group has members.
    ///
    /// - Parameters:
    ///   - nextOffsets: where it shall be.
    ///   - wait: how long the answer may take. After that nobody knows whether it was moved.
    /// - Throws: `.fenced` when the group has members, `.retry` when the broker does not answer in
    ///   time.
    package func commit(
        _ nextOffsets: [TopicPartition: Int64], wait: Duration = patience
    ) throws(Fault) {
        guard !nextOffsets.isEmpty else { return }
        try client.commit(nextOffsets, wait: wait, operation: "move the group's offsets")
    }

    /// Whether somebody is in the group now, as the brokers tell.
    ///
    /// Not `rd_kafka_DescribeConsumerGroups`: with librdkafka 2.0.2 the client hangs at its next
    /// call when a broker does not know that request.
    package func groupState() -> GroupState {
        var list: UnsafePointer<rd_kafka_group_list>?
        let code = rd_kafka_list_groups(
            client.handle, groupID, &list, TopicInspector.patience.millisecondsForC)
        defer { if let list { rd_kafka_group_list_destroy(list) } }
        // A part of an answer may be without the group's coordinator.
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let list else {
            return .notAnswered(code: String(cString: rd_kafka_err2name(code)))
        }
        let groups = UnsafeBufferPointer(
            start: list.pointee.groups, count: Int(list.pointee.group_cnt))
        var members = 0
        for group in groups where String(cString: group.group) == groupID {
            guard group.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                return .notAnswered(code: String(cString: rd_kafka_err2name(group.err)))
            }
            members += Int(group.member_cnt)
        }
        return .members(members)
    }
}

/// Whether a group has members.
package enum GroupState: Hashable, Sendable {
    /// So many; none where there is no such group.
    case members(Int)
    /// The brokers did not tell: they are too old, we may not ask, or it took too long.
    case notAnswered(code: String)
}
