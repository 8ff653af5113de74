internal import AppAttest
internal import LibCrypto
internal import Wire

// What a batch adds to a lane's figures: added up while nobody waits for the lane's lock.

/// What is told of records that were taken in hand.
struct TakenRecords {
    private struct Kind: Hashable {
        let topic: String
        let name: String
    }

    private var records = Tally<Kind>()
    private var bytes = Tally<String>()
    private var keyMismatches = Tally<String>()
    private var oldest: [TopicPartition: Instant] = [:]

    /// Adds up.
    init(_ taken: [Record], _ decoded: [DecodedRecord]) {
        for (record, decoded) in zip(taken, decoded) {
            let topic = record.place.topic
            records.add(Kind(topic: topic, name: decoded.kind?.rawValue ?? "unknown"))
            bytes.add(topic, record.value?.count ?? 0)
            if decoded.isKeyed(otherwiseThan: record) { keyMismatches.add(topic) }
            guard let milliseconds = record.timestampMilliseconds else { continue }
            let timestamp = Instant(milliseconds: milliseconds)
            oldest[record.partition] = min(oldest[record.partition] ?? timestamp, timestamp)
        }
    }

    /// Counts them as a lane's.
    func count(in report: inout LaneReport) {
        var total = 0
        for (kind, count) in records.entries {
            report.cells.count(MetricTable.consumed, [kind.topic, kind.name], by: count)
            total += count
        }
        for (topic, count) in bytes.entries {
            report.cells.count(MetricTable.consumedBytes, [topic], by: count)
            report.inHandBytes += count
        }
        for (topic, count) in keyMismatches.entries {
            report.cells.count(MetricTable.keyMismatches, [topic], by: count)
        }
        for (partition, timestamp) in oldest {
            let before = report.partitions[partition]?.oldestInHand ?? timestamp
            report.partitions[partition]?.oldestInHand = min(before, timestamp)
        }
        report.inHandRecords += total
        report.cells.observe(MetricTable.batchRecords, [], total)
    }
}

/// What is told of answers that are delivered.
struct GivenAnswers {
    private struct Given: Hashable {
        let facts: VerdictFacts
        let type: String
    }

    private var verdicts = Tally<Given>()
    private var deadLetters = Tally<[String]>()
    /// Milliseconds from each record's timestamp until now, by the type of request.
    private var ages: [String: [Int64]] = [:]

    /// Adds up.
    init(_ batch: [JudgedRecord], _ decided: DecidedBatch, now: Instant) {
        for (place, judged) in batch.enumerated() {
            let type = judged.kind?.rawValue ?? ""
            switch decided.answers[place] {
            case .nothing: continue
            case .deadLetter(let cause):
                deadLetters.add([judged.record.place.topic, cause.stage.rawValue, cause.code])
            case .verdict:
                guard let facts = decided.facts[place] else { continue }
                verdicts.add(Given(facts: facts, type: type))
            }
            guard !type.isEmpty, let stamp = judged.record.timestampMilliseconds else { continue }
            let (age, isBeyond) = now.milliseconds.subtractingReportingOverflow(stamp)
            if !isBeyond { ages[type, default: []].append(age) }
        }
    }

    /// Counts them as a lane's.
    func count(in cells: inout MetricCells) {
        for (labels, count) in deadLetters.entries {
            cells.count(MetricTable.deadLetters, labels, by: count)
        }
        for (given, count) in verdicts.entries {
            cells.count(given.facts, type: given.type, times: count)
        }
        for (type, ages) in ages {
            cells.observe(MetricTable.endToEnd, [type], ages.map { .milliseconds($0) })
        }
    }
}

extension MetricCells {
    /// Counts verdicts of which the same is told.
    fileprivate mutating func count(_ facts: VerdictFacts, type: String, times: Int) {
        switch facts.repetition {
        case .redelivered: count(MetricTable.duplicates, ["redelivery"], by: times)
        case .sentAgain: count(MetricTable.duplicates, ["gateway"], by: times)
        case nil:
            let outcome = facts.reason == nil ? "accepted" : "rejected"
            let app = facts.appID ?? ""
            count(
                MetricTable.verdicts, [app, type, outcome, facts.reason?.code ?? ""], by: times)
            for reason in facts.wouldReject {
                count(MetricTable.wouldReject, [app, type, reason.code], by: times)
            }
            if facts.isOutOfOrder { count(MetricTable.outOfOrder, [app], by: times) }
            if let receipt = facts.receipt {
                let result = receipt.reason?.rawValue ?? receipt.name
                count(MetricTable.receipts, [app, result], by: times)
            }
            if let isLimited = facts.isTokenForLimitedUse {
                let use = isLimited ? "limited" : "ordinary"
                count(MetricTable.tokensIssued, [app, use], by: times)
            }
            if let isConsumedBefore = facts.isConsumedBefore {
                let result = isConsumedBefore ? "again" : "first"
                count(MetricTable.tokensConsumed, [app, result], by: times)
            }
            if facts.isSimulated {
                count(MetricTable.simulatedVerdicts, [app, type, outcome], by: times)
            }
            if facts.reason == .worker(.requestIDConflict) {
                count(MetricTable.conflicts, by: times)
            }
            if facts.reason == .worker(.staleRequest) { count(MetricTable.stale, by: times) }
        }
    }
}

extension DecodedRecord {
    /// What kind of request it holds, where the message tells.
    fileprivate var kind: RequestKind? {
        switch self {
        case .request(let request): request.kind
        case .service(let request): request.kind
        case .unjudgeable(let request): request.kind
        case .unreadable: nil
        }
    }

    /// Whether the record's key is not the key id of its request.
    fileprivate func isKeyed(otherwiseThan record: Record) -> Bool {
        guard case .request(let request) = self else { return false }
        guard let key = record.key, let bytes = Base64.decode(utf8: key) else { return true }
        return bytes != request.keyID.digest.bytes
    }
}
