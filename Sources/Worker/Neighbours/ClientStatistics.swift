/// What a Kafka client tells of itself from time to time.
package struct ClientStatistics: Hashable, Sendable {
    /// A broker the client knows.
    package struct Broker: Hashable, Sendable {
        /// `host:port`.
        package var name: String
        /// Whether there is a connection that can be used.
        package var isUp: Bool
        /// Round trips of the last interval by percentile: `50`, `99`.
        package var roundTrips: [String: Duration]

        /// A broker from its parts.
        package init(name: String, isUp: Bool, roundTrips: [String: Duration] = [:]) {
            self.name = name
            self.isUp = isUp
            self.roundTrips = roundTrips
        }
    }

    /// A partition the client fetches.
    package struct Partition: Hashable, Sendable {
        /// The offset the next record will get; nil while unknown.
        package var highWatermark: Int64?
        /// Up to where can be read; nil while unknown.
        package var stableOffset: Int64?
        /// Records fetched ahead.
        package var queuedRecords: Int
        /// Their bytes.
        package var queuedBytes: Int

        /// A partition from its parts.
        package init(
            highWatermark: Int64?, stableOffset: Int64?, queuedRecords: Int = 0,
            queuedBytes: Int = 0
        ) {
            self.highWatermark = highWatermark
            self.stableOffset = stableOffset
            self.queuedRecords = queuedRecords
            self.queuedBytes = queuedBytes
        }
    }

    /// The brokers, those without a name or an address of their own left out.
    package var brokers: [Broker] = []
    /// Records to be sent or on the wire.
    package var queuedRecords = 0
    /// Their bytes.
    package var queuedBytes = 0
    /// How far a consumer is in joining its group, by librdkafka's words: `steady` is joined.
    package var joinState: String?
    /// How long ago the group last began to share partitions out.
    package var rebalanceAge: Duration?
    /// The partitions being fetched.
    package var partitions: [TopicPartition: Partition] = [:]

    /// Statistics of a client that knows nothing.
    package init() {}
}

/// Which of a lane's two Kafka clients is meant.
package enum KafkaClientRole: String, Hashable, Sendable, CaseIterable {
    /// The one that reads requests.
    case consumer
    /// The one that writes verdicts.
    case producer
}
