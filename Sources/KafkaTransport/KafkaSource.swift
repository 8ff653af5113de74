internal import CRdkafka
package import Worker

/// The request topics, read as a member of the consumer group.
///
/// A rebalance is a value that ``poll(limits:wait:)`` returns, and waits until it is answered by
/// ``start(_:)`` or ``stop(_:)``: the group does nothing else meanwhile, and polling keeps the
/// membership. An assignment may be answered with nothing at first, and taken later.
///
/// Every position is given to librdkafka explicitly. It never has to look one up, never falls back
/// to a committed one after a rebalance, and an offset that is not in the log stops the worker
/// instead of moving it (`auto.offset.reset=error`).
///
/// Used by one thread.
package final class KafkaSource: RequestSource {
    private var client: KafkaClient?
    private var assignment: GroupAssignment
    /// Records taken from librdkafka that did not fit into a batch, in order.
    private var held: [Record] = []
    /// The topic of the last record.
    private var lastTopic = ""
    /// Met after records that had to be handed over first.
    private var postponed: Fault?
    private var credentials: ReplaceableCredentials
    /// How long the answer to a commit is waited for before the lane is told to try again.
    var commitPatience: Duration = .seconds(4)

    /// Joins the group; partitions come through ``poll(limits:wait:)``.
    ///
    /// - Parameters:
    ///   - settings: valid ones, or the fault names what is wrong.
    ///   - credentials: what replaces those in the settings for connections made from then on.
    ///   - log: takes librdkafka's lines, on the thread that polls.
    ///   - statistics: takes what it tells of itself, on that thread too.
    /// - Throws: `.stop(.config)`.
    package init(
        settings: KafkaSettings, credentials: Live<SASLCredentials?>? = nil,
        log: @escaping KafkaLog, statistics: @escaping KafkaStatisticsTaker = { _ in }
    ) throws(Fault) {
        try settings.check()
        self.credentials = ReplaceableCredentials(credentials)
        let configuration = try settings.configuration(for: .source)
        configuration.enableEvents(
            RD_KAFKA_EVENT_FETCH | RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_ERROR
                | RD_KAFKA_EVENT_LOG | RD_KAFKA_EVENT_STATS)
        let client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration: configuration, tokens: settings.tokenSource,
            log: log, statistics: statistics)
        let topics = TopicPartitionList(topics: settings.requestTopics)
        try client.check(rd_kafka_subscribe(client.handle, topics.pointer), "subscribe")
        assignment = GroupAssignment(isIncremental: settings.assignmentStrategy.isIncremental)
        self.client = client
    }

    deinit {
        close()
    }

    /// The client, unless it was closed.
    private func openClient(_ operation: String) throws(Fault) -> KafkaClient {
        guard let client else {
            throw Fault(
                operation: operation, code: "closed", disposition: .stop(.software),
                message: "the source was closed before")
        }
        return client
    }

    // MARK: Records

    /// Waits for a first record or change, then takes the records that are there already.
    package func poll(limits: BatchLimits, wait: Duration) throws(Fault) -> Polled {
        let client = try openClient("poll")
        credentials.handOver(to: client)
        var batch = RecordBatch(limits: limits)
        // Paused partitions keep theirs until they are resumed.
        held = held.filter { assignment.isPaused($0.partition) || !batch.add($0) }
        let deadline = Deadline(after: wait)
        while !batch.isFull, postponed == nil {
            let patience = batch.records.isEmpty ? deadline.remaining : .zero
            guard let event = client.nextEvent(wait: patience) else { break }
            if let change = take(event, into: &batch, of: client) {
                return Polled(records: batch.records, change: change)
            }
        }
        if batch.records.isEmpty, let fault = postponed {
            postponed = nil
            throw fault
        }
        return Polled(records: batch.records)
    }

    /// Puts an event where it belongs.
    ///
    /// - Returns: a change of the assignment, which ends the poll.
    private func take(
        _ event: borrowing KafkaEvent, into batch: inout RecordBatch, of client: KafkaClient
    ) -> AssignmentChange? {
        switch event.type {
        case RD_KAFKA_EVENT_FETCH:
            while let record = event.nextRecord(topic: &lastTopic) {
                guard assignment.advance(past: record.place) else { continue }
                if !batch.add(record) { held.append(record) }
            }
        case RD_KAFKA_EVENT_REBALANCE:
            return change(told: event, by: client)
        case RD_KAFKA_EVENT_ERROR:
            postponed = fault(of: event, client: client)
        default:
            break
        }
        return nil
    }

    /// An error event as a fault, or nil if librdkafka gets over it by itself.
    private func fault(of event: borrowing KafkaEvent, client: KafkaClient) -> Fault? {
        let code = event.code
        let text = event.text ?? String(cString: rd_kafka_err2str(code))
        if code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET {
            return offsetFault(partition: event.partitionOfError, text: text)
        }
        let error = client.error("consume", code, detail: text)
        let isRefusal =
            KafkaError.isRefusalOfRights(code) && !KafkaError.isTokenMissing(code, text)
        if error.isFatal || isRefusal || KafkaError.isRefusalOfMembership(code) {
            return error.fault()
        }
        client.say(level: KafkaLogLine.warning, error.name, text)
        return nil
    }

    /// The process ends, to be started again: only a claim looks where a log is, goes on there and
    /// tells what is missing (`records_expired`, `topic_recreated`), and it is never just skipped.
    private func offsetFault(partition: TopicPartition?, text: String) -> Fault {
        let place = partition.map { "\($0.topic) [\($0.partition)]" } ?? "a partition"
        return Fault(
            operation: "consume", code: "_AUTO_OFFSET_RESET", disposition: .stop(.software),
            message: """
                the next offset of \(place) is not in its log (\(text)): requests were deleted \
                before they were read, or the topic was made anew; the next start tells which, \
                how many are missing, and goes on where the log is
                """)
    }

    // MARK: Assignment

    private func change(
        told event: borrowing KafkaEvent, by client: KafkaClient
    ) -> AssignmentChange {
        let partitions = event.partitions.sorted()
        let change: AssignmentChange =
            if event.code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
                .assigned(partitions)
            } else if rd_kafka_assignment_lost(client.handle) != 0 {
                .lost(partitions)
            } else {
                .revoked(partitions)
            }
        assignment.told(change)
        held.removeAll { !assignment.isFetching($0.partition) }
        return change
    }

    /// Starts fetching these partitions, each at its offset, beside those already started; moves
    /// those that are started.
    ///
    /// librdkafka stops a partition to start it anew, and fetches again what it had prefetched. So
    /// one call for all, not one for each.
    package func start(_ offsets: [TopicPartition: Int64]) throws(Fault) {
        let client = try openClient("start partitions")
        try assignment.liftPauses(of: offsets.keys, on: client)
        let answered = try assignment.start(offsets)
        held.removeAll { offsets[$0.partition] != nil }
        if answered != nil || !offsets.isEmpty {
            try assignment.apply(answering: answered, to: client)
        }
    }

    /// Stops fetching these partitions and forgets them: the answer to `revoked` and `lost`.
    package func stop(_ partitions: [TopicPartition]) throws(Fault) {
        let client = try openClient("stop partitions")
        try assignment.liftPauses(of: partitions, on: client)
        let answered = assignment.stop(Set(partitions))
        held.removeAll { !assignment.isFetching($0.partition) }
        // While a change waits for another answer, an assignment would be taken for that answer.
        if !assignment.isAnswerOwed {
            try assignment.apply(answering: answered, to: client)
        }
    }

    /// Stops fetching all started partitions while the membership is kept.
    ///
    /// Idempotent.
    package func pause() throws(Fault) {
        try assignment.pause(openClient("pause partitions"))
    }

    /// Fetches again what ``pause()`` paused, each partition where it was.
    ///
    /// Idempotent.
    package func resume() throws(Fault) {
        try assignment.resume(openClient("resume partitions"))
    }

    // MARK: Offsets

    /// Asks the broker where these partitions stand.
    package func positions(
        of partitions: [TopicPartition]
    ) throws(Fault) -> [TopicPartition: LogPosition] {
        try openClient("look up offsets").logPositions(of: partitions)
    }

    /// Asks the broker where records begin that are later than an instant, for each partition.
    package func firstOffsets(
        laterThan instants: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Int64] {
        guard !instants.isEmpty else { return [:] }
        // Kafka finds the first timestamp that is not before the one asked for.
        return try openClient("look up offsets").offsets(at: instants.mapValues { $0 + 1 })
    }

    /// Commits next offsets and waits for the answer.
    ///
    /// What this member does not own is refused here, as the coordinator looks at member and
    /// generation only, and not at whose a partition is.
    package func commit(_ nextOffsets: [TopicPartition: Int64]) throws(Fault) {
        let client = try openClient("commit offsets")
        guard nextOffsets.keys.allSatisfy(assignment.mayCommit) else {
            throw Fault(
                operation: "commit offsets", code: "not_assigned", disposition: .fenced,
                message: "the group has taken some of these partitions away")
        }
        guard !nextOffsets.isEmpty else { return }
        try client.commit(nextOffsets, wait: commitPatience)
    }

    /// Leaves the group and frees the client, within ``KafkaClient/closePatience``.
    ///
    /// Idempotent.
    package func close() {
        guard let client = client.take() else { return }
        held = []
        if let answered = assignment.abandon() {
            do {
                try assignment.apply(answering: answered, to: client)
            } catch {
                client.say(level: KafkaLogLine.warning, error.code, error.description)
            }
        }
        client.leaveGroup(isIncremental: assignment.isIncremental)
    }
}

extension KafkaSettings {
    /// Throws if anything is wrong, naming all of it.
    func check() throws(Fault) {
        let problems = problems()
        guard !problems.isEmpty else { return }
        throw Fault(
            operation: "configure the Kafka client", code: "invalid_settings",
            disposition: .stop(.config),
            message: problems.map(\.description).joined(separator: "; "))
    }
}
