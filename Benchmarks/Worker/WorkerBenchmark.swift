import BenchmarkSupport
import Foundation
import Glibc

/// Measures whole workers: broker, PostgreSQL, load and worker on this machine, one after another.
///
///     worker-benchmark [backlog] [latency] [store] [scale] [rebalance] [growth] [process] [baseline]
///                      [--lanes 1,2,4] [--batches 50,200,1000] [--rates 25,50,90]
///                      [--connections 1,2,4] [--workers 1,2,4] [--partitions 4,16,64]
///                      [--requests N] [--keys N] [--stored N] [--history N] [--growth N]
///                      [--skew even|zipf] [--python PROGRAM] [--json FILE]
///
/// PostgreSQL writes through; the broker is librdkafka's mock cluster, which stores nothing: a real
/// one costs more.
///
/// Ends with 0, or with 64 for a wrong call, 70 when a run can't be made or a verdict is wrong.
@main
enum WorkerBenchmark {
    static func main() async {
        do {
            try await measure(Options(Array(CommandLine.arguments.dropFirst())))
        } catch {
            FileHandle.standardError.write(Data("worker-benchmark: \(error)\n".utf8))
            exit(error is Options.Wrong ? 64 : 70)
        }
    }

    private static func measure(_ options: Options) async throws {
        let stage = try await Stage(options)
        var members: [String] = []
        var best: BacklogTable.Best?
        for subject in options.subjects {
            switch subject {
            case .backlog:
                let (table, found) = try await BacklogTable.measure(stage)
                members.append(table.json)
                best = found
            case .latency:
                let known: BacklogTable.Best
                if let best {
                    known = best
                } else {
                    let (table, found) = try await BacklogTable.measure(stage)
                    members.append(table.json)
                    known = found
                }
                members.append(try await LatencyTable.measure(stage, known).json)
            case .store: members.append(try await StoreTable.measure(stage).json)
            case .scale: members.append(try await ScaleTable.measure(stage).json)
            case .rebalance: members.append(try await RebalanceTable.measure(stage).json)
            case .growth:
                let (table, plans) = try await GrowthTable.measure(stage)
                members.append(table.json)
                for plan in plans { say("\n```\n\(plan)\n```") }
            case .process: members.append(try await ProcessTable.measure(stage).json)
            case .baseline: members.append(try await BaselineTable.measure(stage).json)
            }
            say("")
        }
        guard let path = options.json else { return }
        let text = "{" + members.joined(separator: ",\n") + "}\n"
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}

/// Prints a line at once: a run takes minutes.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
