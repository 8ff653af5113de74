import Wire

/// Dead letters on their way back to where they came from.
package struct Redrive: Sendable {
    /// What becomes of one.
    package enum Step: Hashable, Sendable {
        /// It goes back: the record, its partition (nil: its key decides), its timestamp.
        case send(OutgoingRecord, partition: Int32?, timestampMilliseconds: Int64?)
        /// It stays, for this reason.
        case skip(Reason)
    }

    /// Why a dead letter stays where it is.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Its headers name no source.
        case noSource = "no_source"
        /// Its source is no request topic of the settings.
        case foreignTopic = "foreign_topic"
        /// It was sent back as often as is allowed.
        case tooOften = "too_often"
    }

    /// How often one record is sent back, unless more is asked for.
    package static let redrivesMax = 3

    /// The partitions of each request topic.
    private let partitionCounts: [String: Int]
    private let redrivesMax: Int

    /// A redrive to these topics.
    ///
    /// - Parameters:
    ///   - partitionCounts: the partitions of each request topic; to no other is anything sent.
    ///   - redrivesMax: how often one record is sent back.
    package init(partitionCounts: [String: Int], redrivesMax: Int) {
        self.partitionCounts = partitionCounts
        self.redrivesMax = redrivesMax
    }

    /// What becomes of a dead letter.
    ///
    /// Key, value and headers go back byte for byte, but for the worker's own headers; a header
    /// counts how often. The timestamp goes back too: a request is judged at the time it was made.
    /// So does the partition, as long as there is one of its number: that is where the gateway's
    /// partitioner put it.
    package func step(for letter: Record) -> Step {
        let note = DeadLetterNote(headers: letter.headers)
        guard let topic = note.sourceTopic else { return .skip(.noSource) }
        guard let count = partitionCounts[topic] else { return .skip(.foreignTopic) }
        guard note.redrives < redrivesMax else { return .skip(.tooOften) }
        return .send(
            OutgoingRecord(
                topic: topic, key: letter.key, value: letter.value,
                headers: DeadLetterNote.restored(letter.headers)),
            partition: note.sourcePartition.flatMap { Int($0) < count ? $0 : nil },
            timestampMilliseconds: note.sourceTimestamp)
    }
}
