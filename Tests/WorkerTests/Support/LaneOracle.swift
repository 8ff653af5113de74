import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import Synchronization
import Testing
import Wire
import Worker

// What must hold of a world after all that happened to it.

extension LaneWorld {
    /// Expects the promise of the product to be kept, whatever happened on the way.
    func checkOracle(_ context: String) throws {
        for broken in try brokenPromises() { Issue.record("\(context): \(broken)") }
    }

    /// What is broken of the promise, now that all is done.
    ///
    /// Accepted pairs in the database are the distinct valid requests; every request is answered,
    /// with one verdict byte for byte; a key's verdicts first come in offset order; no commit was
    /// ahead of a verdict; and all is committed.
    func brokenPromises() throws -> [String] {
        var broken = try wrongTellings() + wrongCounts()
        let verdicts = try verdicts()
        let answered = Set(verdicts.filter { !$0.isConflict }.map(\.requestId))
        for expectation in scenario.expectations where !answered.contains(expectation.requestID) {
            broken.append("no verdict of \(expectation.requestID)")
        }
        for race in scenario.races {
            let told = verdicts.filter { race.requestIDs.contains($0.requestId ?? "") }
            if Set(told.map(\.requestId)).count != race.requestIDs.count {
                broken.append("not all of \(race.requestIDs) are answered")
            }
            if !told.contains(where: { $0.answer == "accepted" }) {
                broken.append("none of \(race.requestIDs) is accepted")
            }
        }
        let conflicts = Set(verdicts.filter(\.isConflict).map(\.verdictId))
        if conflicts.count != scenario.conflicts { broken.append("\(conflicts.count) conflicts") }
        let deadLetters = kafka.published.count { $0.topic == "dead" }
        if deadLetters < scenario.deadLetters { broken.append("\(deadLetters) dead letters") }
        if !kafka.isDrained { broken.append("not all is committed") }
        return broken
    }

    /// What is wrong of all that was told so far: this part of the promise holds at every moment.
    func wrongTellings() throws -> [String] {
        let answers = Dictionary(
            uniqueKeysWithValues: scenario.expectations.map { ($0.requestID, $0.answer) })
        var wrong: [String] = []
        var bytesOf: [String: [UInt8]] = [:]
        var last: [String: Int64] = [:]
        var winners: [Race: String] = [:]
        for record in kafka.published where record.topic == "verdicts" {
            let verdict = try ReceivedVerdict.cached(record.value ?? [])
            if let bytes = bytesOf[verdict.verdictId] {
                if bytes != record.value { wrong.append("two verdicts \(verdict.verdictId)") }
                continue
            }
            bytesOf[verdict.verdictId] = record.value ?? []
            guard let id = verdict.requestId, !verdict.isConflict else { continue }
            let answer = verdict.answer
            if let race = scenario.races.first(where: { $0.requestIDs.contains(id) }) {
                if answer == "accepted" {
                    if let winner = winners.updateValue(id, forKey: race) {
                        wrong.append("\(winner) and \(id) are accepted")
                    }
                } else if answer != race.loser {
                    wrong.append("\(id) loses with \(answer)")
                }
            } else if answer != answers[id] {
                wrong.append("\(id) is answered with \(answer)")
            }
            let key = "\(verdict.keyId ?? "") \(verdict.source.partition)"
            if verdict.source.offset <= last[key] ?? -1 {
                wrong.append("the verdict of \(id) comes after that of a later request of its key")
            }
            last[key] = verdict.source.offset
        }
        return wrong + commitsAhead()
    }

    /// Where accepted pairs in the database aren't the distinct valid requests, or rows not their
    /// maxima.
    private func wrongCounts() throws -> [String] {
        var accepted: [String: [UInt32]] = [:]
        for row in database.rows.inbox.values {
            let verdict = try ReceivedVerdict.cached(row.entry.verdict)
            guard verdict.outcome == "accepted", verdict.type == "assertion",
                let key = verdict.keyId, let count = verdict.signCount
            else { continue }
            accepted[key, default: []].append(count)
        }
        var valid: [String: [UInt32]] = [:]
        for expectation in scenario.expectations where expectation.answer == "accepted" {
            if let count = expectation.signCount {
                valid[expectation.keyID, default: []].append(count)
            }
        }
        var wrong: [String] = []
        if accepted.mapValues({ $0.sorted() }) != valid.mapValues({ $0.sorted() }) {
            wrong.append("accepted pairs: \(accepted.values), valid ones: \(valid.values)")
        }
        for (keyID, row) in database.rows.keys {
            let most = valid[Base64.encode(keyID.digest.bytes)]?.max() ?? 0
            if row.key.signCount != most { wrong.append("a sign count is \(row.key.signCount)") }
        }
        return wrong
    }

    private func commitsAhead() -> [String] {
        var answered: Set<String> = []
        var seen = 0
        for commit in kafka.commits {
            for record in kafka.published[seen..<commit.publishedBefore] {
                answered.insert(Self.answeredRequest(of: record))
            }
            seen = commit.publishedBefore
            for (partition, offset) in commit.offsets {
                let due = scenario.names(in: partition, before: offset)
                guard due.allSatisfy(answered.contains) else {
                    return ["the commit of \(offset) is ahead of a verdict"]
                }
            }
        }
        return []
    }

    /// What a published record answers, named as in ``Scenario/names(in:before:)``.
    private static func answeredRequest(of record: OutgoingRecord) -> String {
        if record.topic == "verdicts" {
            return (try? ReceivedVerdict.cached(record.value ?? []))?.requestId ?? ""
        }
        let source = ["source_partition", "source_offset"].map { name in
            let value = record.headers.first { $0.name == name }?.value ?? []
            return String(decoding: value, as: UTF8.self)
        }
        return "dead \(source[0]) \(source[1])"
    }
}

extension Scenario {
    /// What lies before an offset: request ids, and `dead PARTITION OFFSET` for what can't be read.
    fileprivate func names(in partition: TopicPartition, before offset: Int64) -> [String] {
        zip(records, names).compactMap { record, name in
            record.partition == partition && record.place.offset < offset ? name : nil
        }
    }
}

extension ReceivedVerdict {
    /// The same few verdicts are read again after each of thousands of runs.
    private static let known = Mutex<[[UInt8]: ReceivedVerdict]>([:])

    static func cached(_ bytes: [UInt8]) throws -> ReceivedVerdict {
        if let known = known.withLock({ $0[bytes] }) { return known }
        let verdict = try ReceivedVerdict(parsing: bytes)
        known.withLock { $0[bytes] = verdict }
        return verdict
    }

    /// The reason, or else what a scenario expects of it: `accepted`, or `already consumed`.
    var answer: String {
        reason ?? (alreadyConsumed == true ? "already consumed" : outcome)
    }

    /// Whether it tells of a request id used for other content.
    var isConflict: Bool { reason == WorkerReason.requestIDConflict.rawValue }
}
