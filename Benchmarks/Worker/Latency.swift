import BenchmarkSupport
import Foundation
import Glibc
import Harness
import KafkaTransport
import Synchronization
import Wire
import Worker

/// From the moment a request was due to be sent to its verdict in a reader's hands, at a steady rate.
struct LatencyResult {
    /// Requests a second that were sent.
    let perSecond: Double
    /// Milliseconds of each request that counts, in rising order.
    let milliseconds: [Double]

    /// Milliseconds within which so many hundredths of the verdicts came.
    func percentile(_ hundredths: Double) -> Double {
        let place = Int(Double(milliseconds.count) * hundredths / 100)
        return milliseconds.isEmpty ? .nan : milliseconds[min(milliseconds.count - 1, place)]
    }
}

/// Sends at a steady rate, whatever comes back, and takes the time of each verdict.
struct Latency {
    /// Seconds before the clock counts.
    private static let warmUpSeconds = 2.0
    private static let patience: Duration = .seconds(60)
    private static let turnsPerSecond = 500.0

    let stage: Stage
    let seconds: Double

    /// What happens to the workers in the midst of a run.
    struct Disturbance {
        /// Seconds after the first request.
        let second: Double
        let happen: ([ChildProcess]) async throws -> [ChildProcess]
    }

    /// When each request was due, by its place among those of the run; nil once it is answered.
    private final class Ledger: Sendable {
        private let due: Mutex<[ContinuousClock.Instant?]>
        private let fault = Mutex<HarnessFailure?>(nil)
        private let first: Int

        init(first: Int, count: Int) {
            self.first = first
            due = Mutex(Array(repeating: nil, count: count))
        }

        /// Why the sender gave up, if it did.
        var failure: HarnessFailure? {
            get { fault.withLock { $0 } }
            set { fault.withLock { $0 = newValue } }
        }

        func note(place: Int, _ instant: ContinuousClock.Instant) {
            due.withLock { $0[place] = instant }
        }

        func take(number: Int) -> ContinuousClock.Instant? {
            due.withLock { due in
                let place = number - first
                guard due.indices.contains(place) else { return nil }
                defer { due[place] = nil }
                return due[place]
            }
        }
    }

    /// Runs at a rate.
    ///
    /// - Parameters:
    ///   - lanes: of each worker.
    ///   - batch: the limit of a batch.
    ///   - perSecond: the rate.
    ///   - workers: how many work from the start; with none, the requests themselves are taken for
    ///     verdicts: that is one way through the broker, of which an answer takes two.
    ///   - disturbance: what happens meanwhile.
    /// - Returns: how long each took, but for those of the first seconds.
    /// - Throws: when a verdict is missing or not the planned one.
    func run(
        lanes: Int, batch: Int, perSecond: Double, workers: Int = 1,
        disturbance: Disturbance? = nil
    ) async throws -> LatencyResult {
        let run = try await stage.prepare(lanes: lanes, batch: batch)
        var processes: [ChildProcess] = []
        for number in 0..<workers {
            processes.append(try await stage.startWorker(run, name: "latency\(number)"))
        }
        let reader = try stage.reader(of: workers > 0 ? run.verdicts : run.requests)
        let count = Int(perSecond * (seconds + Self.warmUpSeconds))
        let records = stage.traffic.next(count)
        for process in processes {
            try await process.waitFor("partitions_claimed", count: lanes, within: .seconds(90))
        }
        let ledger = Ledger(first: stage.traffic.made - count + 1, count: count)
        send(records, perSecond: perSecond, to: run.requests, ledger)
        let latencies = try await receive(
            count, reader, ledger, &processes, disturbance: disturbance)
        for process in processes where process.ended == nil {
            process.send(SIGTERM)
            _ = try await process.waitForEnd(within: .seconds(30))
        }
        let counted = latencies.dropFirst(Int(perSecond * Self.warmUpSeconds))
        return LatencyResult(perSecond: perSecond, milliseconds: counted.sorted())
    }

    /// Sends on a thread of its own.
    private func send(
        _ records: [SentRecord], perSecond: Double, to topic: String, _ ledger: Ledger
    ) {
        let bootstrapServers = stage.bootstrapServers
        Thread {
            do {
                let writer = try TopicWriter(
                    settings: .ofGateway(bootstrapServers: bootstrapServers, topics: [topic]),
                    log: { _ in })
                let start = ContinuousClock.now
                for (place, record) in records.enumerated() {
                    let due = start + .seconds(Double(place) / perSecond)
                    while ContinuousClock.now < due {
                        Thread.sleep(forTimeInterval: 1 / Self.turnsPerSecond)
                    }
                    // What is late because the sender was, counts: users wait for that too.
                    ledger.note(place: place, due)
                    try writer.write(
                        OutgoingRecord(
                            topic: topic, key: record.key, value: record.value,
                            headers: record.headers))
                }
                try writer.flush(wait: Self.patience)
            } catch {
                ledger.failure = HarnessFailure("the sender: \(error)")
            }
        }.start()
    }

    /// Milliseconds of each verdict, in the order in which they came.
    private func receive(
        _ count: Int, _ reader: TopicReader, _ ledger: Ledger, _ processes: inout [ChildProcess],
        disturbance: Disturbance?
    ) async throws -> [Double] {
        var latencies: [Double] = []
        let started = ContinuousClock.now
        var last = started
        var next = disturbance
        while latencies.count < count {
            let records = try reader.read(recordsMax: 1000, wait: .milliseconds(20))
            let now = ContinuousClock.now
            if let failure = ledger.failure { throw failure }
            if let due = next, now - started > .seconds(due.second) {
                next = nil
                processes = try await due.happen(processes)
            }
            if !records.isEmpty { last = now }
            guard now - last < Self.patience else {
                throw HarnessFailure("only \(latencies.count) of \(count) verdicts came")
            }
            for record in records {
                let value = record.value ?? []
                guard let number = Verdicts.number(of: value), let due = ledger.take(number: number)
                else { continue }
                guard Verdicts.isAccepted(value) || processes.isEmpty else {
                    throw HarnessFailure("refused, so nothing is measured: request \(number)")
                }
                latencies.append((now - due) / .milliseconds(1))
            }
        }
        return latencies
    }
}

/// What must be known of a verdict, found without reading all of it: the load is to cost little.
enum Verdicts {
    /// The number of the request that it answers, one of ``Traffic``'s.
    static func number(of verdict: [UInt8]) -> Int? {
        guard let start = place(behind: #""requestId":"request-"#, in: verdict) else { return nil }
        return Int(
            String(decoding: verdict[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
    }

    /// Whether it says accepted.
    static func isAccepted(_ verdict: [UInt8]) -> Bool {
        place(behind: #""outcome":"accepted""#, in: verdict) != nil
    }

    private static func place(behind mark: StaticString, in verdict: [UInt8]) -> Int? {
        let length = mark.utf8CodeUnitCount
        guard verdict.count >= length else { return nil }
        return verdict.withUnsafeBufferPointer { bytes in
            (0...(bytes.count - length)).first { start in
                guard let here = bytes.baseAddress?.advanced(by: start) else { return false }
                return here.pointee == mark.utf8Start.pointee
                    && memcmp(here, mark.utf8Start, length) == 0
            }.map { $0 + length }
        }
    }
}
