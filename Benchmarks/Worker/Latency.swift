import Foundation
import Glibc
import Harness
import KafkaTransport
import Synchronization
import Wire
import Worker

/// From a request's timestamp to its verdict in a reader's hands, at a steady rate.
struct LatencyResult {
    /// Requests a second that were sent.
    let perSecond: Double
    /// Milliseconds within which half, 95 and 99 of a hundred verdicts came.
    let p50: Double
    let p95: Double
    let p99: Double
}

/// Sends at a steady rate, whatever comes back, and takes the time of each verdict.
struct Latency {
    /// Requests before the clock counts, over all partitions.
    private static let warmUpSeconds = 2.0
    private static let patience: Duration = .seconds(60)
    private static let turnsPerSecond = 200.0

    let stage: Stage
    let seconds: Double

    /// When each request was sent, by id; written by the sender, emptied by the reader.
    private final class Ledger: Sendable {
        private let sent = Mutex<[Substring: ContinuousClock.Instant]>([:])
        private let fault = Mutex<HarnessFailure?>(nil)

        /// Why the sender gave up, if it did.
        var failure: HarnessFailure? {
            get { fault.withLock { $0 } }
            set { fault.withLock { $0 = newValue } }
        }

        func note(_ id: Substring, _ instant: ContinuousClock.Instant) {
            sent.withLock { $0[id] = instant }
        }

        func take(_ id: Substring) -> ContinuousClock.Instant? {
            sent.withLock { $0.removeValue(forKey: id) }
        }
    }

    /// Runs at a rate.
    func run(lanes: Int, batch: Int, perSecond: Double) async throws -> LatencyResult {
        let run = try await stage.prepare(lanes: lanes, batch: batch)
        let worker = try await stage.startWorker(run, name: "latency")
        let reader = try stage.reader(run)
        let count = Int(perSecond * (seconds + Self.warmUpSeconds))
        let records = stage.traffic.next(count)
        try await worker.waitFor("partitions_claimed", count: lanes, within: .seconds(60))
        let ledger = Ledger()
        let topic = run.requests
        let bootstrapServers = stage.bootstrapServers
        let sender = Thread {
            do {
                let writer = try TopicWriter(
                    settings: .ofGateway(bootstrapServers: bootstrapServers, topics: [topic]),
                    log: { _ in })
                try Self.send(records, perSecond: perSecond, on: writer, to: topic, ledger)
            } catch {
                ledger.failure = HarnessFailure("the sender: \(error)")
            }
        }
        sender.start()
        let latencies = try receive(count, reader, ledger)
        worker.send(SIGTERM)
        _ = try await worker.waitForEnd(within: .seconds(30))
        let counted = latencies.dropFirst(Int(perSecond * Self.warmUpSeconds)).sorted()
        func percentile(_ part: Double) -> Double {
            counted[min(counted.count - 1, Int(Double(counted.count) * part))]
        }
        return LatencyResult(
            perSecond: perSecond, p50: percentile(0.50), p95: percentile(0.95),
            p99: percentile(0.99))
    }

    private static func send(
        _ records: [SentRecord], perSecond: Double, on writer: TopicWriter,
        to topic: String, _ ledger: Ledger
    ) throws {
        let start = ContinuousClock.now
        for (number, record) in records.enumerated() {
            let due = start + .seconds(Double(number) / perSecond)
            while ContinuousClock.now < due {
                Thread.sleep(forTimeInterval: 1 / Self.turnsPerSecond)
            }
            let text = String(decoding: record.value ?? [], as: UTF8.self)
            // What is late because the sender was, counts: users wait for that too.
            ledger.note(requestID(in: text) ?? "", due)
            try writer.write(
                OutgoingRecord(
                    topic: topic, key: record.key, value: record.value,
                    headers: record.headers))
        }
        try writer.flush(wait: Self.patience)
    }

    /// Milliseconds of each verdict, in the order in which they came.
    private func receive(
        _ count: Int, _ reader: TopicReader, _ ledger: Ledger
    ) throws -> [Double] {
        var latencies: [Double] = []
        var last = ContinuousClock.now
        while latencies.count < count {
            let records = try reader.read(recordsMax: 1000, wait: .milliseconds(100))
            let now = ContinuousClock.now
            if let failure = ledger.failure { throw failure }
            if !records.isEmpty { last = now }
            guard now - last < Self.patience else {
                throw HarnessFailure("only \(latencies.count) of \(count) verdicts came")
            }
            for record in records {
                let text = String(decoding: record.value ?? [], as: UTF8.self)
                guard let id = requestID(in: text), let sent = ledger.take(id) else { continue }
                guard text.contains(#""outcome":"accepted""#) else {
                    throw HarnessFailure("refused, so nothing is measured: \(text)")
                }
                latencies.append((now - sent) / .milliseconds(1))
            }
        }
        return latencies
    }
}
