internal import CRdkafka
package import Worker

/// A Kafka cluster inside this process: librdkafka's mock brokers on loopback ports.
///
/// For the demo and for tests, also of other processes, as they are reached over TCP. It keeps
/// records in memory, about 5 MiB a partition, and drops older ones without a word; each join of a
/// group waits 3 s, and the session timeout of members must exceed that. It knows no transactions,
/// no configurations of topics and no rights: it is not Kafka.
package final class EmbeddedBroker {
    /// `host:port` of each broker, separated by commas.
    package let bootstrapServers: String
    private let brokerCount: Int32
    private let client: OpaquePointer
    private let cluster: OpaquePointer

    /// Starts the brokers.
    ///
    /// - Throws: `.stop(.unavailable)` when librdkafka can't make a cluster.
    package init(brokerCount: Int = 1) throws(Fault) {
        let configuration = ClientConfiguration()
        // The cluster's host says nothing of use, and must not write to standard error.
        configuration.silence()
        let raw = configuration.release()
        var text = [CChar](repeating: 0, count: KafkaError.textBytesMax)
        guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, raw, &text, text.count) else {
            rd_kafka_conf_destroy(raw)
            throw EmbeddedBroker.fault("start", text: string(fromC: text))
        }
        guard let cluster = rd_kafka_mock_cluster_new(client, Int32(clamping: brokerCount)),
            let servers = rd_kafka_mock_cluster_bootstraps(cluster)
        else {
            rd_kafka_destroy(client)
            throw EmbeddedBroker.fault("start", text: "no mock cluster could be made")
        }
        self.client = client
        self.cluster = cluster
        self.brokerCount = Int32(clamping: brokerCount)
        bootstrapServers = String(cString: servers)
        answerAtOnce()
    }

    private func answerAtOnce() {
        let ports = bootstrapServers.split(separator: ",").compactMap { server in
            server.split(separator: ":").last.flatMap { UInt16($0) }
        }
        ListeningSockets.answerAtOnce(onPorts: Set(ports))
    }

    deinit {
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(client)
    }

    private static func fault(_ what: String, text: String) -> Fault {
        Fault(
            operation: "\(what) the embedded broker", code: "embedded_broker",
            disposition: .stop(.unavailable), message: text)
    }

    private func check(_ code: rd_kafka_resp_err_t, _ what: String) throws(Fault) {
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        throw EmbeddedBroker.fault(what, text: String(cString: rd_kafka_err2str(code)))
    }

    /// Creates a topic, replicated to one broker.
    ///
    /// - Throws: `.stop(.unavailable)` when it exists already.
    package func createTopic(_ name: String, partitions: Int) throws(Fault) {
        try check(
            rd_kafka_mock_topic_create(cluster, name, Int32(clamping: partitions), 1),
            "create topic \(name) on")
    }

    /// Makes the next requests of a kind fail, one error each.
    ///
    /// - Parameters:
    ///   - errors: codes of the Kafka protocol; 0 lets a request pass, and -195 (`_TRANSPORT`) cuts
    ///     the connection.
    ///   - request: the kind.
    package func pushErrors(_ errors: [Int32], to request: KafkaRequest) {
        let codes = errors.map { rd_kafka_resp_err_t(rawValue: $0) }
        rd_kafka_mock_push_request_errors_array(cluster, request.rawValue, codes.count, codes)
    }

    /// Forgets errors that were pushed and not used.
    package func clearErrors(of request: KafkaRequest) {
        rd_kafka_mock_clear_request_errors(cluster, request.rawValue)
    }

    /// Makes metadata of a topic carry an error, or none again (0).
    package func setError(_ error: Int32, ofTopic name: String) {
        rd_kafka_mock_topic_set_error(cluster, name, rd_kafka_resp_err_t(rawValue: error))
    }

    /// Cuts all connections and refuses new ones.
    package func goDown() throws(Fault) {
        for id in ids { try check(rd_kafka_mock_broker_set_down(cluster, id), "take down") }
    }

    /// Accepts connections again.
    package func comeUp() throws(Fault) {
        for id in ids { try check(rd_kafka_mock_broker_set_up(cluster, id), "bring up") }
        answerAtOnce()
    }

    /// Delays every answer.
    package func setRoundTrip(_ delay: Duration) throws(Fault) {
        for id in ids {
            try check(
                rd_kafka_mock_broker_set_rtt(cluster, id, delay.millisecondsForC), "slow down")
        }
    }

    /// Makes a broker the coordinator of a group; brokers are numbered from 1.
    package func setCoordinator(ofGroup group: String, broker: Int) throws(Fault) {
        try check(
            rd_kafka_mock_coordinator_set(cluster, "group", group, Int32(clamping: broker)),
            "move a coordinator of")
    }

    /// Makes a broker the leader of a partition; brokers are numbered from 1.
    package func setLeader(of partition: TopicPartition, broker: Int?) throws(Fault) {
        try check(
            rd_kafka_mock_partition_set_leader(
                cluster, partition.topic, partition.partition, Int32(clamping: broker ?? -1)),
            "move a leader of")
    }

    private var ids: ClosedRange<Int32> {
        1...max(1, brokerCount)
    }
}

/// Kinds of requests in which an embedded broker can be made to fail.
///
/// The raw value is the protocol's API key; the case's name is the protocol's name of the request.
package enum KafkaRequest: Int16, Hashable, Sendable, CaseIterable {
    case produce = 0
    case fetch = 1
    case listOffsets = 2
    case metadata = 3
    case offsetCommit = 8
    case offsetFetch = 9
    case findCoordinator = 10
    case joinGroup = 11
    case heartbeat = 12
    case leaveGroup = 13
    case syncGroup = 14
    case initProducerID = 22

    /// The request whose name this is, as in the protocol's documentation: "Produce", "JoinGroup".
    package init?(name: String) {
        let found = KafkaRequest.allCases.first {
            "\($0)".lowercased() == name.lowercased()
        }
        guard let found else { return nil }
        self = found
    }
}

/// The names of the protocol's and librdkafka's errors.
package enum KafkaErrorName {
    /// The code of an error by its name, as in "NOT_COORDINATOR" or "_TRANSPORT".
    package static func code(of name: String) -> Int32? {
        var start: UnsafePointer<rd_kafka_err_desc>?
        var count = 0
        rd_kafka_get_err_descs(&start, &count)
        return UnsafeBufferPointer(start: start, count: count).first {
            $0.name.map { String(cString: $0) } == name
        }?.code.rawValue
    }
}
