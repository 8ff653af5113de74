import KafkaTransport
import Worker

/// The part of the start-up check that asks the brokers.
enum TopicCheck {
    /// How long each question may take.
    static let patience: Duration = .seconds(5)

    /// Asks for brokers, topics and what of their configuration matters.
    static func findings(_ settings: Settings, _ process: ProcessFacts) -> [Finding] {
        var findings = KafkaSettings(settings.kafka).loginWarnings().map { warning in
            Finding(.warning, "login to Kafka", found: warning, needed: "", remedy: "")
        }
        do throws(Fault) {
            // What the client says meanwhile comes out in the fault as well.
            let admin = try KafkaAdmin(settings: KafkaSettings(settings.kafka)) { _ in }
            let brokers = try admin.brokers(wait: patience)
            findings.append(.fine("brokers", brokers.map(\.address).joined(separator: ", ")))
            var partitions: [String: Int] = [:]
            let risk = settings.receipts.access.map { _ in settings.kafka.topics.risk }
            let optional = [risk, settings.kafka.topics.replies].compactMap { $0 }
            for topic in settings.kafka.topics.all + optional {
                let state = try admin.topic(topic, wait: patience)
                findings.append(finding(topic, state))
                if case .found(let count) = state { partitions[topic] = count }
            }
            let facts = facts(admin, brokers, partitions)
            return findings + CrossChecks(settings).ofCluster(facts, process)
        } catch {
            return findings + [.failure("brokers", error)]
        }
    }

    private static func facts(
        _ admin: KafkaAdmin, _ brokers: [BrokerAddress], _ partitions: [String: Int]
    ) -> ClusterFacts {
        let broker =
            brokers.first.map { admin.configuration(of: $0, wait: patience) }
            ?? .notAnswered(code: "no_broker")
        // A cluster that does not know the question leaves that about topics without an answer.
        let isUnknown = broker == .notAnswered(code: "_UNSUPPORTED_FEATURE")
        let configurations =
            isUnknown
            ? [:] : admin.configurations(of: partitions.keys.sorted(), wait: patience)
        return ClusterFacts(
            brokerCount: brokers.count, broker: broker,
            topics: Dictionary(
                uniqueKeysWithValues: partitions.map { name, count in
                    let configuration =
                        configurations[name]
                        ?? (isUnknown ? broker : .notAnswered(code: "no_answer"))
                    return (
                        name, ClusterFacts.Topic(partitions: count, configuration: configuration)
                    )
                }))
    }

    private static func finding(_ topic: String, _ state: TopicState) -> Finding {
        let subject = "topic \(topic)"
        return switch state {
        case .found(let partitions):
            .fine(subject, "\(partitions) partition\(partitions == 1 ? "" : "s")")
        case .missing:
            .failure(
                subject, .incompatible, "does not exist: create it, as the worker never does")
        case .notPermitted:
            .failure(subject, .noPermission, "may not be looked at: grant Describe on it")
        case .failed(let code):
            .failure(subject, .unavailable, "the cluster answers \(code)")
        }
    }
}
