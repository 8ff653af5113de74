internal import CRdkafka

/// How to reach the cluster, and as whom.
package struct KafkaSettings: Hashable, Sendable {
    /// `host:port`, several separated by commas.
    package var bootstrapServers: String
    /// The consumer group, which all workers of a fleet share.
    package var groupID: String
    /// The name under which brokers log and throttle this client.
    package var clientID: String
    /// The topics that requests come from.
    package var requestTopics: [String]
    /// After so long without a heartbeat the group takes a member's partitions away; 1 s to 1 h.
    package var sessionTimeout: Duration
    /// After so long without a poll the member leaves the group; at least the session timeout.
    package var maxPollInterval: Duration
    /// How partitions are shared out.
    package var assignmentStrategy: AssignmentStrategy
    /// A name that survives restarts, for static membership.
    ///
    /// Off by default: two processes that share one by mistake put each other out.
    package var groupInstanceID: String?
    /// How much is fetched ahead, in kilobytes per client.
    package var queuedKilobytesMax: Int
    /// How often a member of the group and a producer tell of themselves; zero is never.
    package var statisticsInterval: Duration
    /// The most bytes of one answer of a broker; nil leaves it to librdkafka.
    package var fetchBytesMax: Int?
    /// Where tokens come from, for a login by SASL OAUTHBEARER.
    package var tokenSource: OAuthTokenSource?
    /// Further properties, handed to librdkafka as they are; see ``ReservedProperty``.
    package var properties: [String: String]

    /// The version of librdkafka that is loaded.
    package static var libraryVersion: String { String(cString: rd_kafka_version_str()) }

    /// Settings with defaults for all that has a good one.
    package init(
        bootstrapServers: String, groupID: String, requestTopics: [String],
        clientID: String = "attest-worker"
    ) {
        self.bootstrapServers = bootstrapServers
        self.groupID = groupID
        self.clientID = clientID
        self.requestTopics = requestTopics
        sessionTimeout = .seconds(45)
        maxPollInterval = .seconds(300)
        assignmentStrategy = .range
        groupInstanceID = nil
        queuedKilobytesMax = 8_192
        fetchBytesMax = nil
        statisticsInterval = .zero
        tokenSource = nil
        properties = [:]
    }
}

/// How a group shares partitions out among its members.
///
/// All members must use the same.
package enum AssignmentStrategy: String, Hashable, Sendable, CaseIterable {
    /// Neighbouring partitions to each member, topic by topic.
    case range
    /// One by one to each member in turn.
    case roundrobin
    /// As few moves as possible, and only the moved ones pause.
    case cooperativeSticky = "cooperative-sticky"

    /// Whether changes are told as differences, and not as the whole.
    var isIncremental: Bool {
        self == .cooperativeSticky
    }

    /// Before this version, closing a consumer while it joins can abort the process.
    static let cooperativeVersionMin: Int32 = 0x0203_0000

    /// The strategies that are safe with the library that is loaded.
    package static var usable: [AssignmentStrategy] {
        allCases.filter { !$0.isIncremental || rd_kafka_version() >= cooperativeVersionMin }
    }
}

/// What is wrong with a setting.
package struct KafkaSettingsProblem: Hashable, Sendable, CustomStringConvertible {
    /// The setting's name as in ``KafkaSettings``, or `properties.` and the property's name.
    package let setting: String
    /// The rule it breaks.
    ///
    /// It quotes no value of a property that may be a secret.
    package let rule: String

    /// A problem from its parts.
    package init(setting: String, rule: String) {
        self.setting = setting
        self.rule = rule
    }

    /// Setting and rule.
    package var description: String {
        "\(setting): \(rule)"
    }
}

extension KafkaSettings: CustomStringConvertible {
    /// Where to and as whom; of the properties only the names, as their values may be secrets.
    package var description: String {
        """
        KafkaSettings(\(bootstrapServers), group \(groupID), topics \(requestTopics), \
        properties \(properties.keys.sorted()))
        """
    }
}

extension KafkaSettings {
    /// Everything that is wrong with the settings, at once; connects to nothing.
    ///
    /// - Returns: the problems in the order of the settings, then of the properties' names.
    package func problems() -> [KafkaSettingsProblem] {
        problems(libraryVersion: rd_kafka_version())
    }

    /// The problems under another version of librdkafka, in the form of `rd_kafka_version()`.
    func problems(libraryVersion: Int32) -> [KafkaSettingsProblem] {
        nameProblems() + timeProblems() + strategyProblems(libraryVersion) + propertyProblems()
            + loginProblems()
    }

    private func nameProblems() -> [KafkaSettingsProblem] {
        var problems: [KafkaSettingsProblem] = []
        func require(_ holds: Bool, _ setting: String, _ rule: String) {
            if !holds { problems.append(KafkaSettingsProblem(setting: setting, rule: rule)) }
        }
        require(
            isServerList(bootstrapServers), "bootstrapServers",
            "must be host:port, several separated by commas")
        require(isName(groupID), "groupID", "must be 1 to 255 characters, none a control character")
        require(
            isName(clientID), "clientID", "must be 1 to 255 characters, none a control character")
        require(!requestTopics.isEmpty, "requestTopics", "must name at least one topic")
        for topic in requestTopics where !KafkaSettings.isTopicName(topic) {
            require(
                false, "requestTopics",
                "must be 1 to 249 letters, digits, '.', '_' or '-', and not '.' or '..'")
        }
        require(
            Set(requestTopics).count == requestTopics.count, "requestTopics",
            "must name each topic once")
        require(
            groupInstanceID.map(isName) ?? true, "groupInstanceID",
            "must be 1 to 255 characters, none a control character")
        return problems
    }

    private func timeProblems() -> [KafkaSettingsProblem] {
        var problems: [KafkaSettingsProblem] = []
        if sessionTimeout < .seconds(1) || sessionTimeout > .seconds(3_600) {
            problems.append(.init(setting: "sessionTimeout", rule: "must be 1 s to 1 h"))
        }
        if maxPollInterval < sessionTimeout || maxPollInterval > .seconds(86_400) {
            problems.append(
                .init(
                    setting: "maxPollInterval",
                    rule: "must be at least the session timeout, and at most 24 h"))
        }
        if queuedKilobytesMax < 1 || queuedKilobytesMax > 2_097_151 {
            problems.append(.init(setting: "queuedKilobytesMax", rule: "must be 1 to 2097151"))
        }
        return problems
    }

    private func strategyProblems(_ libraryVersion: Int32) -> [KafkaSettingsProblem] {
        guard assignmentStrategy == .cooperativeSticky,
            libraryVersion < AssignmentStrategy.cooperativeVersionMin
        else { return [] }
        return [
            KafkaSettingsProblem(
                setting: "assignmentStrategy",
                rule: """
                    cooperative-sticky needs librdkafka 2.3.0 or newer (here: \
                    \(String(cString: rd_kafka_version_str()))), as older ones can abort the \
                    process; use range or roundrobin
                    """)
        ]
    }

    /// Whether Kafka takes this as a topic's name.
    package static func isTopicName(_ name: String) -> Bool {
        guard name != ".", name != "..", (1...249).contains(name.utf8.count) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default:
                false
            }
        }
    }
}

private func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
}

/// Each part must have a host and a port; librdkafka would take a missing port for 9092 in silence.
private func isServerList(_ text: String) -> Bool {
    text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { part in
        let server = part.drop { $0 == " " }
        guard let colon = server.lastIndex(of: ":"), colon > server.startIndex,
            let port = UInt16(server[server.index(after: colon)...])
        else { return false }
        return port > 0 && server.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}
