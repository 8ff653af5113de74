/// What a log line with a certain event tells.
package struct LogEventDescription: Hashable, Sendable {
    /// The event's name, in snake case: it never changes its meaning.
    package let name: String
    /// The levels it is written at.
    package let levels: [LogLevel]
    /// The fields it may have beside those of every line.
    package let fields: [String]
    /// Whether repeats within a short time become one line.
    package let isMerged: Bool
    /// What happened, and what to do if something is to be done.
    package let meaning: String

    /// A description from its parts.
    init(
        _ name: String, _ levels: [LogLevel], _ fields: [String], isMerged: Bool = false,
        _ meaning: String
    ) {
        self.name = name
        self.levels = levels
        self.fields = fields
        self.isMerged = isMerged
        self.meaning = meaning
    }
}

/// Every event that a log line of this program may tell of.
///
/// A test holds the list against the sources, and the end-to-end tests hold each line that a worker
/// writes against it.
package enum LogEvents {
    /// The events in the order of the page.
    package static let all: [LogEventDescription] =
        process + settings + group + work + clients + receipts + gateway

    /// The fields that any line may have.
    package static let commonFields: [(name: String, meaning: String)] = [
        ("ts", "when: RFC 3339 in UTC with microseconds"),
        ("level", "how much it matters: `debug`, `info`, `warning`, `error`"),
        ("event", "what happened: one of the names below"),
        ("msg", "a sentence for a person; its words may change"),
        ("service", "`attest-worker`"), ("version", "the program's version"),
        ("worker_id", "which instance: the pod's name or the host's, and the process id"),
        ("lane", "which lane of the process: `lane-0`"),
        (
            "suppressed",
            "how many lines of the same event, place and code were left out before this one: after"
                + " \(LogMerger.linesMax) of them within \(LogMerger.window / 1_000_000) s"
        ),
    ]

    /// Whether repeats of an event become one line.
    static func isMerged(_ name: String) -> Bool {
        merged.contains(name)
    }

    private static let merged = Set(all.filter(\.isMerged).map(\.name))

    private static let process: [LogEventDescription] = [
        .init(
            "worker_started", [.info], ["lanes", "group", "topics", "apps"],
            "The process starts its lanes."),
        .init(
            "simulated_app", [.warning], ["app"],
            "An app trusts another root than Apple's: never in production."),
        .init(
            "asynchronous_commit_allowed", [.warning], [],
            "`postgres.allowAsynchronousCommit` is set: a crash of the database may forget sign"
                + " counts, and a replay is then accepted."),
        .init(
            "start_up_check", [.debug, .warning, .error], ["subject"],
            "What was looked at before the start, as `attest-worker check` prints it. With an error"
                + " the process ends; see [start-up checks](start-up-checks.md)."),
        .init(
            "thread_refused", [.error], [],
            "The system can't start a thread: look at the limits of processes and memory."),
        .init(
            "manager_unreachable", [.warning], [],
            "Nobody listens at the socket in `NOTIFY_SOCKET`, so systemd is not told."),
        .init(
            "operations_listening", [.info], ["address"],
            "Metrics and health are told over HTTP at this address."),
        .init(
            "operations_refused", [.error], ["operation", "error_code"],
            "The address for metrics and health can't be had; the process ends."),
        .init(
            "stop_requested", [.info], ["signal"],
            "SIGTERM or SIGINT came: lanes finish the batch in hand, commit and leave the group."),
        .init(
            "stopped_at_once", [.warning], [],
            "A second signal came: the process ends at once; what was in hand is delivered again."),
        .init(
            "drain_deadline_passed", [.warning], ["lanes"],
            "So many lanes did not end within `worker.drainTimeout`; what they hold is delivered"
                + " again."),
        .init(
            "lane_failed", [.error], ["operation", "error_code"],
            "A lane ended with a fault that no retry heals; the others are stopped, and the process"
                + " ends with its code."),
        .init("lane_ended", [.error], [], "A lane ended unasked: a fault of the program."),
        .init("lane_stopped", [.info], [], "A lane has finished its work and leaves the group."),
        .init(
            "worker_stopped", [.info, .warning], ["exit_code"],
            "The process ends; a warning unless the code is 0."),
    ]

    private static let settings: [LogEventDescription] = [
        .init(
            "settings_reloaded", [.info], ["taken_over", "apps"],
            "SIGHUP came and the settings were read again; the keys that differed and now count."),
        .init(
            "reload_failed", [.error], ["problems"],
            "SIGHUP came and the settings have problems: the old ones stay, all of them. Mend what"
                + " `msg` names and send SIGHUP again."),
        .init(
            "clients_renewed", [.info], [],
            "The lane has left its group and comes back with new Kafka clients, as how they connect"
                + " has changed."),
        .init(
            "restart_needed", [.warning], ["settings"],
            "These settings have changed and count only after a restart."),
        .init(
            "policy_adopted", [.info], ["apps"],
            "The lane judges by the new list of apps from this batch on."),
        .init(
            "revocations_adopted", [.info], ["list", "keys", "certificates", "apps"],
            "The list of revocations was read, and counts from each lane's next batch on. `list`"
                + " is its version, as the metrics tell it."),
        .init(
            "revocations_refused", [.error], ["list"],
            "The file of revocations can't be used, for the reason in `msg`; the list told in"
                + " `list` stands. Mend the file: it is read again when it changes. At the start"
                + " the process ends instead."),
        .init(
            "worker_state", [.warning], ["apps", "log_level", "reloads", "reloads_failed"],
            "SIGUSR1 came: what is in force."),
        .init(
            "log_level_changed", [.warning], ["debug"],
            "SIGUSR2 came: debug lines are written, or no longer."),
    ]

    private static let group: [LogEventDescription] = [
        .init(
            "partitions_assigned", [.info], ["partitions"], "The group gave the lane partitions."),
        .init(
            "partitions_claimed", [.info], ["partitions"],
            "The lane has claimed its partitions in the database, and fetching starts."),
        .init(
            "partitions_revoked", [.info], ["partitions", "lost"],
            "The group took partitions away; `lost`: without asking, as the lane was silent for too"
                + " long."),
        .init(
            "claim_retried", [.warning], ["error_code", "attempt", "pause_ms"], isMerged: true,
            "Partitions can't be claimed yet: the database or the brokers are away. It is tried"
                + " again for as long as it takes."),
        .init(
            "partition_fenced", [.warning], ["topic", "partition"], isMerged: true,
            "Another lane has claimed the partition. Once in a rebalance is usual; again and again"
                + " means two fleets with one group name on one database."),
        .init(
            "commit_refused", [.info], ["error_code"], isMerged: true,
            "The group rebalances and takes no commits of this generation: the next owner answers"
                + " these records from the inbox."),
        .init(
            "database_regression", [.error], ["topic", "partition", "offset", "committed"],
            "The database has lost commits (restored, or a failover lost some): decisions from"
                + " `offset` on are made again. Find out what happened to it."),
        .init(
            "topic_recreated", [.error], ["topic", "partition", "offset"],
            "The progress row lay beyond the topic's end; it was set back to `offset`."),
        .init(
            "records_expired", [.error], ["topic", "partition", "offset", "missing"],
            "Retention deleted so many requests before anyone decided them: they have no verdict."),
    ]

    private static let work: [LogEventDescription] = [
        .init(
            "retried", [.warning], ["error_code", "attempt", "pause_ms"], isMerged: true,
            "Something failed that may pass; the lane keeps its partitions and tries again for as"
                + " long as it takes."),
        .init(
            "database_unavailable", [.warning], ["error_code"], isMerged: true,
            "An idle lane asked its database and got no answer it could decide by."),
        .init(
            "lag_unknown", [.debug], ["error_code"],
            "While the database is away, the brokers did not tell how far behind the lane is."),
        .init("database_answers", [.info], [], isMerged: true, "It answers again."),
        .init("recovered", [.info], ["attempt"], isMerged: true, "What was retried works again."),
        .init(
            "reports_missing", [.warning], ["records", "waited_ms"], isMerged: true,
            "Verdicts are on their way and not reported as delivered: the lane waits for the"
                + " brokers."),
        .init(
            "reply_lost", [.warning], ["error_code", "reply_partition"], isMerged: true,
            "A request asks for a copy of its verdict that can't be sent, see"
                + " `kafka.topics.replies`. Its gateway answers with a time-out; the verdict is on"
                + " the verdict topic."),
        .init(
            "unprocessable", [.error], ["topic", "partition", "offset"], isMerged: true,
            "A record that the database stands in the way of: its verdict is `unprocessable`, or it"
                + " is a dead letter."),
        .init(
            "prune_failed", [.warning], ["error_code"], isMerged: true,
            "Expired inbox rows could not be deleted; tried again in a minute. If it goes on, the"
                + " table grows."),
    ]

    private static let clients: [LogEventDescription] = [
        .init(
            "kafka_client", LogLevel.allCases, ["rdkafka_code"], isMerged: true,
            "What librdkafka says: connections, the group, its own state. `rdkafka_code` is its"
                + " word for the place, or the name of an error."),
        .init(
            "spans_refused", [.warning], ["error"],
            "The collector of traces does not take spans; what it can't take in time is lost."),
        .init("spans_taken_again", [.info], [], "The collector takes spans again."),
        .init(
            "spans_dropped", [.warning], ["spans"],
            "At the end so many spans were not taken by the collector, and are lost."),
    ]
}
