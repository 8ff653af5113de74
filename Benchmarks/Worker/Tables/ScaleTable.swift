import BenchmarkSupport
import Glibc
import Harness

/// Throughput by number of workers and of partitions.
enum ScaleTable {
    static func measure(_ stage: Stage) async throws -> Table {
        let options = stage.options
        let batch = options.batches.max() ?? 0
        var table = Table(
            "scale", title: "Workers of one lane each, batches up to \(batch), on one machine",
            [.init("workers", "workers"), .init("partitions", "partitions")]
                + BacklogResult.columns)
        say(table.head)
        for partitions in options.partitions {
            for workers in options.workers {
                let result = try await Backlog(stage: stage, count: options.requests).run(
                    lanes: 1, batch: batch, workers: workers, partitions: partitions)
                say(table.add([.whole(workers), .whole(partitions)] + result.cells))
            }
        }
        return table
    }
}

/// How long requests wait when workers come and go.
enum RebalanceTable {
    private static let perSecond = 1000.0
    private static let seconds = 26.0
    private static let eventSecond = 6.0
    private static let batch = 200

    static func measure(_ stage: Stage) async throws -> Table {
        var table = Table(
            "rebalance",
            title: "\(Int(perSecond)) requests/s while a fleet of workers of two lanes changes",
            [
                .init("what happens", "event"), .init("longest wait s", "longestSeconds"),
                .init("p50 ms", "p50Milliseconds"), .init("p99 ms", "p99Milliseconds"),
                .init("% later than 1 s", "percentLate"),
            ])
        say(table.head)
        try await add("nothing", workers: 1, stage, &table, happen: { $0 })
        try await add("a second worker starts", workers: 1, stage, &table) { processes in
            processes + [try await stage.startAnother()]
        }
        try await add("one of two is asked to end", workers: 2, stage, &table) { processes in
            processes.last?.send(SIGTERM)
            return processes
        }
        try await add("one of two is killed", workers: 2, stage, &table) { processes in
            processes.last?.send(SIGKILL)
            return processes
        }
        return table
    }

    private static func add(
        _ event: String, workers: Int, _ stage: Stage, _ table: inout Table,
        happen: @escaping ([ChildProcess]) async throws -> [ChildProcess]
    ) async throws {
        let result = try await Latency(stage: stage, seconds: seconds).run(
            lanes: 2, batch: batch, perSecond: perSecond, workers: workers,
            disturbance: .init(second: eventSecond, happen: happen))
        let late = Double(result.milliseconds.count { $0 > 1000 })
        say(
            table.add([
                .text(event), .number(result.percentile(100) / 1000, digits: 2),
                .number(result.percentile(50), digits: 1),
                .number(result.percentile(99), digits: 1),
                .number(100 * late / Double(result.milliseconds.count), digits: 1),
            ]))
    }
}
