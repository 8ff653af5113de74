internal import CRdkafka
internal import Glibc
internal import Synchronization
internal import Worker

extension KafkaClient {
    /// How long leaving the group may take.
    ///
    /// After it the client is left behind, never waited for.
    static let closePatience: Duration = .seconds(10)

    /// Leaves the group and gives the client up.
    ///
    /// On a thread of its own: librdkafka has calls that never return when they meet a group that
    /// has just ended (issue 4884), and a worker must end within its deadline all the same.
    func leaveGroup(isIncremental: Bool) {
        let departure = Departure(client: self, isIncremental: isIncremental)
        let deadline = Deadline(after: KafkaClient.closePatience)
        // The thread takes this reference over.
        let argument = Unmanaged.passRetained(departure)
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runDeparture, argument.toOpaque()) == 0 else {
            argument.release()
            departure.run()
            return
        }
        pthread_detach(thread)
        while !departure.isOver {
            guard !deadline.isOver else {
                say(
                    level: KafkaLogLine.warning, "CLOSE",
                    "leaving the group took too long; the broker will notice by the session timeout"
                )
                return
            }
            usleep(Departure.checkMicroseconds)
        }
    }
}

/// A client on its way out of the group.
///
/// Sendable, as the thread that made it never touches the client again but for its log.
private final class Departure: @unchecked Sendable {
    static let checkMicroseconds: UInt32 = 2_000
    private static let pollWait: Duration = .milliseconds(50)
    /// After so long without being let go, an answer must have been missed, and is given again.
    private static let answerAgainAfter: Duration = .seconds(2)

    private let client: KafkaClient
    private let isIncremental: Bool
    private let ended = Atomic<Bool>(false)

    init(client: KafkaClient, isIncremental: Bool) {
        self.client = client
        self.isIncremental = isIncremental
    }

    var isOver: Bool {
        ended.load(ordering: .acquiring)
    }

    /// Leaves, then frees the client.
    func run() {
        leave()
        client.destroy()
        ended.store(true, ordering: .releasing)
    }

    /// Closes, answering each rebalance that this brings: one that stays unanswered would hold the
    /// group's end up for ever.
    private func leave() {
        do throws(Fault) {
            // All partitions are about to be given up, see GroupAssignment.
            try client.awaitAssignment()
        } catch {
            client.say(level: KafkaLogLine.warning, error.code, error.description)
        }
        // What came before the close is not told again on the queue of the close.
        serve(client.queue, wait: .zero)
        guard let queue = rd_kafka_queue_new(client.handle) else { return }
        defer { rd_kafka_queue_destroy(queue) }
        if let error = rd_kafka_consumer_close_queue(client.handle, queue) {
            let name = KafkaError(operation: "leave the group", consuming: error)
            client.say(level: KafkaLogLine.warning, name.name, "could not leave the group")
            return
        }
        var patience = Deadline(after: Departure.answerAgainAfter)
        while rd_kafka_consumer_closed(client.handle) == 0 {
            serve(queue, wait: Departure.pollWait)
            if patience.isOver {
                giveAllUp()
                patience = Deadline(after: Departure.answerAgainAfter)
            }
        }
    }

    private func serve(_ queue: OpaquePointer, wait: Duration) {
        while let event = KafkaEvent(from: queue, wait: wait) {
            if let line = event.logLine { client.say(level: line.level, line.facility, line.text) }
            if event.type == RD_KAFKA_EVENT_REBALANCE { answer(event) }
            guard rd_kafka_consumer_closed(client.handle) == 0 else { return }
        }
    }

    private func answer(_ rebalance: borrowing KafkaEvent) {
        guard isIncremental else { return giveAllUp() }
        let isGift = rebalance.code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS
        // Nothing is taken any more.
        let list = TopicPartitionList(isGift ? [] : rebalance.partitions)
        let error =
            isGift
            ? rd_kafka_incremental_assign(client.handle, list.pointer)
            : rd_kafka_incremental_unassign(client.handle, list.pointer)
        guard let error else { return }
        let refusal = KafkaError(operation: "answer a rebalance", consuming: error)
        client.say(level: KafkaLogLine.warning, refusal.name, "could not answer a rebalance")
    }

    private func giveAllUp() {
        rd_kafka_assign(client.handle, nil)
    }
}

/// Body of the thread; its argument is a retained ``Departure``.
private func runDeparture(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Departure>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
