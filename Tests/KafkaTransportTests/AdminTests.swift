import Testing
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct AdminTests {
        @Test func `brokers and topics are told`() throws {
            let bench = try Bench(partitions: 3)
            let admin = try KafkaAdmin(settings: bench.settings) { _ in }
            let brokers = try admin.brokers(wait: .seconds(5))
            #expect(brokers.map(\.address) == [bench.broker.bootstrapServers])
            #expect(try admin.topic(bench.topic, wait: .seconds(5)) == .found(partitions: 3))
        }

        @Test(arguments: [
            ("UNKNOWN_TOPIC_OR_PART", TopicState.missing),
            ("TOPIC_AUTHORIZATION_FAILED", .notPermitted),
            ("TOPIC_EXCEPTION", .failed(code: "TOPIC_EXCEPTION")),
        ])
        func `a topic's error is told as what it means`(error: String, state: TopicState) throws {
            let bench = try Bench(takesFaults: true)
            try bench.broker.command("topic-error \(bench.topic) \(error)")
            let admin = try KafkaAdmin(settings: bench.settings) { _ in }
            #expect(try admin.topic(bench.topic, wait: .seconds(5)) == state)
        }

        @Test func `a broker that does not tell configurations is no failure`() throws {
            let bench = try Bench(takesFaults: true)
            let admin = try KafkaAdmin(settings: bench.settings) { _ in }
            let answers = admin.configurations(of: [bench.topic], wait: .milliseconds(500))
            guard case .notAnswered = answers[bench.topic] else {
                Issue.record("the mock broker knows no configurations, got \(answers)")
                return
            }
            #expect(try admin.topic(bench.topic, wait: .seconds(5)) == .found(partitions: 1))
        }

        @Test func `an unreachable cluster is told in time`() throws {
            var settings = KafkaSettings(
                bootstrapServers: "127.0.0.1:1", groupID: "group", requestTopics: ["requests"])
            settings.properties = ["socket.connection.setup.timeout.ms": "1000"]
            let admin = try KafkaAdmin(settings: settings) { _ in }
            #expect {
                _ = try admin.brokers(wait: .milliseconds(500))
            } throws: {
                ($0 as? Fault)?.disposition == .retry
            }
        }
    }
}
