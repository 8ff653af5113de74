import KafkaTransport
import PostgresStore
import Worker

/// `attest-worker offsets show`.
enum OffsetsShow {
    /// Where one partition stands.
    struct Row: Encodable, Equatable {
        var topic: String
        var partition: Int32
        /// The first offset that can be read.
        var low: Int64
        /// The offset the next record will get.
        var high: Int64
        /// Kafka's side; nil where the group has committed nothing.
        var committed: Int64?
        /// The first offset that is not decided; nil where there is no progress row.
        var nextOffset: Int64?
        /// The first offset whose verdict is not known to be delivered.
        var publishedOffset: Int64?
        /// Records that are not committed.
        var lag: Int64
        /// What a worker will find when it claims the partition.
        var state: String

        init(_ partition: TopicPartition, _ log: LogPosition, _ progress: Progress?) {
            topic = partition.topic
            self.partition = partition.partition
            low = log.low
            high = log.high
            committed = log.committed
            nextOffset = progress?.nextOffset
            publishedOffset = progress?.publishedOffset
            lag = log.high - min(max(log.committed ?? log.low, log.low), log.high)
            state = progress.map { StartPosition(row: $0, log: log).name } ?? "new"
        }
    }

    static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(arguments, valued: ["--partition"], switches: ["--json"])
        let numbers = flags.partitions()
        return Tool.run("offsets show", flags, console) { (tool) throws(Fault) in
            let inspector = try tool.inspector()
            let partitions = try inspector.partitions(
                of: tool.settings.kafka.topics.requests, only: numbers)
            let rows = try rows(partitions, inspector, tool)
            guard !tool.isJSON else { return tool.printEach(rows) }
            return tool.print(table(rows))
        }
    }

    static func rows(
        _ partitions: [TopicPartition], _ inspector: TopicInspector, _ tool: Tool
    ) throws(Fault) -> [Row] {
        let logs = try inspector.positions(of: partitions)
        let store = tool.store()
        defer { store.close() }
        let progress = try store.readProgress(of: partitions)
        return partitions.sorted().compactMap { partition in
            logs[partition].map { Row(partition, $0, progress[partition]) }
        }
    }

    private static func table(_ rows: [Row]) -> [String] {
        var table = TextTable([
            ("topic", .left), ("partition", .right), ("low", .right), ("high", .right),
            ("committed", .right), ("next_offset", .right), ("published", .right), ("lag", .right),
            ("state", .left),
        ])
        func text(_ number: Int64?) -> String { number.map { String($0) } ?? "-" }
        for row in rows {
            table.add([
                row.topic, String(row.partition), text(row.low), text(row.high),
                text(row.committed), text(row.nextOffset), text(row.publishedOffset),
                text(row.lag), row.state,
            ])
        }
        return table.lines
    }
}

extension StartPosition {
    /// The word for it.
    var name: String {
        switch self {
        case .at: "ok"
        case .lostCommits: "lost_commits"
        case .newLog: "new_log"
        case .recordsExpired: "records_expired"
        case .unrecoverable: "unrecoverable"
        }
    }
}

extension Tool {
    /// Prints values as lines of JSON, in one write.
    func printEach(_ values: [some Encodable]) -> ExitCode {
        for value in values {
            let code = print(value)
            guard code == .success else { return code }
        }
        return .success
    }
}
