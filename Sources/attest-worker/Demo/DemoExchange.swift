import AppAttest
import KafkaTransport
import Worker

extension Exchange {
    /// With more under way, a figure for latency would only tell how long the queue is.
    static let demoLimits = Limits(unansweredMax: 256, unansweredBytesMax: 1_048_576)
    /// The lanes join the group first; that takes the embedded broker 3 s.
    static let firstAnswerMax: Duration = .seconds(60)

    /// The exchange of a demo: whatever is on the topics is its own.
    ///
    /// - Parameters:
    ///   - settings: where the topics are.
    ///   - log: takes the lines of the Kafka client.
    ///   - wall: the wall clock, for the records' timestamps.
    /// - Throws: when a topic can't be reached.
    init(
        demoWith settings: Settings.Kafka, log: Log, wall: @escaping () -> Instant
    ) throws(Fault) {
        let kafka = KafkaSettings(settings)
        let client: KafkaLog = { log.write($0) }
        let ends = Ends(
            topic: settings.topics.requests.first ?? "",
            writer: try TopicWriter(settings: kafka, log: client),
            verdicts: try TopicReader(
                topic: settings.topics.verdicts, settings: kafka, log: client),
            deadLetters: try TopicReader(
                topic: settings.topics.deadLetters, settings: kafka, log: client))
        self.init(ends, tally: Tally(), limits: Self.demoLimits, wall: wall)
    }
}
