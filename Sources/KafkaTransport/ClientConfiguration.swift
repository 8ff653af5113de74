internal import CRdkafka
internal import Worker

/// Which kind of client a configuration is for.
enum ClientRole: Hashable, CaseIterable {
    /// A member of the group.
    case source
    /// The idempotent producer of verdicts.
    case sink
    /// Reads a topic without a group.
    case reader
    /// Asks for metadata and configurations; joins nothing and produces nothing.
    case administrator
}

/// Owner of a configuration, until a client takes it over.
struct ClientConfiguration: ~Copyable {
    private let pointer: OpaquePointer

    /// librdkafka's defaults.
    init() {
        pointer = rd_kafka_conf_new()
    }

    deinit {
        rd_kafka_conf_destroy(pointer)
    }

    /// Sets a property.
    ///
    /// - Returns: nil, or the rule that the value breaks; it holds no value that may be a secret.
    func set(_ name: String, _ value: String) -> String? {
        var text = [CChar](repeating: 0, count: KafkaError.textBytesMax)
        switch rd_kafka_conf_set(pointer, name, value, &text, text.count) {
        case RD_KAFKA_CONF_OK:
            return nil
        case RD_KAFKA_CONF_UNKNOWN:
            return "is no property of librdkafka \(String(cString: rd_kafka_version_str()))"
        default:
            // librdkafka's text quotes the value.
            return isSecret(name)
                ? "has a value that librdkafka refuses (not shown, as it may be a secret)"
                : string(fromC: text)
        }
    }

    /// Which kinds of events the client puts into its queue.
    func enableEvents(_ types: Int32) {
        // A token is asked for only where the client logs in with one.
        rd_kafka_conf_set_events(pointer, types | RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH)
    }

    /// Gives what SASL asks for a queue of its own, for a ``TokenRefresher``.
    func separateSASL() {
        rd_kafka_conf_enable_sasl_queue(pointer, 1)
    }

    /// Makes the client say nothing at all.
    func silence() {
        rd_kafka_conf_set_log_cb(pointer, nil)
    }

    /// Gives the configuration away: the caller must see that it is freed or taken over.
    consuming func release() -> OpaquePointer {
        let pointer = pointer
        discard self
        return pointer
    }
}

/// C ends a text at its first zero byte: with one inside, a reserved name would pass for another.
private func ruleOfSpelling(_ name: String, _ value: String) -> String? {
    let isSpelled = name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
    guard isSpelled, !name.isEmpty else {
        return "must be a name of small letters, digits, '.' and '_'"
    }
    return value.utf8.contains(0) ? "must have a value without zero bytes" : nil
}

/// Whether a property's value may be a secret, or lead to one.
private func isSecret(_ name: String) -> Bool {
    ["password", "secret", "pem", "key", "oauthbearer.config", "username", "jaas", "token"]
        .contains { name.contains($0) }
}

extension KafkaSettings {
    /// What is wrong with the extra properties: reserved, unknown, or with a bad value.
    func propertyProblems() -> [KafkaSettingsProblem] {
        let scratch = ClientConfiguration()
        return properties.sorted { $0.key < $1.key }.compactMap { name, value in
            let rule =
                ruleOfSpelling(name, value)
                ?? ReservedProperty.reason(for: name).map { "can't be set: \($0)" }
                ?? scratch.set(name, value)
            return rule.map { KafkaSettingsProblem(setting: "properties.\(name)", rule: $0) }
        }
    }

    /// The configuration of a client: our own values last, so that none can be overruled.
    ///
    /// - Throws: `.stop(.config)` naming every property that was refused.
    func configuration(for role: ClientRole) throws(Fault) -> ClientConfiguration {
        let configuration = ClientConfiguration()
        if tokenSource != nil { configuration.separateSASL() }
        var rules: [String] = []
        let extra = properties.filter { isOfUse($0.key, to: role) }.sorted { $0.key < $1.key }
        for (name, value) in tunedProperties(for: role) + extra + ownProperties(for: role) {
            if let rule = configuration.set(name, value) { rules.append("\(name): \(rule)") }
        }
        guard rules.isEmpty else {
            throw Fault(
                operation: "configure the Kafka client", code: "invalid_property",
                disposition: .stop(.config), message: rules.joined(separator: "; "))
        }
        return configuration
    }

    /// Values that may be overruled by ``properties``.
    private func tunedProperties(for role: ClientRole) -> [(String, String)] {
        let common = [
            // A broker that is back is noticed within so long; the default would be 10 s.
            ("reconnect.backoff.max.ms", "2000"),
            // A batch of verdicts is a few small requests, and waits for their answers: held back
            // until the one before is acknowledged, each would cost 40 ms (RFC 1122, 4.2.3.4).
            ("socket.nagle.disable", "true"),
        ]
        switch role {
        case .source, .reader:
            // A request waits at most so long at the broker for company.
            let fetching = common + [("fetch.wait.max.ms", "50")]
            return fetching + (fetchBytesMax.map { [("fetch.max.bytes", "\($0)")] } ?? [])
        case .sink:
            return common + [
                // A lane hands its batch over at once and waits: who lingers only waits longer.
                ("linger.ms", "1"),
                // Above the 1 MB default: a dead letter is its request plus headers.
                ("message.max.bytes", "\(Settings.Kafka.producedBytesMaxDefault)"),
                // librdkafka fails a batch as a whole when the broker finds it too large, so small
                // records should not travel with a large one.
                ("batch.size", "131072"),
            ]
        case .administrator:
            return common
        }
    }

    /// Values that the guarantees rest on, and those with settings of their own.
    private func ownProperties(for role: ClientRole) -> [(String, String)] {
        let login = tokenSource.map { _ in [("sasl.mechanism", "OAUTHBEARER")] } ?? []
        let common =
            login + [
                ("bootstrap.servers", bootstrapServers), ("client.id", clientID),
                ("socket.nagle.disable", "true"), ("log.queue", "true"),
            ]
        let telling = [("statistics.interval.ms", "\(statisticsInterval.millisecondsForC)")]
        switch role {
        case .source:
            return common + telling + membershipProperties
        case .sink:
            return common + telling + [
                ("enable.idempotence", "true"), ("acks", "all"), ("message.timeout.ms", "0"),
                ("partitioner", "murmur2_random"),
            ]
        case .reader:
            return common + telling + [
                ("group.id", groupID), ("allow.auto.create.topics", "false"),
                ("enable.auto.commit", "false"), ("enable.auto.offset.store", "false"),
                ("auto.offset.reset", "error"), ("isolation.level", "read_committed"),
                ("enable.partition.eof", "true"),
            ]
        case .administrator:
            return common + [("allow.auto.create.topics", "false")]
        }
    }

    private var membershipProperties: [(String, String)] {
        // A third of the session, so that two heartbeats may be lost; Kafka's default at the most.
        let heartbeat = min(3_000, sessionTimeout.millisecondsForC / 3)
        let required = [
            ("group.id", groupID), ("allow.auto.create.topics", "false"),
            ("enable.auto.commit", "false"), ("enable.auto.offset.store", "false"),
            ("auto.offset.reset", "error"), ("isolation.level", "read_committed"),
            ("partition.assignment.strategy", assignmentStrategy.rawValue),
            ("session.timeout.ms", "\(sessionTimeout.millisecondsForC)"),
            ("heartbeat.interval.ms", "\(heartbeat)"),
            ("max.poll.interval.ms", "\(maxPollInterval.millisecondsForC)"),
            ("queued.max.messages.kbytes", "\(queuedKilobytesMax)"),
        ]
        return required + (groupInstanceID.map { [("group.instance.id", $0)] } ?? [])
    }
}

/// Whether a property says something to this kind of client.
///
/// librdkafka would warn of the others at every start.
private func isOfUse(_ property: String, to role: ClientRole) -> Bool {
    let ofProducers = [
        "linger.ms", "batch.", "compression.", "queue.buffering.", "sticky.partitioning.",
        "message.copy.max.bytes", "retry.backoff.ms", "request.timeout.ms", "msg_order_cmp",
    ]
    let ofConsumers = [
        "fetch.", "max.partition.fetch.bytes", "queued.", "check.crcs", "consume.callback.",
        "coordinator.query.interval.ms", "group.",
    ]
    let isProducers = ofProducers.contains { property.hasPrefix($0) }
    let isConsumers = ofConsumers.contains { property.hasPrefix($0) }
    return switch role {
    case .source, .reader: !isProducers
    case .sink: !isConsumers
    case .administrator: !isProducers && !isConsumers
    }
}
