/// What a dead letter's headers tell of it: whence it came, and why it was set aside.
///
/// Headers are written by the worker, but anybody may write to a topic: nothing of them is trusted
/// to be short, printable or true.
package struct DeadLetterNote: Hashable, Sendable {
    /// The topic it came from.
    package let sourceTopic: String?
    /// The partition it came from.
    package let sourcePartition: Int32?
    /// Its offset there.
    package let sourceOffset: Int64?
    /// Its timestamp there, in milliseconds since 1970.
    package let sourceTimestamp: Int64?
    /// What was being done.
    package let stage: String?
    /// Why, as a stable code.
    package let code: String?
    /// Why, as a sentence.
    package let message: String?
    /// How often it was sent back to its source.
    package let redrives: Int

    /// The header that counts how often a record was sent back: text, a whole number.
    package static let redrivesHeader = "attest-redrives"

    /// Reads the headers of a dead letter.
    package init(headers: [Header]) {
        func text(_ name: String) -> String? { headers.onlyText(named: name) }
        sourceTopic = text("source_topic")
        let partition = text("source_partition").flatMap { Int32($0) }
        sourcePartition = partition.flatMap { $0 < 0 ? nil : $0 }
        sourceOffset = text("source_offset").flatMap { Int64($0) }
        sourceTimestamp = text("source_timestamp").flatMap { Int64($0) }
        stage = text("error_stage")
        code = text("error_code")
        message = text("error_message")
        // One that can't be read must not lift the limit on how often.
        let isCounted = headers.contains { $0.name == Self.redrivesHeader }
        let count = text(Self.redrivesHeader).flatMap { Int($0) } ?? .max
        redrives = isCounted ? (count < 0 ? .max : count) : 0
    }

    /// The record's headers as they were before it was set aside, and the count of its returns.
    ///
    /// - Parameter headers: the dead letter's.
    /// - Returns: the headers to send it back with.
    package static func restored(_ headers: [Header]) -> [Header] {
        let redrives = DeadLetterNote(headers: headers).redrives
        let count = redrives == .max ? redrives : redrives + 1
        return headers.filter {
            !DeadLetter.headerNames.contains($0.name) && $0.name != redrivesHeader
        } + [Header(name: redrivesHeader, text: String(count))]
    }
}
