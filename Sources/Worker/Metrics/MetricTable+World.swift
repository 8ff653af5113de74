// Lanes, partitions, the database, Kafka.

extension MetricTable {
    // MARK: Lanes

    static let lanesByState = MetricFamily(
        "attest_worker_lanes", .gauge, labels: ["state"],
        "Lanes by state: joining (no assignment yet), running, blocked (trying again what failed),"
            + " stopped.")
    static let laneProgress = MetricFamily(
        "attest_worker_lane_last_progress_timestamp_seconds", .gauge, .seconds, labels: ["lane"],
        "When the lane last finished a batch, or found that there was nothing to do, in seconds"
            + " since 1970.")
    static let laneBlocked = MetricFamily(
        "attest_worker_lane_blocked", .gauge, labels: ["lane"],
        "1 while the lane tries again what failed, with its partitions paused.")
    static let retries = MetricFamily(
        "attest_worker_retries", .counter, labels: ["stage", "code"],
        "Faults after which the same was tried again. code is an SQLSTATE, a librdkafka error, or"
            + " one of our own.")
    static let fences = MetricFamily(
        "attest_worker_fence_rejections", .counter,
        "Partitions found to be claimed by another lane while this one had records of them.")
    static let regressions = MetricFamily(
        "attest_worker_database_regressions", .counter, labels: ["cause"],
        zeros: [["assign"], ["batch"]],
        "Partitions whose row lay behind what was committed: PostgreSQL lost commits, found when a"
            + " partition was claimed or in a batch. They are decided again.")
    static let rebalances = MetricFamily(
        "attest_worker_rebalances", .counter, labels: ["kind"],
        zeros: [["assigned"], ["revoked"], ["lost"]],
        "Changes of the assignment that the group told a lane.")
    static let commits = MetricFamily(
        "attest_worker_offset_commits", .counter, labels: ["result"],
        zeros: [["committed"], ["refused"], ["failed"]],
        "Commits of offsets: refused where the partition had another owner by then.")
    static let joinStateAge = MetricFamily(
        "attest_worker_group_join_state_age_seconds", .gaugeOfLargest, .seconds,
        labels: ["lane", "state"],
        "Seconds since the group last began to share partitions out, with the client's present"
            + " state in joining it: steady when it is a member.")

    // MARK: Partitions

    static let assigned = MetricFamily(
        "attest_worker_assigned_partitions", .gauge, labels: ["topic"],
        "Partitions that the group has assigned to this process.")
    static let position = MetricFamily(
        "attest_worker_partition_position", .gaugeOfLargest, labels: ["topic", "partition"],
        "The first offset that is not answered yet.")
    static let committed = MetricFamily(
        "attest_worker_partition_committed_offset", .gaugeOfLargest,
        labels: ["topic", "partition"], "The next offset as this process last committed it.")
    static let highWatermark = MetricFamily(
        "attest_worker_partition_high_watermark", .gaugeOfLargest, labels: ["topic", "partition"],
        "The offset the next record will get, as the last fetch told it.")
    static let stableOffset = MetricFamily(
        "attest_worker_partition_last_stable_offset", .gaugeOfLargest,
        labels: ["topic", "partition"],
        "Up to where records can be read: behind it lie open transactions.")
    static let lagMessages = MetricFamily(
        "attest_worker_consumer_lag_messages", .gaugeOfLargest,
        labels: ["group", "topic", "partition"],
        "Records between the position and the last stable offset.")
    static let lagSeconds = MetricFamily(
        "attest_worker_consumer_lag_seconds", .gaugeOfLargest, .seconds,
        labels: ["group", "topic", "partition"],
        "The age of the oldest record in hand; of a partition that has none in hand and lags all"
            + " the same, how long that has been seen. 0 where nothing is waiting.")
    static let fetchQueueMessages = MetricFamily(
        "attest_worker_fetch_queue_messages", .gaugeOfLargest, labels: ["topic", "partition"],
        "Records fetched ahead.")
    static let fetchQueueBytes = MetricFamily(
        "attest_worker_fetch_queue_bytes", .gaugeOfLargest, .bytes, labels: ["topic", "partition"],
        "Bytes of the records fetched ahead.")

    // MARK: The database

    static let connections = MetricFamily(
        "attest_worker_pg_connections", .gauge, labels: ["state"],
        "Lanes by what their database connection does: busy, idle, broken (its last use failed).")
    static let connects = MetricFamily(
        "attest_worker_pg_connects", .counter, labels: ["result"],
        zeros: [["opened"], ["failed"]], "Tries to open a connection.")
    static let transactions = MetricFamily(
        "attest_worker_pg_transactions", .counter, labels: ["result"],
        zeros: [["commit"], ["rollback"], ["in_doubt"]],
        "Transactions of batches. in_doubt: the connection broke during COMMIT; the next try finds"
            + " out.")
    static let roundTrips = MetricFamily(
        "attest_worker_pg_roundtrip_seconds", .histogram(stageBounds), .seconds, labels: ["op"],
        zeros: [["claim"], ["read_keys"], ["lock_lookup"], ["write_commit"], ["prune"], ["probe"]],
        "Round trips to the database that were answered.")
    static let databaseErrors = MetricFamily(
        "attest_worker_pg_errors", .counter, labels: ["op", "sqlstate"],
        "Faults of the database by SQLSTATE, or by a code of our own where there was none.")
    static let pruned = MetricFamily(
        "attest_worker_inbox_pruned_rows", .counter, "Expired rows deleted from the inbox.")

    // MARK: Kafka

    static let kafkaErrors = MetricFamily(
        "attest_worker_kafka_errors", .counter, labels: ["client", "code"],
        "Warnings and errors of librdkafka, by its word for them.")
    static let producerQueueMessages = MetricFamily(
        "attest_worker_producer_queue_messages", .gauge,
        "Records in the producer's queue or on the wire.")
    static let producerQueueBytes = MetricFamily(
        "attest_worker_producer_queue_bytes", .gauge, .bytes, "Bytes of these records.")
    static let producersRecreated = MetricFamily(
        "attest_worker_producer_recreated", .counter,
        "Producers that broke for good and were made anew.")
    static let brokersUp = MetricFamily(
        "attest_worker_kafka_brokers_up", .gaugeOfLargest, labels: ["client"],
        "Brokers that the lane's client is connected to; the largest over the lanes.")
    static let brokerRoundTrip = MetricFamily(
        "attest_worker_broker_rtt_seconds", .gaugeOfLargest, .seconds,
        labels: ["client", "broker", "percentile"],
        "Round trips to a broker in the last interval, the largest over the lanes.")
}
