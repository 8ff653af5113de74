package import KafkaTransport

extension KafkaSettings {
    /// Settings of a writer that puts a test's requests on their topic, in the order of writing
    /// whatever goes wrong on the way.
    ///
    /// One request at a time on each connection. Of two, a mock broker may refuse the first, store
    /// the second, and later store both: it does not look at an idempotent producer's sequence
    /// numbers, by which Kafka would refuse the second. A lower sign count behind a higher one is
    /// then rejected by right, but it is not what was planned.
    ///
    /// - Parameters:
    ///   - bootstrapServers: where.
    ///   - topics: what is written to.
    /// - Returns: the settings.
    package static func ofGateway(bootstrapServers: String, topics: [String]) -> KafkaSettings {
        var settings = KafkaSettings(
            bootstrapServers: bootstrapServers, groupID: "gateway", requestTopics: topics)
        settings.properties["max.in.flight"] = "1"
        return settings
    }
}
