import BenchmarkSupport

/// Requests that wait already, by lanes and by limit of a batch.
enum BacklogTable {
    /// Measures.
    ///
    /// - Returns: the table, and the lanes and the limit with which most requests a second came.
    static func measure(_ stage: Stage) async throws -> (Table, best: Best) {
        let options = stage.options
        var table = Table(
            "backlog",
            title: "\(Stage.described(stage)): a backlog of \(options.requests) requests",
            [.init("lanes", "lanes"), .init("batch", "batch")] + BacklogResult.columns)
        say(table.head)
        var best = Best(lanes: 0, batch: 0, perSecond: 0)
        for lanes in options.lanes {
            for batch in options.batches {
                let result = try await Backlog(stage: stage, count: options.requests)
                    .run(lanes: lanes, batch: batch)
                say(table.add([.whole(lanes), .whole(batch)] + result.cells))
                if result.perSecond > best.perSecond {
                    best = Best(lanes: lanes, batch: batch, perSecond: result.perSecond)
                }
            }
        }
        return (table, best)
    }

    /// How most requests a second came.
    struct Best {
        let lanes: Int
        let batch: Int
        let perSecond: Double
    }
}

/// From the moment a request was due to be sent to its verdict, by rate.
enum LatencyTable {
    private static let seconds = 8.0

    static func measure(_ stage: Stage, _ best: BacklogTable.Best) async throws -> Table {
        var table = Table(
            "latency",
            title: "Latency with \(best.lanes) lanes and batches up to \(best.batch)",
            [
                .init("% of the highest rate", "percent"), .init("requests/s", "perSecond"),
                .init("through", "through"),
                .init("p50 ms", "p50Milliseconds"), .init("p95 ms", "p95Milliseconds"),
                .init("p99 ms", "p99Milliseconds"), .init("longest ms", "longestMilliseconds"),
            ])
        say(table.head)
        for rate in stage.options.rates {
            for (through, workers) in [("the worker", 1), ("the broker alone, once", 0)] {
                let result = try await Latency(stage: stage, seconds: seconds).run(
                    lanes: best.lanes, batch: best.batch,
                    perSecond: best.perSecond * Double(rate) / 100, workers: workers)
                say(
                    table.add([
                        .whole(rate), .number(result.perSecond, digits: 0), .text(through),
                        .number(result.percentile(50), digits: 1),
                        .number(result.percentile(95), digits: 1),
                        .number(result.percentile(99), digits: 1),
                        .number(result.percentile(100), digits: 1),
                    ]))
            }
        }
        return table
    }
}
