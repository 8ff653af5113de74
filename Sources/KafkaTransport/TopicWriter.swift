internal import CRdkafka
package import Worker

/// Produces records as a gateway does: for the demo, the simulation and tests.
///
/// Used by one thread.
package final class TopicWriter {
    private let client: KafkaClient
    private var lastNumber: UInt64 = 0
    private var unreported: Set<UInt64> = []
    private var failure: Fault?

    /// How long ``write(_:)`` waits for room in the local queue.
    package static let roomPatience: Duration = .seconds(10)

    /// Connects in the background.
    ///
    /// - Throws: `.stop(.config)`.
    package init(settings: KafkaSettings, log: @escaping KafkaLog) throws(Fault) {
        let configuration = try settings.configuration(for: .sink)
        configuration.enableEvents(RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG)
        client = try KafkaClient(
            RD_KAFKA_PRODUCER, configuration: configuration, tokens: settings.tokenSource, log: log)
    }

    deinit {
        client.abandonProducer()
    }

    /// Hands a record over; ``flush(wait:)`` tells whether it arrived.
    ///
    /// - Parameters:
    ///   - record: topic, key, value and headers.
    ///   - partition: nil to let the key decide, as gateways should.
    ///   - timestampMilliseconds: the instant on the record; nil for now.
    /// - Throws: when the record can't be taken, or one before it has failed.
    package func write(
        _ record: OutgoingRecord, partition: Int32? = nil, timestampMilliseconds: Int64? = nil
    ) throws(Fault) {
        // Reports that nobody takes keep their records in memory, and in the queue's count.
        try collect(wait: .zero)
        let deadline = Deadline(after: TopicWriter.roomPatience)
        let produced = ProducedRecord(
            topic: record.topic, partition: partition,
            timestampMilliseconds: timestampMilliseconds, key: record.key, value: record.value,
            headers: record.headers)
        while true {
            lastNumber += 1
            let code = client.produce(produced, number: lastNumber)
            if code == RD_KAFKA_RESP_ERR__QUEUE_FULL, !deadline.isOver {
                try collect(wait: .milliseconds(100))
                continue
            }
            try client.check(code, "write to \(record.topic)")
            unreported.insert(lastNumber)
            return
        }
    }

    /// Waits until all that was written has arrived.
    ///
    /// - Throws: the first failure of a record, or `.retry` when the time is over.
    package func flush(wait: Duration) throws(Fault) {
        let deadline = Deadline(after: wait)
        while !unreported.isEmpty, !deadline.isOver {
            try collect(wait: deadline.remaining)
        }
        guard unreported.isEmpty else {
            throw Fault(
                operation: "write records", code: "not_delivered", disposition: .retry,
                message: "\(unreported.count) records have not arrived in time")
        }
    }

    private func collect(wait: Duration) throws(Fault) {
        var patience = wait
        while let event = client.nextEvent(wait: patience) {
            patience = .zero
            for (number, code) in event.type == RD_KAFKA_EVENT_DR ? event.deliveries() : [] {
                unreported.remove(number)
                if failure == nil, code != RD_KAFKA_RESP_ERR_NO_ERROR {
                    failure = client.error("write records", code).fault()
                }
            }
        }
        if let failure { throw failure }
    }
}
