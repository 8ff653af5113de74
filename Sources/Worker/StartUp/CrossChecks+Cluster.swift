// What the brokers' and the topics' configurations must be, beside our settings.

extension CrossChecks {
    /// How much larger than its request a dead letter may be: its headers.
    static let deadLetterOverheadBytes = 16 * 1024
    /// The most bytes of a verdict with its headers, rounded up: a baggage of 8 KiB, a tracestate
    /// of 512 bytes, and texts of the verdict, each of at most 256 bytes.
    static let verdictBytesMax = 16 * 1024
    /// Kafka's default of `offsets.retention.minutes`.
    static let standardOffsetRetention: Duration = .seconds(7 * 86_400)
    /// librdkafka's default of `fetch.message.max.bytes`, for one partition.
    static let standardPartitionFetchBytesMax: Int64 = 1_048_576

    /// What the brokers tell.
    package func ofCluster(_ facts: ClusterFacts, _ process: ProcessFacts) -> [Finding] {
        let topics = settings.kafka.topics
        var findings = unknown(facts)
        for name in topics.all {
            guard let topic = facts.topics[name] else { continue }
            findings += cleanup(name, topic.configuration)
        }
        for name in topics.requests {
            guard let topic = facts.topics[name] else { continue }
            findings += retention(name, topic.configuration, facts.broker)
            findings += unclean(name, topic.configuration)
        }
        for name in [topics.verdicts, topics.deadLetters] {
            guard let topic = facts.topics[name] else { continue }
            findings += replicas(name, topic.configuration, facts.brokerCount)
        }
        findings += messageSizes(facts)
        findings += partitions(facts, process)
        findings += sessionTimeout(facts.broker)
        findings += memory(facts, process)
        findings += memoryBudget(process)
        return findings
    }

    /// What was not told can't be held against anything: one line for all that share a reason.
    private func unknown(_ facts: ClusterFacts) -> [Finding] {
        var subjects: [String: [String]] = [:]
        func note(_ subject: String, _ configuration: Configuration) {
            guard case .notAnswered(let code) = configuration else { return }
            subjects[code, default: []].append(subject)
        }
        for name in settings.kafka.topics.all {
            if let topic = facts.topics[name] { note(name, topic.configuration) }
        }
        note("the brokers", facts.broker)
        return subjects.sorted { $0.key < $1.key }.map { code, names in
            Finding(
                .warning, "configuration of \(names.joined(separator: ", "))",
                found: "could not be looked up (\(code))",
                needed: "retention, cleanup.policy and message sizes as the settings page says",
                remedy: "grant DescribeConfigs, or look at them by hand")
        }
    }

    private func cleanup(_ name: String, _ configuration: Configuration) -> [Finding] {
        guard let policy = configuration["cleanup.policy"] else { return [] }
        let subject = "cleanup.policy of \(name)"
        guard policy.contains("compact") else { return [.fine(subject, policy)] }
        return [
            Finding(
                .error(.incompatible), subject, found: policy, needed: "delete",
                remedy: "set it: of one key only the last record would stay")
        ]
    }

    /// A request that may be read again must still be in the inbox, or it can't be answered as it
    /// was: it is read again as long as the topic has it, from where an expired offset leads.
    private func retention(
        _ name: String, _ configuration: Configuration, _ broker: Configuration
    ) -> [Finding] {
        guard let text = configuration["retention.ms"], let kept = Int64(text) else { return [] }
        let subject = "retention.ms of \(name)"
        let minutes = broker["offsets.retention.minutes"].flatMap(Int64.init)
        let offsets = minutes.map { Duration.seconds(60) * $0 } ?? Self.standardOffsetRetention
        let remembered = settings.postgres.inboxRetention
        let found =
            (kept < 0 ? "for ever" : Duration.milliseconds(kept).written)
            + ", and offsets are kept for \(offsets.written)\(minutes == nil ? " (assumed)" : "")"
        let isEnough = kept >= 0 && .milliseconds(kept) + offsets <= remembered
        guard !isEnough else { return [.fine(subject, found)] }
        let needed =
            kept < 0
            ? "a retention, and postgres.inboxRetention (\(remembered.written)) above it"
            : "postgres.inboxRetention of at least "
                + "\((.milliseconds(kept) + offsets).written), not \(remembered.written)"
        return [
            Finding(
                .warning, subject, found: found, needed: needed,
                remedy: "raise the one or lower the other: a request that is read again after the"
                    + " inbox forgot it gets `stale_request` instead of its verdict")
        ]
    }

    private func unclean(_ name: String, _ configuration: Configuration) -> [Finding] {
        guard configuration["unclean.leader.election.enable"] == "true" else { return [] }
        return [
            Finding(
                .warning, "unclean.leader.election.enable of \(name)", found: "true",
                needed: "false",
                remedy: "set it: requests that were acknowledged may vanish with a broker")
        ]
    }

    private func replicas(
        _ name: String, _ configuration: Configuration, _ brokerCount: Int
    ) -> [Finding] {
        guard brokerCount > 1, let text = configuration["min.insync.replicas"],
            let count = Int(text), count < 2
        else { return [] }
        return [
            Finding(
                .warning, "min.insync.replicas of \(name)", found: text, needed: "2",
                remedy: "raise it: what one broker alone has acknowledged is lost with it")
        ]
    }

    private func partitions(_ facts: ClusterFacts, _ process: ProcessFacts) -> [Finding] {
        let counts = settings.kafka.topics.requests.compactMap { facts.topics[$0]?.partitions }
        let total = counts.reduce(0, +)
        var findings: [Finding] = []
        if Set(counts).count > 1 {
            findings.append(
                Finding(
                    .warning, "partitions of the request topics",
                    found: counts.map(String.init).joined(separator: ", "),
                    needed: "the same number",
                    remedy: "add partitions: one key's requests lie in partitions of different"
                        + " numbers, and lanes share them out unevenly"))
        }
        if total > 0, process.lanes > total {
            findings.append(
                Finding(
                    .warning, "lanes", found: "\(process.lanes)",
                    needed: "at most \(total), the partitions of the request topics",
                    remedy: "lower worker.lanes or add partitions: the rest is idle"))
        }
        return findings
    }

    private func sessionTimeout(_ broker: Configuration) -> [Finding] {
        let mine = settings.kafka.sessionTimeout
        let least = broker["group.min.session.timeout.ms"].flatMap(Int64.init)
        let most = broker["group.max.session.timeout.ms"].flatMap(Int64.init)
        let isRight =
            least.map { mine >= .milliseconds($0) } ?? true
            && most.map { mine <= .milliseconds($0) } ?? true
        guard !isRight else { return [] }
        func written(_ bound: Int64?) -> String {
            bound.map { Duration.milliseconds($0).written } ?? "any"
        }
        return [
            Finding(
                .error(.config), "kafka.sessionTimeout", found: mine.written,
                needed: "\(written(least)) to \(written(most)), as the brokers allow",
                remedy: "change it, or no lane can join the group")
        ]
    }

    /// Each lane fetches ahead up to its limit, and beyond it by what is on its way at that moment.
    private func memory(_ facts: ClusterFacts, _ process: ProcessFacts) -> [Finding] {
        guard let most = process.memoryBytesMax else { return [] }
        func property(_ names: [String], _ standard: Int64) -> Int64 {
            names.lazy.compactMap { settings.kafka.properties[$0].flatMap(Int64.init) }.first
                ?? standard
        }
        let lanes = Int64(process.lanes)
        let plan = MemoryPlan(settings, lanes: process.lanes)
        let fetch = property(["fetch.max.bytes"], Int64(plan.fetchBytesMax))
        let partitionFetch = property(
            ["fetch.message.max.bytes", "max.partition.fetch.bytes"],
            Self.standardPartitionFetchBytesMax)
        let requests = settings.kafka.topics.requests
        let partitions = requests.compactMap { facts.topics[$0]?.partitions }.reduce(0, +)
        let onTheWay = min(
            Int64(partitions).multipliedClamping(partitionFetch),
            (lanes * Int64(max(1, facts.brokerCount))).multipliedClamping(fetch))
        let prefetch = lanes.multipliedClamping(Int64(plan.prefetchBytesMax))
        // A batch is held as records, as requests, and as answers on their way.
        let batches = lanes.multipliedClamping(3 * Int64(settings.worker.limits.batch.bytesMax))
        let needed = prefetch.addingClamping(onTheWay).addingClamping(batches)
        let found = "\(megabytes(most)) for this process"
        guard needed > most else {
            return [.fine("memory", found + ", \(megabytes(needed)) needed at the most")]
        }
        return [
            Finding(
                .warning, "memory", found: found,
                needed: "\(megabytes(needed)) if all \(partitions) partitions come here full:"
                    + " \(megabytes(prefetch)) fetched ahead by \(lanes) lanes,"
                    + " \(megabytes(onTheWay)) on the way, \(megabytes(batches)) in batches",
                remedy: "lower worker.memoryBudget or worker.lanes, or allow more memory")
        ]
    }

    /// What no lane can do without may be more than the budget.
    private func memoryBudget(_ process: ProcessFacts) -> [Finding] {
        let plan = MemoryPlan(settings, lanes: process.lanes)
        guard !plan.isKept else { return [] }
        return [
            Finding(
                .warning, "worker.memoryBudget",
                found: megabytes(Int64(settings.worker.memoryBudget)),
                needed: "\(megabytes(Int64(plan.neededBytes))) for \(process.lanes) lanes, each"
                    + " with three batches and one answer of each of three brokers",
                remedy: "raise it, or lower worker.lanes or worker.batchBytesMax")
        ]
    }
}

extension Settings.Topics {
    /// All topics, those of the requests first.
    package var all: [String] {
        requests + [verdicts, deadLetters]
    }

    /// What lanes write to.
    package var written: [String] {
        [verdicts, deadLetters] + [replies].compactMap { $0 }
    }
}

private func megabytes(_ bytes: Int64) -> String {
    "\((bytes >> 20) + (bytes & 0xFFFFF == 0 ? 0 : 1)) MiB"
}

extension Int64 {
    /// The product, or the largest number.
    fileprivate func multipliedClamping(_ other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        return isBeyond ? .max : product
    }

    /// The sum, or the largest number.
    fileprivate func addingClamping(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? .max : sum
    }
}
