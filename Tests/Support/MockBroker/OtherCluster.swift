import CRdkafka
import Worker

/// A cluster that is there already: topics are made in it, and deleted when this value ends.
///
/// So the suites that know the mock cluster's program run against any broker. Faults can't be
/// injected here.
final class OtherCluster {
    let bootstrapServers: String
    private let client: OpaquePointer
    private let queue: OpaquePointer
    private var topics: [String] = []

    /// How long an answer about a topic may take.
    private static let waitMilliseconds: Int32 = 20_000

    /// Connects in the background.
    init(bootstrapServers: String) throws(Fault) {
        self.bootstrapServers = bootstrapServers
        let configuration = rd_kafka_conf_new()
        var text = [CChar](repeating: 0, count: 512)
        let isSet = rd_kafka_conf_set(
            configuration, "bootstrap.servers", bootstrapServers, &text, text.count)
        guard isSet == RD_KAFKA_CONF_OK,
            let client = rd_kafka_new(RD_KAFKA_PRODUCER, configuration, &text, text.count)
        else {
            let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
            throw usage("\(bootstrapServers): \(String(decoding: bytes, as: UTF8.self))")
        }
        self.client = client
        queue = rd_kafka_queue_new(client)
    }

    deinit {
        deleteTopics()
        rd_kafka_queue_destroy(queue)
        rd_kafka_destroy(client)
    }

    /// What the mock cluster does by itself: it keeps old records, as recorded objects are, and
    /// takes large ones.
    ///
    /// Not larger ones than the worker's producer sends, or the worker refuses to start.
    private static let topicSettings = [
        ("retention.ms", "-1"), ("max.message.bytes", String(3 << 20)),
    ]

    /// Obeys a command.
    ///
    /// | command                  | effect                                   |
    /// | ------------------------ | ---------------------------------------- |
    /// | `topic NAME:COUNT`       | creates a topic                          |
    /// | `partitions NAME:COUNT`  | lets it grow to so many partitions       |
    func obey(_ words: [String]) throws(Fault) {
        guard words.count == 2 else { throw usage("a command and a topic are needed") }
        switch words[0] {
        case "topic":
            let topic = try Arguments.topic(words[1])
            try createTopic(topic.name, partitions: topic.partitions)
        case "partitions":
            let topic = try Arguments.topic(words[1])
            try growTopic(topic.name, to: topic.partitions)
        default: throw usage("no such command for this cluster: \(words[0])")
        }
    }

    /// Creates a topic with one replica, and waits until it is there.
    func createTopic(_ name: String, partitions: Int) throws(Fault) {
        var text = [CChar](repeating: 0, count: 512)
        var topic = rd_kafka_NewTopic_new(name, Int32(clamping: partitions), 1, &text, text.count)
        guard topic != nil else { throw usage("\(name) is no topic") }
        defer { rd_kafka_NewTopic_destroy(topic) }
        for (name, value) in Self.topicSettings {
            rd_kafka_NewTopic_set_config(topic, name, value)
        }
        rd_kafka_CreateTopics(client, &topic, 1, nil, queue)
        try awaitAnswer(name) { event, count in
            rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count)
        }
        topics.append(name)
    }

    /// Adds partitions to a topic, and waits until they are there.
    private func growTopic(_ name: String, to partitions: Int) throws(Fault) {
        var text = [CChar](repeating: 0, count: 512)
        var wish = rd_kafka_NewPartitions_new(name, partitions, &text, text.count)
        guard wish != nil else { throw usage("\(name) can't have \(partitions) partitions") }
        defer { rd_kafka_NewPartitions_destroy(wish) }
        rd_kafka_CreatePartitions(client, &wish, 1, nil, queue)
        try awaitAnswer(name) { event, count in
            rd_kafka_CreatePartitions_result_topics(
                rd_kafka_event_CreatePartitions_result(event), &count)
        }
    }

    private typealias TopicResults = UnsafeMutablePointer<OpaquePointer?>

    /// Waits for the answer to a request about one topic.
    private func awaitAnswer(
        _ name: String, results: (OpaquePointer, inout Int) -> TopicResults?
    ) throws(Fault) {
        guard let event = rd_kafka_queue_poll(queue, Self.waitMilliseconds) else {
            throw usage("\(bootstrapServers) does not answer on \(name)")
        }
        defer { rd_kafka_event_destroy(event) }
        var count = 0
        let results = results(event, &count)
        let code =
            count == 1
            ? rd_kafka_topic_result_error(results?[0]) : rd_kafka_event_error(event)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw usage("\(name): \(String(cString: rd_kafka_err2str(code)))")
        }
    }

    /// Deletes the topics of this run; what can't be deleted is left to whoever owns the cluster.
    private func deleteTopics() {
        var doomed = topics.map { rd_kafka_DeleteTopic_new($0) }
        guard !doomed.isEmpty else { return }
        rd_kafka_DeleteTopics(client, &doomed, doomed.count, nil, queue)
        if let event = rd_kafka_queue_poll(queue, Self.waitMilliseconds) {
            rd_kafka_event_destroy(event)
        }
        for topic in doomed { rd_kafka_DeleteTopic_destroy(topic) }
    }
}
