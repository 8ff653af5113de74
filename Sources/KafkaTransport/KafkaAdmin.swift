internal import CRdkafka
package import Worker

/// What can be learned of a cluster without joining a group or producing: for start-up checks.
///
/// Used by one thread.
package final class KafkaAdmin {
    private let client: KafkaClient

    /// Connects in the background.
    ///
    /// - Parameters:
    ///   - settings: valid ones, or the fault names what is wrong.
    ///   - log: takes librdkafka's lines, on the thread that asks.
    /// - Throws: `.stop(.config)`.
    package init(settings: KafkaSettings, log: @escaping KafkaLog) throws(Fault) {
        try settings.check()
        let configuration = try settings.configuration(for: .administrator)
        configuration.enableEvents(RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG)
        client = try KafkaClient(
            RD_KAFKA_PRODUCER, configuration: configuration, tokens: settings.tokenSource, log: log)
    }

    /// The brokers of the cluster, which is reached by asking.
    ///
    /// - Throws: `.retry` when none answers in time; `.stop(.noPermission)` when we are refused.
    package func brokers(wait: Duration) throws(Fault) -> [BrokerAddress] {
        do throws(Fault) {
            return try client.brokers(wait: wait)
        } catch {
            throw client.reason(of: error)
        }
    }

    /// Whether a topic is there.
    ///
    /// - Throws: `.retry` when no broker answers in time.
    package func topic(_ name: String, wait: Duration) throws(Fault) -> TopicState {
        try client.topicState(name, wait: wait)
    }

    /// How topics are configured, as far as the broker tells.
    ///
    /// - Returns: an answer for each topic asked for.
    package func configurations(of topics: [String], wait: Duration) -> [String: Configuration] {
        client.topicConfigurations(of: topics, wait: wait)
    }

    /// How a broker is configured, as far as it tells.
    package func configuration(of broker: BrokerAddress, wait: Duration) -> Configuration {
        client.configuration(of: RD_KAFKA_RESOURCE_BROKER, String(broker.id), wait: wait)
    }
}

/// A broker as the cluster tells it.
package struct BrokerAddress: Hashable, Sendable {
    /// The broker's id.
    package let id: Int32
    /// Host and port: `host:port`.
    package let address: String
}

/// Whether a topic is there.
package enum TopicState: Hashable, Sendable {
    /// It is, with so many partitions.
    case found(partitions: Int)
    /// The cluster does not know it.
    case missing
    /// We may not look at it.
    case notPermitted
    /// The cluster answers with an error about it.
    case failed(code: String)
}
