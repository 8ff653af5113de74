internal import Wire

// The process, requests and batches.

extension MetricTable {
    // MARK: The process

    static let build = MetricFamily(
        "attest_worker_build", .info,
        labels: ["version", "swift", "librdkafka", "libpq", "openssl"],
        "Which attest-worker this is, and the libraries it runs with.")
    static let state = MetricFamily(
        "attest_worker_state", .gauge, labels: ["state"],
        "1 for the state the process is in, 0 for the others: starting, running, draining,"
            + " stopped.")
    static let apps = MetricFamily(
        "attest_worker_apps", .gauge, "Apps that are configured.")
    static let simulatedApps = MetricFamily(
        "attest_worker_simulated_apps", .gauge,
        "Apps marked as simulated, whose attestations anyone can forge who holds the configured"
            + " root's key. 0 in production.")
    static let reloads = MetricFamily(
        "attest_worker_settings_reloads", .counter, labels: ["result"],
        zeros: [["done"], ["failed"]],
        "How often SIGHUP made the worker read its settings again: done, or failed, the old ones"
            + " staying in force.")
    static let lastReload = MetricFamily(
        "attest_worker_settings_last_reload_successful", .gauge,
        "0 from a reload that failed to the next that succeeds; else 1.")
    static let processStart = MetricFamily(
        "process_start_time_seconds", .gauge, .seconds,
        "When the process started, in seconds since 1970.")
    static let cpu = MetricFamily(
        "process_cpu_seconds", .counter, .seconds,
        "Processor time used, in user and system mode together.")
    static let resident = MetricFamily(
        "process_resident_memory_bytes", .gauge, .bytes, "Memory in RAM.")
    static let virtual = MetricFamily(
        "process_virtual_memory_bytes", .gauge, .bytes, "Address space in use.")
    static let threads = MetricFamily(
        "process_threads", .gauge, "Threads of the process.")
    static let openFiles = MetricFamily(
        "process_open_fds", .gauge, "File descriptors in use.")
    static let maxFiles = MetricFamily(
        "process_max_fds", .gauge, "File descriptors that may be in use.")
    static let spans = MetricFamily(
        "attest_worker_spans", .counter, labels: ["result"], zeros: [["sent"], ["dropped"]],
        "Spans by what became of them: sent, a collector took them; dropped, none did in time, or"
            + " there was no room.")

    // MARK: Requests

    static let consumed = MetricFamily(
        "attest_worker_messages_consumed", .counter, labels: ["topic", "type"],
        "Records taken into a batch, by what they hold: registration, assertion, challenge,"
            + " consume, or unknown where the message does not tell. A record that comes again"
            + " counts again.")
    static let consumedBytes = MetricFamily(
        "attest_worker_consumed_bytes", .counter, .bytes, labels: ["topic"],
        "Bytes of the values of these records.")
    static let keyMismatches = MetricFamily(
        "attest_worker_key_mismatches", .counter, labels: ["topic"],
        "Requests whose record key is not their key id: one key's requests may then lie in several"
            + " partitions, and have no order.")
    static let verdicts = MetricFamily(
        "attest_worker_verdicts", .counter, labels: ["app", "type", "outcome", "reason"],
        seriesMax: 20_000,
        "Requests decided and answered for the first time. app is empty where no configured app was"
            + " proved, type where the message does not tell, reason where accepted.")
    static let wouldReject = MetricFamily(
        "attest_worker_would_reject", .counter, labels: ["app", "type", "reason"],
        seriesMax: 5_000,
        "Accepted requests that a policy set to report would have rejected with this reason, were"
            + " it enforced. One that several policies would reject counts for each.")
    static let outOfOrder = MetricFamily(
        "attest_worker_out_of_order", .counter, labels: ["app"],
        "Accepted assertions that a higher sign count of their key had overtaken: what the app's"
            + " replay window let in.")
    static let receipts = MetricFamily(
        "attest_worker_receipts_judged", .counter, labels: ["app", "result"],
        seriesMax: 5_000,
        "Receipts of genuine attestations that were answered for the first time, by what came of"
            + " them: valid, or the reason why not.")
    static let tokensIssued = MetricFamily(
        "attest_worker_tokens_issued", .counter, labels: ["app", "use"],
        seriesMax: 5_000,
        "Tokens in verdicts that were given for the first time, by what they are for: ordinary, or"
            + " limited.")
    static let tokensConsumed = MetricFamily(
        "attest_worker_tokens_consumed", .counter, labels: ["app", "result"],
        seriesMax: 5_000,
        "Tokens for limited use that somebody asked to consume, by what came of it: first, or"
            + " again, where one was consumed before.")
    static let simulatedVerdicts = MetricFamily(
        "attest_worker_simulated_verdicts", .counter, labels: ["app", "type", "outcome"],
        "Those of them that name an app marked as simulated. No device stands behind them.")
    static let duplicates = MetricFamily(
        "attest_worker_duplicates_answered", .counter, labels: ["cause"],
        zeros: [["redelivery"], ["gateway"]],
        "Requests answered with the verdict they had before: delivered again by Kafka, or sent"
            + " again by a gateway.")
    static let conflicts = MetricFamily(
        "attest_worker_request_id_conflicts", .counter,
        "Requests refused because their requestId was used before with other content.")
    static let stale = MetricFamily(
        "attest_worker_stale_requests", .counter,
        "Requests that came again after their verdict was pruned from the inbox.")
    static let deadLetters = MetricFamily(
        "attest_worker_dead_letters", .counter, labels: ["topic", "stage", "code"],
        "Records of a request topic in which no request can be read, or whose progress alone could"
            + " be stored.")
    static let replies = MetricFamily(
        "attest_worker_reply_copies", .counter, labels: ["result"],
        zeros: ReplyResult.allCases.map { [$0.rawValue] },
        "Copies of verdicts that requests asked for with the header attest-reply-topic: sent;"
            + " wrong_topic and bad_partition, the headers name no place to send them to; refused,"
            + " the partition does not exist or the broker does not take them; late, not delivered"
            + " in time; skipped, as one before is still on its way to that partition.")
    static let endToEnd = MetricFamily(
        "attest_worker_end_to_end_latency_seconds", .histogram(latencyBounds), .seconds,
        labels: ["type"], zeros: RequestKind.allCases.map { [$0.rawValue] },
        "From a record's timestamp to the delivery of its verdict.")

    // MARK: Batches

    static let batchRecords = MetricFamily(
        "attest_worker_batch_records", .histogram(countBounds), "Records in one batch.")
    static let batchDuration = MetricFamily(
        "attest_worker_batch_duration_seconds", .histogram(stageBounds), .seconds,
        "From the poll that brought a batch to the commit of its offsets.")
    static let stageDuration = MetricFamily(
        "attest_worker_stage_duration_seconds", .histogram(stageBounds), .seconds,
        labels: ["stage"], zeros: Stage.allCases.map { [$0.rawValue] },
        "What each stage of a batch took: poll (of polls that brought records), decode, load_keys,"
            + " verify, store, publish, commit; and claim, before a partition's first batch. Tries"
            + " that failed are left out of load_keys, store, commit and claim.")
    static let inHandRecords = MetricFamily(
        "attest_worker_inflight_messages", .gauge,
        "Records polled whose offsets are not committed yet.")
    static let inHandBytes = MetricFamily(
        "attest_worker_inflight_bytes", .gauge, .bytes, "Bytes of the values of these records.")
    static let unreported = MetricFamily(
        "attest_worker_unreported_verdicts", .gauge,
        "Verdicts and dead letters handed to the producer and not reported as delivered.")
}

/// The stages of a batch, as they are timed.
package enum Stage: String, Hashable, Sendable, CaseIterable {
    /// Taking ownership of partitions in the database.
    case claim
    /// Waiting for records: told of polls that brought some.
    case poll
    /// Messages to requests.
    case decode
    /// Reading the keys of assertions.
    case loadKeys = "load_keys"
    /// The core library.
    case verify
    /// The transaction that decides.
    case store
    /// From handing over to the last delivery report.
    case publish
    /// The commit of offsets.
    case commit
}
