import KafkaTransport
import Wire
import Worker

/// `attest-worker dead-letters show`.
enum DeadLettersShow {
    /// A header of the dead letter.
    struct ShownHeader: Encodable, Equatable {
        var name: String
        /// How many bytes its value has; nil where that is null.
        var bytes: Int?
        /// Its value in base64, if that is asked for.
        var base64: String?
    }

    /// All about one.
    struct Shown: Encodable, Equatable {
        var letter: DeadLettersList.Row
        var headers: [ShownHeader]
        /// The key in base64, if that is asked for.
        var key: String?
        /// The value in base64, if that is asked for.
        var value: String?

        init(_ record: Record, withPayload isWhole: Bool) {
            letter = DeadLettersList.Row(record)
            headers = record.headers.map { header in
                // The worker's own hold nothing of the record.
                let isShown = isWhole || DeadLetter.headerNames.contains(header.name)
                return ShownHeader(
                    name: printable(header.name), bytes: header.value?.count,
                    base64: isShown ? header.value.map(Base64.encode) : nil)
            }
            key = isWhole ? record.key.map(Base64.encode) : nil
            value = isWhole ? record.value.map(Base64.encode) : nil
        }

        /// For a person.
        var lines: [String] {
            func text(_ number: (some BinaryInteger)?) -> String {
                number.map { "\($0)" } ?? "null"
            }
            var lines = [
                "lies at      [\(letter.partition)] \(letter.offset), since \(letter.time ?? "-")",
                "comes from   \(letter.sourceTopic ?? "-") [\(text(letter.sourcePartition))]"
                    + " \(text(letter.sourceOffset)), written \(letter.sourceTime ?? "-")",
                "error        \(letter.errorCode ?? "-") (\(letter.errorStage ?? "-")):"
                    + " \(letter.errorMessage ?? "-")",
                "sent back    \(letter.redrives) times",
                "key          \(text(letter.keyBytes)) bytes\(key.map { ": \($0)" } ?? "")",
                "value        \(text(letter.valueBytes)) bytes\(value.map { ": \($0)" } ?? "")",
            ]
            for header in headers {
                lines.append(
                    "header       \(header.name), \(text(header.bytes)) bytes"
                        + (header.base64.map { ": \($0)" } ?? ""))
            }
            return lines
        }
    }

    static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        let place = arguments.first.flatMap { Place($0) }
        var flags = CommandFlags(
            place == nil ? arguments : Array(arguments.dropFirst()), valued: [],
            switches: ["--payload", "--json"])
        if place == nil { flags.note("say which one first: PARTITION:OFFSET, such as 0:17") }
        return Tool.run("dead-letters show", flags, console) { (tool) throws(Fault) in
            guard let place, let record = try record(at: place, tool) else {
                console.complain("attest-worker dead-letters show: there is nothing there\n")
                return .negative
            }
            let shown = Shown(record, withPayload: tool.flags.switches.contains("--payload"))
            return tool.isJSON ? tool.print(shown) : tool.print(shown.lines)
        }
    }

    private static func record(at place: Place, _ tool: Tool) throws(Fault) -> Record? {
        let inspector = try tool.inspector()
        let partitions = try inspector.partitions(
            of: [tool.settings.kafka.topics.deadLetters], only: [place.partition])
        let stretches = try inspector.stretches(
            of: partitions, from: .offset(place.offset), to: .offset(place.offset + 1))
        let reader = try StretchReader(stretches, settings: tool.kafka, log: tool.clientLog)
        return try reader.next(recordsMax: 1).first { $0.place.offset == place.offset }
    }

    /// `PARTITION:OFFSET`.
    private struct Place {
        let partition: Int32
        let offset: Int64

        init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]),
                partition >= 0, (0..<Int64.max).contains(offset)
            else { return nil }
            self.partition = partition
            self.offset = offset
        }
    }
}
