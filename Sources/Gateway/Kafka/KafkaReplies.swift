package import KafkaTransport
package import Worker

/// The gateway's own partition of the reply topic, read from its present end, without a group.
///
/// What came before the start nobody here waits for; what comes while the broker is away is read
/// when it is back.
package struct KafkaReplies: Sendable {
    /// The most records taken at once.
    private static let recordsMax = 500
    /// How long one look for records takes, and so how late a stop is seen.
    private static let wait: Duration = .milliseconds(200)
    /// How long finding the topic may take before it is tried anew.
    private static let patience: Duration = .seconds(5)

    private let settings: KafkaSettings
    private let topic: String
    private let partition: Int32
    private let observer: GatewayObserver
    private let log: Log
    private let kafkaLog: KafkaLog

    /// A reader that has not begun.
    ///
    /// - Parameters:
    ///   - settings: how to reach the cluster.
    ///   - topic: the reply topic.
    ///   - partition: this instance's.
    ///   - observer: is told of the client, and whether the partition is read.
    ///   - log: where it tells what it does.
    ///   - kafkaLog: takes librdkafka's lines, on the calling thread of ``run``.
    package init(
        settings: KafkaSettings, topic: String, partition: Int32, observer: GatewayObserver,
        log: Log, kafkaLog: @escaping KafkaLog
    ) {
        self.settings = settings
        self.topic = topic
        self.partition = partition
        self.observer = observer
        self.log = log
        self.kafkaLog = kafkaLog
    }

    /// Reads until asked to stop, on the calling thread.
    ///
    /// A fault ends the reader, not the gateway: callers are told 503, and it is tried again.
    ///
    /// - Parameters:
    ///   - stop: asks it to end.
    ///   - service: takes the replies.
    ///   - pause: waits between two tries.
    package func run(
        until stop: StopSignal, _ service: GatewayService, pause: () -> Void
    ) {
        while !stop.isRequested {
            do throws(Fault) {
                let reader = try TopicReader(
                    topic: topic, partition: partition, from: .end, settings: settings,
                    patience: Self.patience, log: kafkaLog
                ) { [observer] in
                    observer.told($0, by: .consumer)
                }
                observer.reads(nil)
                log(
                    .info, "replies_read", "verdicts come back on this partition",
                    ["topic": LogValue(topic), "partition": LogValue(partition)])
                while !stop.isRequested {
                    for record in try reader.read(recordsMax: Self.recordsMax, wait: Self.wait) {
                        service.received(record.value, record.headers)
                    }
                }
            } catch {
                observer.reads(error)
                log(
                    .warning, "replies_unread", error.description,
                    ["error_code": LogValue(error.code)])
                pause()
            }
        }
    }
}
