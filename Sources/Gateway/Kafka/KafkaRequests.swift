internal import Dispatch
package import KafkaTransport
internal import Synchronization
internal import Wire
package import Worker

/// The request topic, written by one thread for all that ask.
///
/// Whoever asks leaves a record in a queue and goes on; what became of it is told only where it
/// failed, as the verdict tells the rest.
package final class KafkaRequests: RequestPublisher {
    private struct Outgoing: Sendable {
        let record: OutgoingRecord
        let id: SendID
    }

    /// The most records that wait for the thread.
    package static let queuedMax = 10_000
    /// How long the thread sleeps while it has nothing to do.
    private static let idleMilliseconds = 100
    /// How long while it waits for delivery reports.
    private static let busyMilliseconds = 20

    private let settings: KafkaSettings
    private let topic: String
    private let observer: GatewayObserver
    private let log: Log
    private let kafkaLog: KafkaLog
    private let queue = Mutex<[Outgoing]>([])
    private let wake = DispatchSemaphore(value: 0)

    /// A writer that has not begun.
    ///
    /// - Parameters:
    ///   - settings: how to reach the cluster.
    ///   - topic: where requests go.
    ///   - observer: is told of the client.
    ///   - log: where it tells what it does.
    ///   - kafkaLog: takes librdkafka's lines, on the calling thread of ``run``.
    package init(
        settings: KafkaSettings, topic: String, observer: GatewayObserver, log: Log,
        kafkaLog: @escaping KafkaLog
    ) {
        self.settings = settings
        self.topic = topic
        self.observer = observer
        self.log = log
        self.kafkaLog = kafkaLog
    }

    /// Whether there is a broker, as far as is known.
    package var isConnected: Bool { observer.isConnected }

    /// Leaves a record for the thread.
    ///
    /// - Returns: false where too many wait already.
    package func publish(_ record: OutgoingRecord, _ sendID: SendID) -> Bool {
        let hasRoom = queue.withLock { queue in
            guard queue.count < Self.queuedMax else { return false }
            queue.append(Outgoing(record: record, id: sendID))
            return true
        }
        if hasRoom { wake.signal() }
        return hasRoom
    }

    /// Sends until asked to stop, on the calling thread.
    ///
    /// - Parameters:
    ///   - stop: asks it to end; what is queued then is still sent.
    ///   - service: is told of requests that can't be sent.
    /// - Throws: a fault that no retry heals.
    package func run(until stop: StopSignal, _ service: GatewayService) throws(Fault) {
        let sink = try KafkaSink(
            settings: settings, topics: [topic], log: kafkaLog,
            observer: KafkaSinkObserver(statistics: { [observer] statistics in
                observer.told(statistics, by: .producer)
            }))
        defer { sink.close(wait: .seconds(2)) }
        var lastTicket: UInt64 = 0
        var unreported: [UInt64: SendID] = [:]
        while true {
            let outgoing = queue.withLock { queue in
                defer { queue.removeAll(keepingCapacity: true) }
                return queue
            }
            if outgoing.isEmpty, stop.isRequested { return }
            do throws(Fault) {
                var records: [(ticket: UInt64, record: OutgoingRecord)] = []
                for item in outgoing {
                    lastTicket += 1
                    unreported[lastTicket] = item.id
                    records.append((lastTicket, item.record))
                }
                if !records.isEmpty { try sink.enqueue(records) }
                for report in try sink.reports(wait: .zero) {
                    guard let id = unreported.removeValue(forKey: report.ticket),
                        let code = report.failure
                    else { continue }
                    service.give(refusal(code), to: id)
                }
            } catch {
                guard error.disposition == .retry else { throw error }
                log(
                    .warning, "retried", error.description, ["error_code": LogValue(error.code)])
                // They may have been sent or not: whoever waits repeats the request.
                for id in unreported.values { service.give(refusal(error.code), to: id) }
                unreported = [:]
            }
            sleep(isBusy: !unreported.isEmpty)
        }
    }

    private func sleep(isBusy: Bool) {
        let milliseconds = isBusy ? Self.busyMilliseconds : Self.idleMilliseconds
        // One record wakes the thread; the others of the moment come along.
        guard wake.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return }
        while wake.wait(timeout: .now()) == .success {}
    }

    private func refusal(_ code: String) -> Refusal {
        Refusal(
            .unavailable, "not_sent", "the request can't be sent to a worker (\(code))",
            retryAfter: 5)
    }
}

extension DeliveryReport {
    /// Why it was not delivered; nil where it was.
    fileprivate var failure: String? {
        switch result {
        case .delivered: nil
        case .refused(let code), .forbidden(let code), .failed(let code): code
        }
    }
}
