import Foundation
import Glibc

/// Measures whole workers: broker, PostgreSQL, load and worker on this machine, one after another.
///
///     worker-benchmark [--lanes 1,2,4] [--batches 50,200,1000] [--rates 25,50,90] [--json FILE]
///                      [--requests N] [--keys N] [--stored N] [--history N] [--skew even|zipf]
///
/// For each number of lanes and each limit of a batch a backlog of requests is worked off; then, with
/// what was fastest, requests come at so many hundredths of its rate. PostgreSQL writes through; the
/// broker is librdkafka's mock cluster, which stores nothing: a real one costs more.
///
/// Ends with 0, or with 64 for a wrong call, 70 when a run can't be made or a verdict is wrong.
@main
enum WorkerBenchmark {
    private static let latencySeconds = 8.0

    static func main() async {
        do {
            try await measure(Options(Array(CommandLine.arguments.dropFirst())))
        } catch {
            FileHandle.standardError.write(Data("worker-benchmark: \(error)\n".utf8))
            exit(error is Options.Wrong ? 64 : 70)
        }
    }

    private static func measure(_ options: Options) async throws {
        let traffic = Traffic(deviceCount: options.keys, skew: options.skew)
        let stage = try await Stage(options, traffic: traffic)
        say(
            "\(options.stored) keys stored, \(options.keys) asking (\(options.skew)), "
                + "\(options.history) decided requests, \(Stage.partitions) partitions\n")
        say(Report.backlogHead)
        var rows: [Report.Row] = []
        for lanes in options.lanes {
            for batch in options.batches {
                let result = try await Backlog(stage: stage, count: options.requests)
                    .run(lanes: lanes, batch: batch)
                rows.append(Report.Row(lanes: lanes, batch: batch, result: result))
                say(Report.line(rows[rows.count - 1]))
            }
        }
        let latencies = try await latencies(options, rows, stage)
        guard let path = options.json else { return }
        try Data(Report.json(rows, latencies).utf8).write(to: URL(filePath: path))
    }

    private static func latencies(
        _ options: Options, _ rows: [Report.Row], _ stage: Stage
    ) async throws -> [LatencyResult] {
        guard !options.rates.isEmpty,
            let best = rows.max(by: { $0.result.perSecond < $1.result.perSecond })
        else { return [] }
        say("\n" + Report.latencyHead)
        var latencies: [LatencyResult] = []
        for rate in options.rates {
            let result = try await Latency(stage: stage, seconds: latencySeconds).run(
                lanes: best.lanes, batch: best.batch,
                perSecond: best.result.perSecond * Double(rate) / 100)
            latencies.append(result)
            say(Report.line(lanes: best.lanes, batch: best.batch, result))
        }
        return latencies
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
