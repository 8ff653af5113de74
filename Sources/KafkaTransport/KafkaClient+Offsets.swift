internal import CRdkafka
internal import Worker

extension KafkaClient {
    /// How long each of the four questions about positions may take.
    private static let questionPatience: Duration = .seconds(5)

    /// What the group has committed, and where the logs begin and end.
    ///
    /// Four requests for all partitions together. Not `rd_kafka_query_watermark_offsets`: in
    /// librdkafka 2.0.2 it takes one partition at a time and does not keep to its timeout.
    ///
    /// - Returns: the positions of the partitions that have a leader: librdkafka answers nothing
    ///   of any while one has none.
    /// - Throws: `.retry` when the broker can't tell now.
    func logPositions(
        of partitions: [TopicPartition]
    ) throws(Fault) -> [TopicPartition: LogPosition] {
        guard !partitions.isEmpty else { return [:] }
        let leaderless = try leaderlessPartitions(wait: KafkaClient.questionPatience)
        let partitions = partitions.filter { !leaderless.contains($0) }
        guard !partitions.isEmpty else { return [:] }
        let milliseconds = KafkaClient.questionPatience.millisecondsForC
        let committed = TopicPartitionList(partitions)
        try check(
            rd_kafka_committed(handle, committed.pointer, milliseconds), "look up committed offsets"
        )
        try check(committed, "look up committed offsets")
        let low = try logEnds(of: partitions, which: Int64(RD_KAFKA_OFFSET_BEGINNING))
        let high = try logEnds(of: partitions, which: Int64(RD_KAFKA_OFFSET_END))
        var positions: [TopicPartition: LogPosition] = [:]
        for entry in committed.entries {
            guard let low = low[entry.partition], let high = high[entry.partition] else {
                throw Fault(
                    operation: "look up offsets", code: "incomplete_answer", disposition: .retry,
                    message: "the broker did not tell where every log begins and ends")
            }
            positions[entry.partition] = LogPosition(
                committed: entry.offset >= 0 ? entry.offset : nil, low: low, high: high)
        }
        return positions
    }

    /// The first or the next offset of each log: Kafka answers these for two reserved timestamps.
    ///
    /// Source: rdkafka.h, `rd_kafka_offsets_for_times`; Kafka protocol, ListOffsets.
    func logEnds(
        of partitions: [TopicPartition], which mark: Int64
    ) throws(Fault) -> [TopicPartition: Int64] {
        try offsets(at: Dictionary(partitions.map { ($0, mark) }) { first, _ in first })
    }

    /// The first offset of each partition whose timestamp is not before the one given.
    ///
    /// Source: rdkafka.h, `rd_kafka_offsets_for_times`; Kafka protocol, ListOffsets.
    ///
    /// - Parameter marks: milliseconds since 1970, or a reserved timestamp.
    /// - Returns: the offsets; a partition without such a record is left out.
    /// - Throws: `.retry` when the broker can't tell now.
    func offsets(
        at marks: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Int64] {
        let operation = "look up offsets by time"
        let list = TopicPartitionList(marks)
        try check(
            rd_kafka_offsets_for_times(
                handle, list.pointer, KafkaClient.questionPatience.millisecondsForC), operation)
        try check(list, operation)
        return Dictionary(
            list.entries.filter { $0.offset >= 0 }.map { ($0.partition, $0.offset) }
        ) { first, _ in first }
    }

    /// Waits until librdkafka has done what it was told before about the assignment.
    ///
    /// Its main thread does one thing after the other, the stopping of partitions among them; the
    /// question after the assignment comes behind all of that.
    func awaitAssignment() throws(Fault) {
        var list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
        try check(rd_kafka_assignment(handle, &list), "look at the assignment")
        if let list { rd_kafka_topic_partition_list_destroy(list) }
    }

    /// Commits next offsets and waits for the answer, at most so long.
    ///
    /// `rd_kafka_commit` has no time limit: it waits as long as there is no coordinator. One that
    /// nobody answered in time is still on its way, and could arrive after a later one and set it
    /// back: so the next call waits for its answer first.
    func commit(
        _ nextOffsets: [TopicPartition: Int64], wait: Duration, operation: String = "commit offsets"
    ) throws(Fault) {
        let deadline = Deadline(after: wait)
        if isCommitUnanswered {
            guard KafkaEvent(from: commitAnswers, wait: wait) != nil else {
                throw error(operation, RD_KAFKA_RESP_ERR__TIMED_OUT).fault()
            }
            // Whatever it says, what is committed now says all of it and more.
            isCommitUnanswered = false
        }
        let list = TopicPartitionList(nextOffsets)
        try check(rd_kafka_commit_queue(handle, list.pointer, commitAnswers, nil, nil), operation)
        isCommitUnanswered = true
        guard let answer = KafkaEvent(from: commitAnswers, wait: deadline.remaining) else {
            throw error(operation, RD_KAFKA_RESP_ERR__TIMED_OUT).fault()
        }
        isCommitUnanswered = false
        // Nothing to commit is no failure.
        guard answer.code != RD_KAFKA_RESP_ERR__NO_OFFSET else { return }
        try check(answer.code, operation)
        try check(answer.entries, operation)
    }

    /// Pauses or resumes partitions.
    func setPaused(_ isPaused: Bool, _ partitions: Set<TopicPartition>) throws(Fault) {
        guard !partitions.isEmpty else { return }
        let operation = isPaused ? "pause partitions" : "resume partitions"
        let list = TopicPartitionList(partitions)
        try check(
            isPaused
                ? rd_kafka_pause_partitions(handle, list.pointer)
                : rd_kafka_resume_partitions(handle, list.pointer), operation)
        try check(list, operation)
    }
}
