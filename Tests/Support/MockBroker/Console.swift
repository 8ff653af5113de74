import KafkaTransport
import Worker

/// The commands of a mock broker, one a line.
///
/// | command                     | effect                                                   |
/// | --------------------------- | -------------------------------------------------------- |
/// | `topic NAME:PARTITIONS`     | creates a topic                                          |
/// | `errors REQUEST ERROR N`    | the next N requests of this kind fail with this error    |
/// | `clear REQUEST`             | forgets errors that were not used                        |
/// | `topic-error NAME ERROR`    | metadata of the topic carries this error (`NO_ERROR` ends it) |
/// | `down`, `up`                | cuts and refuses connections; accepts them again         |
/// | `rtt MILLISECONDS`          | delays every answer                                      |
/// | `coordinator GROUP BROKER`  | moves a group's coordinator                              |
/// | `leader TOPIC PARTITION BROKER` | moves a partition's leader; `none` takes it away     |
struct Console {
    let broker: EmbeddedBroker

    /// Obeys a line.
    ///
    /// - Returns: `ok`, or `error` and the reason.
    func obey(_ line: String) -> String {
        do throws(Fault) {
            try run(line.split(separator: " ").map(String.init))
            return "ok"
        } catch {
            return "error \(error)"
        }
    }

    private func run(_ words: [String]) throws(Fault) {
        switch (words.first, words.dropFirst().map(\.self)) {
        case ("topic", let rest) where rest.count == 1:
            let topic = try Arguments.topic(rest[0])
            try broker.createTopic(topic.name, partitions: topic.partitions)
        case ("errors", let rest) where rest.count == 3:
            let count = try number(rest[2])
            broker.pushErrors(
                Array(repeating: try error(rest[1]), count: count), to: try request(rest[0]))
        case ("clear", let rest) where rest.count == 1:
            broker.clearErrors(of: try request(rest[0]))
        case ("topic-error", let rest) where rest.count == 2:
            broker.setError(try error(rest[1]), ofTopic: rest[0])
        case ("down", []):
            try broker.goDown()
        case ("up", []):
            try broker.comeUp()
        case ("rtt", let rest) where rest.count == 1:
            try broker.setRoundTrip(.milliseconds(try number(rest[0])))
        case ("coordinator", let rest) where rest.count == 2:
            try broker.setCoordinator(ofGroup: rest[0], broker: try number(rest[1]))
        case ("leader", let rest) where rest.count == 3:
            let partition = TopicPartition(
                topic: rest[0], partition: Int32(clamping: try number(rest[1])))
            try broker.setLeader(
                of: partition, broker: rest[2] == "none" ? nil : try number(rest[2]))
        default:
            throw usage("no such command")
        }
    }

    private func number(_ text: String) throws(Fault) -> Int {
        guard let number = Int(text), number >= 0 else { throw usage("\(text) is no number") }
        return number
    }

    private func error(_ name: String) throws(Fault) -> Int32 {
        guard let code = KafkaErrorName.code(of: name) else {
            throw usage("\(name) is no error of librdkafka")
        }
        return code
    }

    private func request(_ name: String) throws(Fault) -> KafkaRequest {
        guard let request = KafkaRequest(name: name) else {
            throw usage("\(name) is no request that can fail here")
        }
        return request
    }
}
