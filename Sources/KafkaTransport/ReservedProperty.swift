/// A property of librdkafka that can't be passed through, and why.
///
/// The first group is what the guarantees rest on: an offset committed before its verdict is out, a
/// jump over a gap in the log, a verdict in another partition than its key's, and a lost or
/// reordered verdict would each follow from one wrong line in a settings file.
package enum ReservedProperty {
    /// The reason why a property is reserved, or nil if it may be passed through.
    package static func reason(for name: String) -> String? {
        reasons[name]
    }

    /// All reserved names, sorted.
    package static var names: [String] {
        reasons.keys.sorted()
    }

    private static let reasons: [String: String] = {
        var reasons: [String: String] = [:]
        for (reason, names) in groups {
            for name in names { reasons[name] = reason }
        }
        return reasons
    }()

    private static let groups: [(reason: String, names: [String])] = [
        (
            "offsets are committed only after the verdict's delivery report",
            [
                "enable.auto.commit", "auto.commit.enable", "auto.commit.interval.ms",
                "enable.auto.offset.store", "offset.store.method", "offset.store.path",
                "offset.store.sync.interval.ms",
            ]
        ),
        (
            "a lost position must stop the worker, not make it jump",
            ["auto.offset.reset"]
        ),
        (
            "requests of aborted transactions are no requests",
            ["isolation.level"]
        ),
        (
            "a verdict counts as published when all in-sync replicas have it, once and in order",
            [
                "acks", "request.required.acks", "enable.idempotence", "retries",
                "message.send.max.retries", "max.in.flight",
                "max.in.flight.requests.per.connection", "queuing.strategy",
                "enable.gapless.guarantee", "transactional.id", "transaction.timeout.ms",
            ]
        ),
        (
            "the worker waits for a delivery report for as long as it takes",
            ["message.timeout.ms", "delivery.timeout.ms"]
        ),
        (
            "verdicts of one key stay in the partition where other clients look for it",
            ["partitioner", "partitioner_cb"]
        ),
        (
            "the worker never creates topics",
            ["allow.auto.create.topics"]
        ),
        (
            "it has a setting of its own",
            [
                "bootstrap.servers", "metadata.broker.list", "group.id", "client.id",
                "group.instance.id", "session.timeout.ms", "max.poll.interval.ms",
                "heartbeat.interval.ms", "partition.assignment.strategy",
                "queued.max.messages.kbytes",
            ]
        ),
        (
            "the worker relies on its own value",
            [
                "log.queue", "enabled_events", "enable.partition.eof", "delivery.report.only.error",
                "dr_cb", "dr_msg_cb", "statistics.interval.ms", "group.protocol",
                "group.protocol.type", "test.mock.num.brokers", "opaque",
            ]
        ),
        (
            "it would load foreign code into the process",
            ["plugin.library.paths"]
        ),
    ]
}
