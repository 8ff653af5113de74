import BenchmarkSupport
import Foundation
import Glibc
import Harness
import KafkaTransport
import Wire
import Worker

/// What a run over requests that all wait already has shown.
struct BacklogResult {
    /// Verdicts a second, past the start of the worker.
    let perSecond: Double
    /// Microseconds of CPU for a request: of the workers, of PostgreSQL and of the broker.
    let worker: Double
    let database: Double
    let broker: Double
    /// CPU seconds a second that the whole machine spent, and how much of that was none of ours.
    let busy: Double
    let foreign: Double
    /// What a bare verification takes, at best before and after the run.
    let limit: Reference.Limit
    /// Seconds from the start of the worker to its first verdict.
    let firstVerdict: Double
    /// The most memory a worker has had, in MiB.
    let peakMiB: Double

    /// The cells of every table of such runs.
    var cells: [Table.Cell] {
        [
            .number(perSecond, digits: 0), .number(perSecond * limit.alone / 2e6, digits: 2),
            .number(perSecond * limit.together / 2e6, digits: 2), .number(worker, digits: 1),
            .number(worker / limit.alone, digits: 2), .number(worker / limit.together, digits: 2),
            .number(database, digits: 1), .number(broker, digits: 1),
            .number(limit.alone, digits: 1), .number(limit.together, digits: 1),
            .number(busy, digits: 2), .number(foreign, digits: 2),
            .number(firstVerdict, digits: 1), .number(peakMiB, digits: 0),
        ]
    }

    /// What stands above them.
    static let columns: [Table.Column] = [
        .init("requests/s", "perSecond"), .init("of twice bare", "ofTwiceBare"),
        .init("of two bare at once", "ofTwoBareAtOnce"),
        .init("worker µs", "workerMicroseconds"),
        .init("of bare", "ofBare"), .init("of bare at once", "ofBareAtOnce"),
        .init("PostgreSQL µs", "databaseMicroseconds"), .init("broker µs", "brokerMicroseconds"),
        .init("bare µs", "bareMicroseconds"),
        .init("bare µs at once", "bareAtOnceMicroseconds"), .init("cores busy", "coresBusy"),
        .init("not ours", "coresOfOthers"), .init("first verdict s", "firstVerdictSeconds"),
        .init("peak MiB", "peakMiB"),
    ]
}

/// Requests wait in the topic; then workers start, and answer as fast as they can.
struct Backlog {
    private static let patience: Duration = .seconds(300)
    private static let look: Duration = .milliseconds(50)
    /// The part of the verdicts after which the clock starts: caches are warm then.
    private static let warmPart = 0.15

    let stage: Stage
    let count: Int

    /// A moment, with what had been answered and spent by then.
    private struct Sample {
        let seconds: Double
        let verdicts: Int
        /// How often a lane had taken over partitions.
        let claims: Int
        let worker: Double
        let database: Double
        let broker: Double
        let machine: Double
        let own: Double
    }

    /// Runs.
    func run(
        lanes: Int, batch: Int, workers: Int = 1, partitions: Int = Stage.partitions,
        padding: Int = 0
    ) async throws -> BacklogResult {
        let reference = try Reference(of: stage.traffic)
        let before = try reference.best()
        let run = try await stage.prepare(lanes: lanes, batch: batch, partitions: partitions)
        try stage.write(stage.traffic.next(count, padding: padding), to: run.requests)
        let follower = try stage.follower(run)
        try await stage.server.database.query("CHECKPOINT")
        let started = ContinuousClock.now
        var processes: [ChildProcess] = []
        for number in 0..<workers {
            processes.append(try await stage.startWorker(run, name: "worker\(number)"))
        }
        let samples = try await watch(follower, processes, since: started)
        let after = try reference.best()
        let peak = try processes.map { try $0.peakResidentBytes }.max() ?? 0
        for process in processes {
            process.send(SIGTERM)
            let end = try await process.waitForEnd(within: .seconds(30))
            guard end == .exited(0) else { throw HarnessFailure("a worker ended: \(process)") }
        }
        return try result(
            samples, limit: before.better(after), peakMiB: Double(peak) / 1_048_576)
    }

    private func watch(
        _ follower: TopicFollower, _ processes: [ChildProcess],
        since started: ContinuousClock.Instant
    ) async throws -> [Sample] {
        var samples: [Sample] = []
        var accepted: Set<Int> = []
        while ContinuousClock.now - started < Self.patience {
            let verdicts = try follower.positions().values.reduce(0) { $0 + Int($1.high) }
            let database = try stage.server.seconds()
            samples.append(
                Sample(
                    seconds: (ContinuousClock.now - started) / .seconds(1), verdicts: verdicts,
                    claims: processes.reduce(0) { $0 + $1.count(of: "partitions_claimed") },
                    worker: processes.reduce(0) { $0 + CPUTime.seconds(of: $1.processID) },
                    database: database, broker: stage.brokerSeconds(),
                    machine: CPUTime.secondsOfMachine(), own: CPUTime.seconds(of: getpid())))
            if verdicts >= count, try answered(follower, &accepted) == count { return samples }
            if let dead = processes.first(where: { $0.ended != nil }) {
                throw HarnessFailure("a worker ended before its work: \(dead)")
            }
            try await Task.sleep(for: Self.look)
        }
        throw HarnessFailure("only \(samples.last?.verdicts ?? 0) of \(count) verdicts came")
    }

    /// How many requests were answered so far.
    ///
    /// A verdict may come twice, as after a rebalance; then it is one. Every verdict must be what
    /// was planned: a fast refusal is no result.
    private func answered(_ follower: TopicFollower, _ accepted: inout Set<Int>) throws -> Int {
        guard try follower.readOn(within: .seconds(60)) else {
            throw HarnessFailure("the verdicts can't be read")
        }
        for record in follower.take() {
            let value = record.value ?? []
            guard Verdicts.isAccepted(value), let number = Verdicts.number(of: value) else {
                throw HarnessFailure("refused: \(String(decoding: value, as: UTF8.self))")
            }
            accepted.insert(number)
        }
        return accepted.count
    }

    private func result(
        _ samples: [Sample], limit: Reference.Limit, peakMiB: Double
    ) throws -> BacklogResult {
        let warm = Int(Double(count) * Self.warmPart)
        // Nor before the last lane has its partitions: until then some wait for the group.
        guard let end = samples.last, let first = samples.first(where: { $0.verdicts > 0 }),
            let start = samples.first(where: { $0.verdicts >= warm && $0.claims == end.claims }),
            end.verdicts - start.verdicts > count / 4
        else { throw HarnessFailure("too few requests came after the last lane began: take more") }
        let requests = Double(end.verdicts - start.verdicts)
        let seconds = end.seconds - start.seconds
        let worker = end.worker - start.worker
        let database = end.database - start.database
        let broker = end.broker - start.broker
        let machine = end.machine - start.machine
        let ours = worker + database + broker + end.own - start.own
        return BacklogResult(
            perSecond: requests / seconds, worker: worker * 1e6 / requests,
            database: database * 1e6 / requests, broker: broker * 1e6 / requests,
            busy: machine / seconds, foreign: max(0, machine - ours) / seconds,
            limit: limit, firstVerdict: first.seconds, peakMiB: peakMiB)
    }
}
