import AppAttest
import KafkaTransport
import Wire
import Worker

/// `attest-worker dead-letters list`.
enum DeadLettersList {
    /// How many are listed if nothing else is asked for.
    static let limit = 100
    static let limitMax = 1_000_000

    /// One dead letter, without a byte of it.
    struct Row: Encodable, Equatable {
        /// Where it lies.
        var partition: Int32
        var offset: Int64
        /// When it was set aside, as RFC 3339.
        var time: String?
        var errorStage: String?
        var errorCode: String?
        var errorMessage: String?
        var sourceTopic: String?
        var sourcePartition: Int32?
        var sourceOffset: Int64?
        /// When it was written there, as RFC 3339.
        var sourceTime: String?
        /// How often it was sent back.
        var redrives: Int
        /// The bytes of its key; nil where that is null.
        var keyBytes: Int?
        /// The bytes of its value; nil where that is null.
        var valueBytes: Int?
        /// How many headers it has, without those of the worker.
        var headers: Int

        init(_ letter: Record) {
            func time(_ milliseconds: Int64?) -> String? {
                milliseconds.map { Instant(milliseconds: $0).rfc3339 }
            }
            // Anybody may have written them.
            func safe(_ text: String?) -> String? { text.map { printable(String($0.prefix(200))) } }
            let note = DeadLetterNote(headers: letter.headers)
            partition = letter.place.partition
            offset = letter.place.offset
            self.time = time(letter.timestampMilliseconds)
            errorStage = safe(note.stage)
            errorCode = safe(note.code)
            errorMessage = safe(note.message)
            sourceTopic = safe(note.sourceTopic)
            sourcePartition = note.sourcePartition
            sourceOffset = note.sourceOffset
            sourceTime = time(note.sourceTimestamp)
            redrives = note.redrives
            keyBytes = letter.key?.count
            valueBytes = letter.value?.count
            headers = letter.headers.count { !DeadLetter.headerNames.contains($0.name) }
        }
    }

    static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: DeadLetterSelection.flags.union(["--limit"]), switches: ["--json"])
        let selection = DeadLetterSelection(&flags)
        let limit = flags.number("--limit", in: 1...limitMax) ?? limit
        return Tool.run("dead-letters list", flags, console) { (tool) throws(Fault) in
            let (rows, isWhole) = try rows(selection, limit: limit, tool)
            let code = tool.isJSON ? tool.printEach(rows) : tool.print(table(rows))
            if !isWhole {
                console.complain("there are more: --limit=N, or --from and --partition\n")
            }
            return code
        }
    }

    private static func rows(
        _ selection: DeadLetterSelection, limit: Int, _ tool: Tool
    ) throws(Fault) -> (rows: [Row], isWhole: Bool) {
        let reader = try selection.reader(try tool.inspector(), tool)
        var rows: [Row] = []
        while true {
            let records = try reader.next(recordsMax: 1000)
            guard !records.isEmpty else { return (rows, true) }
            for record in records
            where selection.matches(DeadLetterNote(headers: record.headers)) {
                guard rows.count < limit else { return (rows, false) }
                rows.append(Row(record))
            }
        }
    }

    private static func table(_ rows: [Row]) -> [String] {
        var table = TextTable([
            ("partition", .right), ("offset", .right), ("time", .left), ("error", .left),
            ("source", .left), ("redrives", .right), ("key B", .right), ("value B", .right),
        ])
        func text(_ number: (some BinaryInteger)?) -> String { number.map { "\($0)" } ?? "-" }
        for row in rows {
            let place = "[\(text(row.sourcePartition))] \(text(row.sourceOffset))"
            table.add([
                "\(row.partition)", "\(row.offset)", row.time ?? "-", row.errorCode ?? "-",
                "\(row.sourceTopic ?? "-") \(place)", "\(row.redrives)", text(row.keyBytes),
                text(row.valueBytes),
            ])
        }
        return table.lines
    }
}
