/// Every family of metrics there is, in the order in which they are told.
///
/// From this table come the text at `/metrics` and the page `docs/metrics.md`.
package enum MetricTable {
    /// All of them.
    package static let all: [MetricFamily] =
        process + requests + batches + lanes + partitions + database + kafka + revocations
        + refresh

    /// The process.
    static let process: [MetricFamily] = [
        build, state, apps, simulatedApps, reloads, lastReload, processStart, cpu, resident,
        virtual, threads, openFiles, maxFiles, spans,
    ]
    /// Requests and what they were answered.
    static let requests: [MetricFamily] = [
        consumed, consumedBytes, keyMismatches, verdicts, wouldReject, outOfOrder, receipts,
        tokensIssued, tokensConsumed, simulatedVerdicts, duplicates, conflicts, stale,
        deadLetters, replies, endToEnd,
    ]
    /// Batches and their stages.
    static let batches: [MetricFamily] = [
        batchRecords, batchDuration, stageDuration, inHandRecords, inHandBytes, unreported,
    ]
    /// Lanes and what stands in their way.
    static let lanes: [MetricFamily] = [
        lanesByState, laneProgress, laneBlocked, retries, fences, regressions, rebalances, commits,
        joinStateAge,
    ]
    /// Partitions this process has; a partition that is given away is told no more.
    static let partitions: [MetricFamily] = [
        assigned, position, committed, highWatermark, stableOffset, lagMessages, lagSeconds,
        fetchQueueMessages, fetchQueueBytes,
    ]
    /// The database, as lanes see it.
    static let database: [MetricFamily] = [
        connections, connects, transactions, roundTrips, databaseErrors, pruned,
    ]
    /// Receipts, where they are refreshed.
    static let refresh: [MetricFamily] = [refreshes, riskMetric, riskChanges, oldestDueReceipt]
    /// Kafka, as its client sees it.
    static let kafka: [MetricFamily] = [
        kafkaErrors, producerQueueMessages, producerQueueBytes, producersRecreated, brokersUp,
        brokerRoundTrip,
    ]

    /// The list of what is revoked, where there is one.
    static let revocations: [MetricFamily] = [
        revocationList, revocationEntries, revocationWritten, revocationAgeMax, revocationReads,
        revocationRefused,
    ]

    /// From 100 µs, what a batch of one costs, to 30 s, when timeouts have their say.
    static let stageBounds = [
        100, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
        30_000_000,
    ]
    /// From 5 ms, the least that Kafka takes, to a day, when a backlog is worked off.
    static let latencyBounds = [
        5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000, 30_000_000, 60_000_000, 300_000_000, 3_600_000_000, 86_400_000_000,
    ]
    static let countBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000]
}
