import AppAttest
import KafkaTransport
import PostgresStore
import Worker

/// `attest-worker offsets reset`.
enum OffsetsReset {
    /// Where the group is moved to.
    enum Target: Hashable {
        case earliest
        case latest
        case bound(LogBound)
    }

    /// How one partition is moved.
    struct Move: Encodable, Equatable {
        var topic: String
        var partition: Int32
        /// Kafka's committed offset before.
        var committed: Int64?
        /// The first offset that was not decided before.
        var nextOffset: Int64?
        /// The offset of the first record to be read now.
        var target: Int64
        /// Decided records that will be answered once more.
        var again: Int64
        /// Undecided records that will never be decided.
        var jumpedOver: Int64
        /// Whether it is only told.
        var dryRun: Bool

        init(_ row: OffsetsShow.Row, to offset: Int64, dryRun: Bool) {
            topic = row.topic
            partition = row.partition
            committed = row.committed
            nextOffset = row.nextOffset
            target = offset
            let decided = row.nextOffset ?? row.committed ?? row.low
            again = max(0, min(decided, row.high) - offset)
            jumpedOver = max(0, offset - max(decided, row.low))
            self.dryRun = dryRun
        }
    }

    static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: ["--to-offset", "--to-time", "--topic", "--partition"],
            switches: ["--to-earliest", "--to-latest", "--while-stopped", "--dry-run", "--json"])
        let target = target(&flags)
        let numbers = flags.partitions()
        return Tool.run("offsets reset", flags, console) { (tool) throws(Fault) in
            guard let target else { return .usage }
            let inspector = try tool.inspector()
            if !tool.isDryRun { try requireNoMembers(inspector, tool) }
            let partitions = try inspector.partitions(of: try topics(tool), only: numbers)
            let offsets = try offsets(of: partitions, at: target, inspector)
            let rows = try OffsetsShow.rows(partitions, inspector, tool)
            let moves = rows.compactMap { row in
                offsets[TopicPartition(topic: row.topic, partition: row.partition)].map {
                    Move(row, to: $0, dryRun: tool.isDryRun)
                }
            }
            if !tool.isDryRun { try move(offsets, inspector, tool) }
            return tool.isJSON ? tool.printEach(moves) : tool.print(lines(moves, tool))
        }
    }

    private static func target(_ flags: inout CommandFlags) -> Target? {
        let offset = flags.number("--to-offset", in: 0...Int64.max)
        let time = flags.value("--to-time", mustBe: "a time such as 2026-01-31T12:00:00Z") {
            Instant(rfc3339: $0)
        }
        var targets: [Target] = []
        if flags.switches.contains("--to-earliest") { targets.append(.earliest) }
        if flags.switches.contains("--to-latest") { targets.append(.latest) }
        if let offset { targets.append(.bound(.offset(offset))) }
        if let time { targets.append(.bound(.time(time))) }
        if targets.count != 1, flags.problems.isEmpty {
            flags.note("one of --to-earliest, --to-latest, --to-offset and --to-time is needed")
        }
        return targets.first
    }

    private static func topics(_ tool: Tool) throws(Fault) -> [String] {
        let topics = tool.settings.kafka.topics.requests
        guard let topic = tool.flags.values["--topic"] else { return topics }
        guard topics.contains(topic) else {
            throw Fault(
                operation: "look for topics", code: "no_request_topic",
                disposition: .stop(.usage),
                message: "--topic must be one of kafka.topics.requests: "
                    + topics.joined(separator: ", "))
        }
        return [topic]
    }

    private static func offsets(
        of partitions: [TopicPartition], at target: Target, _ inspector: TopicInspector
    ) throws(Fault) -> [TopicPartition: Int64] {
        switch target {
        case .earliest:
            try inspector.stretches(of: partitions, from: nil, to: nil)
                .mapValues(\.lowerBound)
        case .latest:
            try inspector.stretches(of: partitions, from: nil, to: nil)
                .mapValues(\.upperBound)
        case .bound(let bound):
            try inspector.stretches(of: partitions, from: bound, to: nil)
                .mapValues(\.lowerBound)
        }
    }

    private static func requireNoMembers(
        _ inspector: TopicInspector, _ tool: Tool
    ) throws(Fault) {
        func refusal(_ message: String) -> Fault {
            Fault(
                operation: "move the group \(tool.settings.kafka.groupID)", code: "group_active",
                disposition: .stop(.fenced), message: message)
        }
        switch inspector.groupState() {
        case .members(0): return
        case .members(let count):
            throw refusal("it has \(count) members: stop all workers of the group first")
        case .notAnswered(let code):
            guard !tool.flags.switches.contains("--while-stopped") else { return }
            throw refusal(
                "the brokers don't tell whether it has members (\(code)): stop all workers of the"
                    + " group, and add --while-stopped")
        }
    }

    /// Moves both sides, Kafka's first.
    ///
    /// Should the group have members after all, Kafka refuses, and nothing is changed. Between the
    /// two, a worker would start at the lower one, and lose nothing.
    private static func move(
        _ offsets: [TopicPartition: Int64], _ inspector: TopicInspector, _ tool: Tool
    ) throws(Fault) {
        try inspector.commit(offsets)
        let store = tool.store()
        defer { store.close() }
        _ = try store.place(offsets)
    }

    private static func lines(_ moves: [Move], _ tool: Tool) -> [String] {
        let verb = tool.isDryRun ? "would be moved" : "moved"
        var lines = moves.map { move in
            let before = move.committed.map { String($0) } ?? "nothing committed"
            return "\(move.topic) [\(move.partition)] \(verb) from \(before) to \(move.target): "
                + "\(move.again) decided again to be answered, \(move.jumpedOver) jumped over"
        }
        let days = PostgresSettings(tool.settings, owner: "").inboxRetentionDays
        if moves.contains(where: { $0.again > 0 }) {
            lines.append(
                "Requests that were decided more than \(days) days ago get `stale_request`.")
        }
        if moves.contains(where: { $0.jumpedOver > 0 }) {
            lines.append("Requests that are jumped over never get a verdict.")
        }
        return lines
    }
}
