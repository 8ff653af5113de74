import AppAttest
import Testing
import Wire
import Worker

@testable import attest_worker

@Suite struct `The tally of a demo` {
    private let requests: [PlannedRequest]
    private let answers: [WorkerInMemory.Answer]

    init() throws {
        requests = SmallDemo.shared.requests
        answers = try SmallDemo.shared.answers()
    }

    /// The failures that come when one kind's first answer is replaced by others.
    private func failures(
        _ kind: PlannedKind, _ change: (Record) throws -> [Record]
    ) throws -> [String] {
        let index = try #require(requests.firstIndex { $0.kind == kind })
        var tally = Tally()
        for request in requests { tally.sent(request, at: .zero) }
        for (position, answer) in answers.enumerated() {
            guard position == index else {
                tally.received(answer, at: .zero)
                continue
            }
            switch answer {
            case .verdict(let record):
                for changed in try change(record) { tally.receivedVerdict(changed, at: .zero) }
            case .deadLetter(let record):
                for changed in try change(record) { tally.receivedDeadLetter(changed, at: .zero) }
            }
        }
        return tally.finalFailures().map(\.description)
    }

    /// The record with another text in its value.
    private func replace(_ old: String, _ new: String, in record: Record) throws -> Record {
        let text = String(decoding: record.value ?? [], as: UTF8.self)
        try #require(text.contains(old))
        return Record(
            place: record.place, timestampMilliseconds: nil, key: record.key,
            value: Array(text.replacing(old, with: new).utf8), headers: record.headers)
    }

    private func without(_ header: String, _ record: Record) -> Record {
        Record(
            place: record.place, timestampMilliseconds: nil, key: record.key, value: record.value,
            headers: record.headers.filter { $0.name != header })
    }

    @Test func `is content with what was planned`() throws {
        #expect(try failures(.replay) { [$0] } == [])
    }

    @Test func `takes any answer twice, as at least one is promised`() throws {
        for kind in PlannedKind.allCases where requests.contains(where: { $0.kind == kind }) {
            #expect(try failures(kind) { [$0, $0] } == [], "\(kind)")
        }
    }

    @Test func `notices an answer that is missing`() throws {
        let failures = try failures(.unknownKey) { _ in [] }
        #expect(failures.count == 1)
        #expect(failures.first?.hasSuffix("expected rejected unknown_key, found no answer") == true)
        #expect(try self.failures(.garbage) { _ in [] }.count == 1)
        #expect(try self.failures(.reusedRequestID) { _ in [] }.count == 1)
    }

    @Test func `notices that a replay was accepted`() throws {
        let failures = try failures(.replay) { record in
            let accepted = try replace("\"rejected\"", "\"accepted\"", in: record)
            return [try replace("\"reason\":\"counter_not_increasing\",", "", in: accepted)]
        }
        #expect(failures.count == 1)
        #expect(
            failures.first?.hasSuffix("expected rejected counter_not_increasing, found accepted")
                == true)
    }

    @Test func `notices another reason`() throws {
        let failures = try failures(.forgedChain) {
            [try replace("chain_invalid", "nonce_mismatch", in: $0)]
        }
        #expect(
            failures.first?.hasSuffix(
                "expected rejected chain_invalid, found rejected nonce_mismatch") == true)
    }

    @Test(
        arguments: [
            ("\"type\":\"assertion\"", "\"type\":\"registration\"", "type"),
            ("\"signCount\":", "\"signCount\":9", "signCount"),
            ("\"keyId\":\"", "\"keyId\":\"A", "keyId"),
            ("\"outcome\"", "\"reattested\":true,\"outcome\"", "reattested"),
            ("\"appId\":\"", "\"appId\":\"OTHER", "appId"),
            ("\"production\"", "\"development\"", "environment"),
            ("\"simulated\":true,", "", "simulated"),
        ])
    func `notices another value in a right outcome`(
        _ old: String, _ new: String, _ name: String
    ) throws {
        // Its repeats differ from it then, which comes later.
        let failures = try failures(.assertion) { [try replace(old, new, in: $0)] }
        let first = try #require(failures.first)
        #expect(first.hasSuffix("expected accepted, found accepted, but wrong: \(name)"))
    }

    @Test func `notices a record under another key, or with another event id`() throws {
        let failures = try failures(.replay) { record in
            [
                Record(
                    place: record.place, timestampMilliseconds: nil, key: nil, value: record.value,
                    headers: record.headers.filter { $0.name != "ce_id" })
            ]
        }
        #expect(failures.first?.hasSuffix("wrong: the record's key, the header ce_id") == true)
    }

    @Test func `notices a repeat with other bytes`() throws {
        let failures = try failures(.repeated) {
            [try replace("{", "{ ", in: $0)]
        }
        #expect(failures.count == 1)
        #expect(
            failures.first?.hasSuffix("found an answer with other bytes than the first one") == true
        )
    }

    @Test func `notices a repeat that isn't marked as one`() throws {
        let repeated = requests.filter { $0.kind == .repeated }.map(\.id)
        let once = try #require(repeated.first { id in repeated.filter { $0 == id }.count == 1 })
        var tally = Tally()
        for request in requests { tally.sent(request, at: .zero) }
        for (request, answer) in zip(requests, answers) {
            guard request.id == once, case .verdict(let record) = answer else {
                tally.received(answer, at: .zero)
                continue
            }
            tally.receivedVerdict(
                without(VerdictMessage.redeliveredHeader, record), at: .zero)
        }
        let failures = tally.finalFailures().map(\.description)
        #expect(failures.count == 1)
        #expect(failures.first?.contains("without the header attest-redelivered") == true)
    }

    @Test func `takes one answer more, if it is equal`() throws {
        #expect(try failures(.replay) { [$0, $0] } == [])
        #expect(try failures(.garbage) { [$0, $0] } == [])
    }

    @Test func `notices a second verdict that differs`() throws {
        let failures = try failures(.replay) {
            [$0, try replace("counter_not_increasing", "unknown_key", in: $0)]
        }
        #expect(failures.count == 1)
    }

    @Test func `notices a verdict that nobody asked for`() throws {
        #expect(
            try failures(.replay) { [$0, try replace("demo-", "else-", in: $0)] }.count == 1)
        #expect(
            try failures(.replay) { record in
                [record, try replace("\"verdictId\":\"", "\"verdictId\":\"0", in: record)]
            }.count == 1)
    }

    @Test func `notices a verdict record that is no verdict`() throws {
        let failures = try failures(.replay) {
            [$0, try replace("\"outcome\"", "\"out\"", in: $0)]
        }
        #expect(failures == ["expected nothing, found a verdict record that holds no verdict"])
    }

    @Test func `notices a dead letter with another cause`() throws {
        let failures = try failures(.garbage) { record in
            [
                Record(
                    place: record.place, timestampMilliseconds: nil, key: record.key,
                    value: record.value,
                    headers: record.headers.map {
                        $0.name == "error_code" ? Header(name: $0.name, text: "flood") : $0
                    })
            ]
        }
        #expect(failures.first?.hasSuffix("found dead letter flood") == true)
    }

    @Test func `notices a dead letter that isn't the record byte for byte`() throws {
        let failures = try failures(.garbage) { record in
            [
                Record(
                    place: record.place, timestampMilliseconds: nil, key: [1], value: record.value,
                    headers: record.headers)
            ]
        }
        #expect(failures.first?.hasSuffix("not the record byte for byte") == true)
    }

    @Test func `notices a dead letter of a record that wasn't sent`() throws {
        let failures = try failures(.garbage) { record in
            [record, without(PlannedRequest.correlationHeader, record)]
        }
        #expect(failures.first?.hasPrefix("expected nothing, found a dead letter") == true)
    }

    @Test func `measures from sending to answering`() throws {
        var tally = Tally()
        let request = try #require(requests.first)
        tally.sent(request, at: .seconds(2))
        #expect(tally.unansweredCount == 1)
        #expect(tally.unansweredBytes == request.byteCount)
        tally.received(try #require(answers.first), at: .seconds(5))
        #expect(tally.latencies.durations == [.seconds(3)])
        #expect(tally.unansweredCount == 0)
    }

    @Test func `holds stored sign counts against planned ones`() throws {
        let plan = SmallDemo.shared.plan.plan
        let key = try #require(plan.signCounts.keys.min())
        let stranger = try #require(plan.strangers.min())
        #expect(WrongAnswer.differences(of: plan.signCounts, from: plan.signCounts) == [])
        var stored = plan.signCounts
        stored[key] = nil
        stored[stranger] = 0
        let found = WrongAnswer.differences(of: stored, from: plan.signCounts).map(\.found)
        #expect(Set(found) == ["no row", "sign count 0"])
    }
}
