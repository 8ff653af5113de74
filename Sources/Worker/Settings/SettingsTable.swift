internal import AppAttest
internal import Wire

/// Every setting there is, in the order of the reference page.
package enum SettingsTable {
    /// The settings of a process.
    package static let all: [Setting<Settings>] =
        kafka + postgres + worker + [apps] + log + operations + traces + revocations
        + receipts + audit + challenges + artifacts + tokens + gateway

    private static let kafka: [Setting<Settings>] = [
        Setting(
            "kafka.bootstrapServers", \.kafka.bootstrapServers,
            .list("a list of host:port, each once") { !$0.isEmpty && !$0.contains(" ") },
            "Brokers to start from."),
        Setting(
            "kafka.groupId", \.kafka.groupID, .text("a consumer group's name", bytesMax: 249),
            "The consumer group; the same for all workers of a fleet."),
        Setting(
            "kafka.clientId", \.kafka.clientID, .text("a name", bytesMax: 249),
            "What brokers call this process in their logs and quotas."),
        Setting(
            "kafka.topics.requests", \.kafka.topics.requests, .topics,
            "Topics that requests are read from. What a message is, its fields tell."),
        Setting(
            "kafka.topics.verdicts", \.kafka.topics.verdicts, .topic,
            "Topic that verdicts are published on, keyed by key id."),
        Setting(
            "kafka.topics.deadLetters", \.kafka.topics.deadLetters, .topic,
            "Topic for records in which no request can be read."),
        Setting(
            "kafka.topics.risk", \.kafka.topics.risk, .topic,
            "Topic that changes of a key's risk metric are published on, keyed by key id; used"
                + " where receipts are refreshed, see `receipts.keyPath`."),
        Setting(
            "kafka.topics.replies", \.kafka.topics.replies, .optional(.topic),
            "Topic of which each gateway reads one partition: requests with the headers"
                + " `attest-reply-topic`, which must be this topic, and `attest-reply-partition`"
                + " have their verdict published there too: [gateways](gateway.md). Unset, these"
                + " headers are ignored."),
        Setting(
            "kafka.sessionTimeout", \.kafka.sessionTimeout,
            .duration(in: .seconds(1)...(.seconds(1800))),
            "How long a member that went silent keeps its partitions."),
        Setting(
            "kafka.maxPollInterval", \.kafka.maxPollInterval,
            .duration(in: .seconds(1)...(.seconds(86_400))),
            "How long a member may go without asking for records."),
        Setting(
            "kafka.assignmentStrategy", \.kafka.assignmentStrategy, .choice,
            "How the group shares partitions out. `cooperative-sticky` needs librdkafka 2.3.0: an"
                + " older one can abort the process with it."),
        Setting(
            "kafka.groupInstanceId", \.kafka.groupInstanceID,
            .optionalText("a name that no other process of the group has", bytesMax: 200),
            "A name that survives restarts, for static membership; each lane adds its number."),
        Setting(
            "kafka.prefetchBytesMax", \.kafka.prefetchBytesMax,
            .size(in: (1 << 20)...(1 << 30)),
            "The most bytes of records that one lane fetches ahead."),
        Setting(
            "kafka.oauth.tokenPath", \.kafka.tokenPath,
            .optionalText("a file's path", bytesMax: 4096),
            "The file with the token for SASL OAUTHBEARER, read anew each time one is needed, well"
                + " before the last one ends: a JSON Web Token, or a JSON object with"
                + " `access_token` and `expires_in`."),
        Setting(
            "kafka.oauth.tokenCommand", \.kafka.tokenCommand,
            .list("a program and its arguments, none of them empty or given twice") {
                !$0.isEmpty
            },
            "The program that prints such a token, in place of a file. Not a shell: the first"
                + " element is the program, the others are its arguments."),
        .properties,
        .propertyFiles,
    ]

    private static let postgres: [Setting<Settings>] = [
        Setting(
            "postgres.connection", \.postgres.connection,
            .text("a libpq connection string or URI", bytesMax: 4096), isSecret: true,
            "Where the database is. What it leaves out, libpq takes from `PGHOST`, `PGUSER`,"
                + " `PGPASSFILE`, `PGSSLMODE` and its other variables."),
        Setting(
            "postgres.password", \.postgres.password, .text("a password", bytesMax: 4096),
            isSecret: true,
            "The password, where neither the connection string nor libpq's own means have it."),
        Setting(
            "postgres.connectTimeout", \.postgres.connectTimeout,
            .duration(in: .seconds(2)...(.seconds(600))),
            "How long one host may take to accept a connection."),
        Setting(
            "postgres.lockTimeout", \.postgres.lockTimeout,
            .duration(in: .milliseconds(100)...(.seconds(600))),
            "How long one statement may wait for another worker's lock."),
        Setting(
            "postgres.statementTimeout", \.postgres.statementTimeout,
            .duration(in: .milliseconds(100)...(.seconds(600))),
            "How long one statement may run before it is given up and tried again."),
        Setting(
            "postgres.inboxRetention", \.postgres.inboxRetention,
            .duration(in: .seconds(86_400)...(.seconds(3650 * 86_400))),
            "How long decided requests are remembered: a repetition within it is answered with"
                + " the same bytes. Counted in whole days. At least the retention of the request"
                + " topics, plus that of the group's offsets, plus the longest outage."),
        Setting(
            "postgres.allowAsynchronousCommit", \.postgres.allowsAsynchronousCommit, .flag,
            "Whether `synchronous_commit = off` is tolerated: a crash of the server then forgets"
                + " sign counts that were accepted, and takes a replay for new."),
        Setting(
            "postgres.pooled", \.postgres.isPooled, .flag,
            "Whether a pooler in transaction mode, such as PgBouncer, stands in between: then no"
                + " prepared statements, and no settings for a session."),
    ]

    private static let worker: [Setting<Settings>] = [
        Setting(
            "worker.lanes", \.worker.count, .integer(in: 0...256),
            "Lanes in this process, a thread each with its own consumer, producer and database"
                + " connection; 0 is two a core, and 16 at the most, as a lane waits for commits"
                + " and deliveries half of its time. More than partitions are idle."),
        Setting(
            "worker.batchRecordsMax", \.worker.limits.batch.recordsMax, .integer(in: 1...10_000),
            "The most records in one batch, and so in one transaction."),
        Setting(
            "worker.batchBytesMax", \.worker.limits.batch.bytesMax,
            .size(in: 1024...(256 << 20)),
            "The most bytes of record values in one batch; a larger record is a batch alone."),
        Setting(
            "worker.memoryBudget", \.worker.memoryBudget,
            .size(in: (8 << 20)...(1 << 40)),
            "The most bytes of records that all lanes hold together: fetched ahead, on the way from"
                + " three brokers a lane, and in batches. `kafka.prefetchBytesMax` is lowered where"
                + " there are too many lanes for it; the number of partitions does not matter. The"
                + " program itself needs some 50 MiB more."),
        Setting(
            "worker.valueBytesMax", \.worker.messageLimits.valueBytesMax,
            .size(in: 1024...(64 << 20)),
            "The most bytes of a request; larger ones are dead letters."),
        Setting(
            "worker.idleWait", \.worker.limits.idleWait,
            .duration(in: .milliseconds(1)...(.seconds(5))),
            "How long an idle lane waits for a record before it looks around. It delays a stop,"
                + " not a record."),
        Setting(
            "worker.maxRequestAge", \.worker.maxRequestAge,
            .duration(in: .seconds(1)...(.seconds(36_500 * 86_400))),
            "How old a record's timestamp may be; older ones are `request_too_old`."),
        Setting(
            "worker.maxClockSkew", \.worker.maxClockSkew,
            .duration(in: .milliseconds(0)...(.seconds(86_400))),
            "How far ahead of this machine's clock a record's timestamp may be; beyond it is"
                + " `request_from_the_future`."),
        Setting(
            "worker.drainTimeout", \.worker.limits.drainTimeout,
            .duration(in: .milliseconds(100)...(.seconds(3600))),
            "How long a stop may take. What is not done by then is delivered again."),
        Setting(
            "worker.deadLettersInARowMax", \.worker.limits.deadLettersInARowMax,
            .integer(in: 0...1_000_000),
            "So many dead letters in a row halt the worker, as then the topic is wrong and not the"
                + " records; 0 never does."),
    ]

    private static let log: [Setting<Settings>] = [
        Setting("log.level", \.log.level, .choice, "The least level of lines that are written."),
        Setting(
            "log.format", \.log.format, .choice,
            "How lines on standard error look; `auto` is text on a terminal, JSON elsewhere."),
    ]
}
