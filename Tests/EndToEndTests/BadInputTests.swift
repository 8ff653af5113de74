import AttestTestKit
import FoundationEssentials
import Glibc
import Harness
import Testing
import Wire
import Worker

extension EndToEndTests {
    @Suite struct BadInputTests {
        /// All bad records go to partition 0, so that a record's place tells which it was.
        @Test func `bad input gets its verdict or dead letter, and the worker lives on`()
            async throws
        {
            let authority = TestAuthority(seed: 20)
            var records = try BadRecords(authority: authority)
            let world = try await World("bad-input", apps: [app(BadRecords.appID, authority)])
            let worker = try await world.startWorker()

            var first = records.registration
            first.partition = 0
            let bad = records.all()
            try world.send(
                [first]
                    + bad.map { bad in
                        var record = bad.record
                        record.partition = 0
                        return record
                    })
            let last = [0, 1].map { partition in
                var record = records.assertion("honest-\(partition)")
                record.partition = Int32(partition)
                return record
            }
            // One key in two partitions has no order of its own: the second one waits.
            for (partition, record) in last.enumerated() {
                try world.send([record])
                let answer = try await answer("honest-\(partition)", in: world, worker)
                #expect(Expectation(answer) == .accepted())
            }
            try await expect(bad, in: world)
            #expect(worker.ended == nil)
            worker.send(SIGTERM)
            #expect(try await worker.waitForEnd(within: .seconds(20)) == .exited(0))
            expectNoSecrets(in: worker.errors, [first] + bad.map(\.record))
        }

        @Test func `what the row decides is decided by the row`() async throws {
            let authority = TestAuthority(seed: 21)
            var records = try BadRecords(authority: authority)
            let world = try await World("rows", apps: [app(BadRecords.appID, authority)])
            let worker = try await world.startWorker()
            func verdict(_ requestID: String) async throws -> ReceivedVerdict {
                try await answer(requestID, in: world, worker)
            }
            func setKey(_ assignments: String) async throws {
                try await world.database.query("UPDATE attest.keys SET \(assignments)")
            }
            try world.send([records.registration])
            #expect(Expectation(try await verdict("registration")) == .accepted(reattested: false))

            var other = records.assertion("twin")
            try world.send([other])
            #expect(Expectation(try await verdict("twin")) == .accepted())
            // Its twin in the other partition is answered by the same bytes.
            let home = try #require(try await world.requests.readOn().last?.place.partition)
            other.partition = 1 - home
            try world.send([other])
            try await eventually("two equal verdicts; \(worker)", within: .seconds(20)) {
                try await world.answers()["twin"]?.count == 2
            }
            let twins = try #require(try await world.answers()["twin"])
            #expect(Set(twins).count == 1)
            let marks = try await world.verdicts.readOn().suffix(2).map { record in
                record.headers.contains { $0.name == "attest-redelivered" }
            }
            #expect(marks == [false, true])

            // The id of the twin with other content.
            try world.send([records.assertion("twin")])
            try await eventually("a conflict; \(worker)", within: .seconds(20)) {
                try await world.answers()["twin"]?.count == 3
            }
            let conflict = try #require(try await world.answers()["twin"]?.last)
            #expect(
                Expectation(try ReceivedVerdict(parsing: conflict))
                    == .rejected("request_id_conflict"))

            try await setKey("subject = 'alice'")
            try world.send([records.assertion("bob", subject: "bob")])
            #expect(Expectation(try await verdict("bob")) == .rejected("subject_mismatch"))
            try await setKey("app_id = 'TESTTEAM01.com.example.gone'")
            try world.send([records.assertion("gone")])
            #expect(Expectation(try await verdict("gone")) == .rejected("unknown_app"))
            try await setKey("app_id = '\(BadRecords.appID)', status = 'revoked'")
            try world.send([records.assertion("revoked")])
            #expect(Expectation(try await verdict("revoked")) == .rejected("key_revoked"))
            try await setKey("status = 'erased', public_key = ''")
            try world.send([records.assertion("erased")])
            #expect(Expectation(try await verdict("erased")) == .rejected("key_erased"))
            #expect(try await verdict("erased").retryable == false)
            worker.send(SIGTERM)
            #expect(try await worker.waitForEnd(within: .seconds(20)) == .exited(0))
        }
    }
}

private func app(_ appID: String, _ authority: TestAuthority) -> WorkerSettings.App {
    WorkerSettings.App(
        appId: appID, trustAnchor: certificatePEM(authority.rootCertificate), simulated: true)
}

/// Waits for a request's verdict.
private func answer(
    _ requestID: String, in world: World, _ worker: ChildProcess
) async throws -> ReceivedVerdict {
    try await eventually("a verdict on \(requestID); \(worker)", within: .seconds(30)) {
        try await world.answers()[requestID] != nil
    }
    let bytes = try #require(try await world.answers()[requestID]?.first)
    return try ReceivedVerdict(parsing: bytes)
}

/// Checks what became of each record of partition 0; the first one was honest.
private func expect(_ bad: [BadRecord], in world: World) async throws {
    var verdicts: [Int64: ReceivedVerdict] = [:]
    for record in try await world.verdicts.readOn() {
        let verdict = try ReceivedVerdict(parsing: record.value ?? [])
        guard verdict.source.partition == 0 else { continue }
        #expect(verdicts.updateValue(verdict, forKey: verdict.source.offset) == nil)
    }
    var letters: [Int64: Record] = [:]
    for record in try await world.deadLetters.readOn() {
        let offset = try #require(Int64(try header("source_offset", of: record)))
        #expect(letters.updateValue(record, forKey: offset) == nil)
    }
    for (place, bad) in bad.enumerated() {
        let offset = Int64(place + 1)
        switch bad.outcome {
        case .verdict(let expectation):
            #expect(letters[offset] == nil, "\(bad.name): a dead letter")
            let verdict = try #require(verdicts[offset], "\(bad.name): no verdict")
            #expect(Expectation(verdict).fulfils(expectation), "\(bad.name): \(verdict)")
        case .deadLetter(let code):
            #expect(verdicts[offset] == nil, "\(bad.name): a verdict")
            let letter = try #require(letters[offset], "\(bad.name): no dead letter")
            #expect(try header("error_code", of: letter) == code, "\(bad.name)")
            #expect(try header("source_topic", of: letter).hasSuffix("bad-input.requests"))
            #expect(letter.key == bad.record.key, "\(bad.name): the key is changed")
            #expect(letter.value == bad.record.value, "\(bad.name): the value is changed")
            #expect(Array(letter.headers.prefix(bad.record.headers.count)) == bad.record.headers)
        }
    }
}

private func header(_ name: String, of record: Record) throws -> String {
    let header = try #require(record.headers.first { $0.name == name }, "no header \(name)")
    return String(decoding: header.value ?? [], as: UTF8.self)
}

/// Nothing of a record may get into the log: no object, no key.
private func expectNoSecrets(in log: String, _ records: [SentRecord]) {
    for record in records {
        guard let value = record.value,
            let fields = try? JSONDecoder().decode([String: String].self, from: Data(value))
        else { continue }
        for (name, text) in fields where name != "requestId" && text.utf8.count >= 16 {
            #expect(!log.contains(text), "the log holds the \(name) of a request")
        }
    }
}
