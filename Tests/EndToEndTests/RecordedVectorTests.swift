import AttestTestKit
import FoundationEssentials
import Glibc
import Harness
import RecordedVectors
import Testing

extension EndToEndTests {
    @Suite struct RecordedVectorTests {
        @Test func `every recorded object gets its verdict by way of the topics`() async throws {
            let vectors = try RecordedVectors.all().filter { $0.kind != .receipt }
            let runs = try VectorRun.plan(vectors)
            #expect(runs.map(\.vectors.count).reduce(0, +) == vectors.count)
            // Together, as each waits some seconds for its group to form.
            try await withThrowingTaskGroup { group in
                for (number, run) in runs.enumerated() {
                    group.addTask { try await execute(run, number) }
                }
                try await group.waitForAll()
            }
        }
    }
}

private func execute(_ run: VectorRun, _ number: Int) async throws {
    let world = try await World("vectors-\(number)", apps: run.apps) { settings in
        settings.worker.maxRequestAge = "7300d"
    }
    try await insert(run.rows, into: world.database)
    try world.send(run.vectors.map { try $0.record() })
    let worker = try await world.startWorker()
    var answers: [String: [[UInt8]]] = [:]
    try await eventually("\(run.vectors.count) verdicts; \(worker)", within: .seconds(60)) {
        answers = try await world.answers()
        guard worker.ended == nil else { throw HarnessFailure("the worker ended: \(worker)") }
        return answers.count >= run.vectors.count
    }
    let expectations = run.expectations
    for vector in run.vectors {
        let bytes = try #require(answers[vector.name], "\(vector) has no verdict")
        #expect(bytes.count == 1)
        let verdict = try ReceivedVerdict(parsing: bytes[0])
        let expected = try #require(expectations[vector.name])
        #expect(Expectation(verdict).fulfils(expected), "\(vector): \(verdict)")
        #expect(verdict.keyId == vector.keyID?.base64EncodedString())
        #expect(verdict.type == (vector.kind == .assertion ? "assertion" : "registration"))
        guard vector.isAccepted else { continue }
        #expect(verdict.appId == vector.appID, "\(vector)")
        #expect(verdict.environment == run.environments[vector.appID ?? ""], "\(vector)")
        #expect(verdict.signCount == vector.signCount ?? 0, "\(vector)")
    }
    #expect(answers.count == run.vectors.count)
    #expect(try await world.deadLetters.readOn().isEmpty)
    worker.send(SIGTERM)
    #expect(try await worker.waitForEnd(within: .seconds(20)) == .exited(0), "\(worker)")
}

/// Stores keys as a registration would have.
private func insert(_ rows: [Data: VectorRun.Row], into database: Database) async throws {
    guard !rows.isEmpty else { return }
    let values = rows.map { keyID, row in
        """
        (decode('\(keyID.base64EncodedString())', 'base64'), '\(row.appID)', \
        '\(row.environment)', decode('\(row.publicKey.base64EncodedString())', 'base64'), \
        \(row.signCount), 'active', 'apple')
        """
    }
    try await database.query(
        "INSERT INTO attest.keys (key_id, app_id, environment, public_key, sign_count, status, "
            + "attested_by) VALUES \(values.joined(separator: ", "))")
}
