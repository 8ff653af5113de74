import BenchmarkSupport

/// The results as people and programs read them.
struct Report {
    /// One run over a backlog, with how it was set up.
    struct Row {
        let lanes: Int
        let batch: Int
        let result: BacklogResult
    }

    /// The part of twice a bare verification on one thread that a whole machine of two cores, with
    /// broker, database and load on it, is to reach.
    static let targetOfTwoCores = 0.50
    /// The most of a bare verification's time that a worker is to take for an assertion.
    static let targetMultiple = 1.35

    static let backlogHead = """
        | lanes | batch | requests/s | of two cores | worker µs | of a bare verification \
        | PostgreSQL µs | broker µs | bare µs | cores busy | not ours | first verdict s | peak MiB |
        | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        """

    static let latencyHead = """
        | lanes | batch | requests/s | p50 ms | p95 ms | p99 ms |
        | ---: | ---: | ---: | ---: | ---: | ---: |
        """

    /// A row of Markdown.
    static func line(_ row: Row) -> String {
        let result = row.result
        let cells = [
            "\(row.lanes)", "\(row.batch)", decimal(result.perSecond, digits: 0),
            decimal(result.ofTwoCores, digits: 2), decimal(result.worker, digits: 1),
            decimal(result.multiple, digits: 2), decimal(result.database, digits: 1),
            decimal(result.broker, digits: 1), decimal(result.reference, digits: 1),
            decimal(result.busy, digits: 2), decimal(result.foreign, digits: 2),
            decimal(result.firstVerdict, digits: 1), decimal(result.peakMiB, digits: 0),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// A row of Markdown.
    static func line(lanes: Int, batch: Int, _ result: LatencyResult) -> String {
        let cells = [
            "\(lanes)", "\(batch)", decimal(result.perSecond, digits: 0),
            decimal(result.p50, digits: 1), decimal(result.p95, digits: 1),
            decimal(result.p99, digits: 1),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// An object of JSON for each run.
    static func json(_ rows: [Row], _ latencies: [LatencyResult]) -> String {
        let backlogs = rows.map { row in
            let result = row.result
            return """
                {"lanes":\(row.lanes),"batch":\(row.batch),\
                "perSecond":\(decimal(result.perSecond, digits: 1)),\
                "ofTwoCores":\(decimal(result.ofTwoCores, digits: 4)),\
                "workerMicroseconds":\(decimal(result.worker, digits: 2)),\
                "databaseMicroseconds":\(decimal(result.database, digits: 2)),\
                "brokerMicroseconds":\(decimal(result.broker, digits: 2)),\
                "bareMicroseconds":\(decimal(result.reference, digits: 2)),\
                "coresBusy":\(decimal(result.busy, digits: 3)),\
                "coresOfOthers":\(decimal(result.foreign, digits: 3)),\
                "firstVerdictSeconds":\(decimal(result.firstVerdict, digits: 2)),\
                "peakMiB":\(decimal(result.peakMiB, digits: 1))}
                """
        }
        let waits = latencies.map { one in
            """
            {"perSecond":\(decimal(one.perSecond, digits: 1)),\
            "p50Milliseconds":\(decimal(one.p50, digits: 2)),\
            "p95Milliseconds":\(decimal(one.p95, digits: 2)),\
            "p99Milliseconds":\(decimal(one.p99, digits: 2))}
            """
        }
        return """
            {"backlog":[\(backlogs.joined(separator: ",\n"))],
            "latency":[\(waits.joined(separator: ",\n"))]}\n
            """
    }
}
