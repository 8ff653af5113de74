import KafkaTransport
import Worker

/// The part of `check` that asks the brokers.
enum TopicCheck {
    /// How long each question may take.
    static let patience: Duration = .seconds(5)

    /// Asks for brokers, topics and what of their configuration matters.
    static func check(_ settings: Settings, _ report: inout CheckReport) {
        let topics = settings.kafka.topics
        do throws(Fault) {
            // What the client says meanwhile comes out in the fault as well.
            let admin = try KafkaAdmin(settings: KafkaSettings(settings.kafka)) { _ in }
            let brokers = try admin.brokers(wait: patience)
            report.add("brokers", .success(brokers.map(\.address).joined(separator: ", ")))
            var found: [String] = []
            for topic in topics.requests + [topics.verdicts, topics.deadLetters] {
                let result = existence(of: try admin.topic(topic, wait: patience))
                report.add("topic \(topic)", result)
                if case .success = result { found.append(topic) }
            }
            let configurations = admin.configurations(of: found, wait: patience)
            for topic in found {
                guard let configuration = configurations[topic] else { continue }
                check(topic, configuration, settings, &report)
            }
        } catch {
            report.add("brokers", .failure(.init(error)))
        }
    }

    /// The fault to end with before any lane starts: the brokers don't know one of the topics.
    ///
    /// librdkafka would hope for it to appear, and hold answers back for as long. Brokers that
    /// don't answer are no such fault: the lanes wait for them.
    static func missingTopic(_ settings: Settings) -> Fault? {
        let topics = settings.kafka.topics
        do throws(Fault) {
            let admin = try KafkaAdmin(settings: KafkaSettings(settings.kafka)) { _ in }
            for topic in topics.requests + [topics.verdicts, topics.deadLetters]
            where try admin.topic(topic, wait: patience) == .missing {
                return Fault(
                    operation: "look for topics", code: "no_topic",
                    disposition: .stop(.incompatible),
                    message: "\(topic) does not exist: create it, as the worker never does")
            }
            return nil
        } catch {
            return nil
        }
    }

    private static func existence(of state: TopicState) -> Result<String, CheckReport.Failure> {
        switch state {
        case .found(let partitions):
            .success("\(partitions) partition\(partitions == 1 ? "" : "s")")
        case .missing:
            .failure(
                .init(.incompatible, "does not exist: create it, as the worker never does"))
        case .notPermitted:
            .failure(.init(.noPermission, "may not be looked at: grant Describe on it"))
        case .failed(let code):
            .failure(.init(.unavailable, "the cluster answers \(code)"))
        }
    }

    /// Holds a topic's configuration against what the guarantees need.
    static func check(
        _ topic: String, _ configuration: TopicConfiguration, _ settings: Settings,
        _ report: inout CheckReport
    ) {
        let name = "configuration of \(topic)"
        switch configuration {
        case .notAnswered(let code):
            report.warn(name, "not told by the broker (\(code)): look at it by hand")
        case .known(let values):
            if values["cleanup.policy"]?.contains("compact") == true {
                report.add(
                    name,
                    .failure(
                        .init(
                            .incompatible,
                            "cleanup.policy compacts: of one key only the last record would stay;"
                                + " set it to delete")))
            } else if settings.kafka.topics.requests.contains(topic) {
                checkRetention(name, values["retention.ms"], settings, &report)
            } else {
                report.add(name, .success("fits"))
            }
        }
    }

    /// A request that is still on its topic must still be in the inbox, or it can't be answered.
    private static func checkRetention(
        _ name: String, _ text: String?, _ settings: Settings, _ report: inout CheckReport
    ) {
        guard let text, let retention = Int64(text) else {
            report.warn(name, "retention.ms is not told by the broker: look at it by hand")
            return
        }
        let remembered = settings.postgres.inboxRetention
        if retention < 0 || .milliseconds(retention) > remembered {
            report.warn(
                name,
                "requests stay on the topic for longer than postgres.inboxRetention: a request that"
                    + " is read again after that gets `stale_request` instead of its verdict")
        } else {
            report.add(name, .success("requests are remembered for longer than they are kept"))
        }
    }
}
