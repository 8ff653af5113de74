import AttestTestKit
import Harness
import LibCrypto
import Wire
import Worker

/// Four requests of one key and one record without a request, answered as they should be, until a
/// test changes something.
struct DoctoredWorld {
    var verdicts: [[UInt8]] = []
    var deadLetters: [Record] = []
    /// Told after ``committedBeforeLate``.
    var lateVerdicts: [[UInt8]] = []
    var committedBeforeLate: Int64 = 0
    var forgetsBeforeLate = false
    /// Accepted assertions in the inbox: sign counts by request.
    var accepted: [String: UInt32] = ["one": 1, "two": 2]
    var storedDiffers = false
    var storedTwice = false
    var signCounts: [String: UInt32] = ["key": 2]
    /// Worker processes that have ended, and whether they were asked to.
    var ends: [(end: ChildProcess.End, wasAsked: Bool)] = [(.exited(0), true)]

    private static let topic = "requests"

    init() {
        verdicts = [
            verdict("registration", offset: 0, signCount: 0, type: "registration"),
            verdict("one", offset: 1, signCount: 1), verdict("two", offset: 2, signCount: 2),
            verdict("replay", offset: 3, reason: "counter_not_increasing"),
        ]
        deadLetters = [deadLetter(offset: 4, code: "not_json")]
    }

    /// Which clauses are broken.
    func brokenClauses() throws -> Set<OracleClause> {
        Set(try judged().findings.map(\.clause))
    }

    /// What the oracle makes of it.
    func judged() throws -> OracleLedger {
        var ledger = OracleLedger()
        let plan: [(String, Expectation, UInt32?)] = [
            ("registration", .accepted(reattested: nil), nil), ("one", .accepted(), 1),
            ("two", .accepted(), 2), ("replay", .rejected("counter_not_increasing"), nil),
            ("garbage", .deadLetter("not_json"), nil),
        ]
        for (offset, (id, expectation, count)) in plan.enumerated() {
            let isGarbage = id == "garbage"
            ledger.plan(
                PlannedRequest(
                    requestID: isGarbage ? nil : id, keyID: isGarbage ? "" : "key",
                    acceptedSignCount: count, expectation: expectation,
                    record: SentRecord(key: nil, value: Array(id.utf8))))
            ledger.sent(record(Self.topic, Int64(offset), Array(id.utf8)))
        }
        for letter in deadLetters { ledger.deadLettered(letter) }
        for (offset, value) in verdicts.enumerated() {
            try ledger.published(record("verdicts", Int64(offset), value))
        }
        if !lateVerdicts.isEmpty {
            let partition = TopicPartition(topic: Self.topic, partition: 0)
            ledger.committed([
                partition: LogPosition(committed: committedBeforeLate, low: 0, high: 5)
            ])
            if forgetsBeforeLate { ledger.forgetDecided() }
        }
        for (offset, value) in lateVerdicts.enumerated() {
            try ledger.published(record("verdicts", Int64(verdicts.count + offset), value))
        }
        for (end, wasAsked) in ends {
            ledger.ended("worker", with: end, wasAsked: wasAsked, words: "nothing")
        }
        ledger.stored(try storedVerdicts(), signCounts: signCounts)
        return ledger
    }

    /// What the inbox holds of what was published first.
    private func storedVerdicts() throws -> [StoredVerdict] {
        if forgetsBeforeLate { return [] }
        var rows: [StoredVerdict] = []
        var seen: Set<String> = []
        for value in verdicts + lateVerdicts {
            let parsed = try ReceivedVerdict(parsing: value)
            guard let id = parsed.requestId, id != "nobody", parsed.reason != "stale_request",
                seen.insert(id).inserted
            else { continue }
            let bytes = storedDiffers && id == "one" ? value + [0x20] : value
            rows.append(
                StoredVerdict(
                    sha256: hexadecimal(SHA256.hash(bytes).bytes),
                    keyID: accepted[id] == nil ? nil : "key", signCount: accepted[id]))
        }
        if let extra = accepted["none"] {
            // One that nobody published stands in for a row of the worker's own invention.
            rows[0] = StoredVerdict(sha256: rows[0].sha256, keyID: "key", signCount: extra)
        }
        return storedTwice ? rows + [StoredVerdict(sha256: rows[0].sha256)] : rows
    }

    /// A verdict's bytes.
    func verdict(
        _ id: String, offset: Int64, reason: String? = nil, signCount: UInt32? = nil,
        type: String = "assertion", spice: String = ""
    ) -> [UInt8] {
        var fields = [
            #""verdictId":"of \#(id)""#, #""requestId":"\#(id)""#, #""type":"\#(type)""#,
            #""outcome":"\#(reason == nil ? "accepted" : "rejected")""#, #""keyId":"key""#,
            #""source":{"topic":"requests","partition":0,"offset":\#(offset)}"#,
        ]
        if let reason { fields.append(#""reason":"\#(reason)""#) }
        if let signCount { fields.append(#""signCount":\#(signCount)"#) }
        return Array("{\(fields.joined(separator: ","))\(spice)}".utf8)
    }

    /// A dead letter.
    func deadLetter(offset: Int64, code: String) -> Record {
        Record(
            place: RecordPlace(topic: "dead", partition: 0, offset: 0), timestampMilliseconds: 0,
            key: nil, value: Array("garbage".utf8),
            headers: [
                Header(name: "source_partition", text: "0"),
                Header(name: "source_offset", text: String(offset)),
                Header(name: "error_code", text: code),
            ])
    }

    private func record(_ topic: String, _ offset: Int64, _ value: [UInt8]) -> Record {
        Record(
            place: RecordPlace(topic: topic, partition: 0, offset: offset),
            timestampMilliseconds: 0, key: nil, value: value, headers: [])
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
