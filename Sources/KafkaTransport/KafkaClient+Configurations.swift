internal import CRdkafka
internal import Worker

extension KafkaClient {
    /// How topics are configured, as far as the broker tells: an answer for each topic.
    func topicConfigurations(of topics: [String], wait: Duration) -> [String: Configuration] {
        var configurations: [String: Configuration] = [:]
        let deadline = Deadline(after: wait)
        for topic in topics {
            configurations[topic] = configuration(
                of: RD_KAFKA_RESOURCE_TOPIC, topic, wait: deadline.remaining)
        }
        return configurations
    }

    /// Asks for one resource, so that a refusal for one doesn't hide the others.
    func configuration(
        of type: rd_kafka_ResourceType_t, _ resourceName: String, wait: Duration
    ) -> Configuration {
        var resource = rd_kafka_ConfigResource_new(type, resourceName)
        defer { rd_kafka_ConfigResource_destroy(resource) }
        let options = rd_kafka_AdminOptions_new(handle, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS)
        defer { rd_kafka_AdminOptions_destroy(options) }
        // The answer's own limit, so that a late one can't be taken for the next one's.
        let queue = rd_kafka_queue_new(handle)
        defer { rd_kafka_queue_destroy(queue) }
        guard resource != nil, let options, let queue else {
            return .notAnswered(code: "invalid_request")
        }
        let milliseconds = max(1, wait.millisecondsForC)
        rd_kafka_AdminOptions_set_request_timeout(options, milliseconds, nil, 0)
        rd_kafka_DescribeConfigs(handle, &resource, 1, options, queue)
        guard let event = KafkaEvent(from: queue, wait: .milliseconds(Int64(milliseconds) + 500))
        else { return .notAnswered(code: name(of: RD_KAFKA_RESP_ERR__TIMED_OUT)) }
        guard event.code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .notAnswered(code: name(of: event.code))
        }
        return event.describedConfiguration()
    }

    private func name(of code: rd_kafka_resp_err_t) -> String {
        String(cString: rd_kafka_err2name(code))
    }
}
