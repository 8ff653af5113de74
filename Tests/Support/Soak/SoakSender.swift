import AppAttest
import AttestTestKit
import Foundation
import Harness
import KafkaTransport
import Synchronization
import Wire
import Worker

/// Sends the traffic at its rate, on a thread of its own, until it is stopped.
final class SoakSender: Sendable {
    /// How long the last records may take to arrive.
    private static let flushPatience: Duration = .seconds(60)
    /// How often a second it sends.
    private static let turns = 10

    private let isStopped = Mutex(false)
    private let end = Mutex<Result<Int, HarnessFailure>?>(nil)

    /// Starts sending.
    func start(
        _ options: SoakOptions, authority: TestAuthority, bootstrapServers: String,
        watch: SoakWatch
    ) {
        Thread { [self] in
            do {
                let count = try run(options, authority, bootstrapServers, watch)
                end.withLock { $0 = .success(count) }
            } catch {
                end.withLock { $0 = .failure(HarnessFailure("the sender: \(error)")) }
            }
        }.start()
    }

    /// Asks it to end; ``result`` tells when it has.
    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// How many records it has sent, once all of them have arrived.
    var result: Result<Int, HarnessFailure>? { end.withLock { $0 } }

    private func run(
        _ options: SoakOptions, _ authority: TestAuthority, _ bootstrapServers: String,
        _ watch: SoakWatch
    ) throws -> Int {
        var traffic = SoakTraffic(
            seed: options.seed, partitions: options.partitions, hasWindow: options.window > 0,
            authority: authority)
        let writer = try TopicWriter(
            settings: .ofGateway(
                bootstrapServers: bootstrapServers, topics: [SoakServers.requests]),
            log: { _ in })
        var count = 0
        let started = ContinuousClock.now
        func send(_ requests: [PlannedRequest]) throws {
            for request in requests {
                watch.plan(request)
                let record = request.record
                try writer.write(
                    OutgoingRecord(
                        topic: SoakServers.requests, key: record.key, value: record.value,
                        headers: record.headers),
                    partition: record.partition,
                    timestampMilliseconds: record.timestamp?.milliseconds)
                count += 1
            }
        }
        while !isStopped.withLock({ $0 }) {
            let due = Int((ContinuousClock.now - started) / .seconds(1) * Double(options.rate))
            // After a stall it goes on at most at twice its rate.
            let most = count + max(1, options.rate * 2 / Self.turns)
            while count < min(due, most) { try send(traffic.next()) }
            try send(traffic.released(watch.isAnswered))
            Thread.sleep(forTimeInterval: 1 / Double(Self.turns))
        }
        try writer.flush(wait: Self.flushPatience)
        return count
    }
}
