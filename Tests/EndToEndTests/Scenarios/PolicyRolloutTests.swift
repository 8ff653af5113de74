import AppAttest
import AttestTestKit
import Glibc
import Harness
import Testing
import Wire

extension EndToEndTests {
    @Suite struct PolicyRolloutTests {
        private let authority = TestAuthority(seed: 140)

        @Test func `two workers keep one policy, tell why, and a stricter one is tried`()
            async throws
        {
            var app = Load.app(authority)
            app.replayWindow = 8
            app.counterJump = WorkerSettings.CounterJump(max: 20, mode: "report")
            let world = try await World("policies", apps: [app]) { $0.audit = .init() }
            let list = try world.write("attest-revocations 1\nend 0\n", to: "revocations")
            try world.change { $0.revocations = .init(path: list) }
            let workers = [try await world.startWorker(), try await world.startWorker()]
            for worker in workers {
                try await worker.waitFor("partitions_assigned", within: .seconds(60))
            }
            let (ann, other, late) = (phone(1), phone(2), phone(3))
            let conversation = Conversation(world: world, workers: workers)

            // Two keys, one in each partition; three assertions of one of them in another order.
            try await conversation.expect(["register": nil, "register-other": nil]) {
                [
                    registration("register", ann, 0, subject: "ann"),
                    registration("register-other", other, 1),
                ]
            }
            try await conversation.expect(["three": nil, "one": nil, "two": nil, "other": nil]) {
                [
                    assertion("three", ann, 3), assertion("one", ann, 1), assertion("two", ann, 2),
                    assertion("other", other, 1, partition: 1),
                ]
            }
            try await conversation.expect(["again": "counter_replayed", "jump": nil]) {
                [assertion("again", ann, 2), assertion("jump", ann, 100)]
            }
            let told = try await ["three", "one", "two", "jump"].asyncMap(conversation.verdict)
            #expect(told.map(\.outOfOrder) == [nil, true, true, nil])
            #expect(told.map(\.wouldReject) == [nil, nil, nil, ["counter_jump"]])

            let moved = try await world.runOperator(
                "keys",
                [
                    "move", "--app-id=\(Load.appID)", "--to=bob", "--reason=ticket 1",
                    ann.keyID.text,
                ])
            #expect(moved.ended == .exited(0), "\(moved): \(moved.output)")
            try await conversation.expect(["old": "subject_mismatch", "new": nil]) {
                [
                    assertion("old", ann, 101, subject: "ann"),
                    assertion("new", ann, 102, subject: "bob"),
                ]
            }

            try await revoke([ann, late], in: list, conversation)
            // One key is registered, and one nobody has seen.
            try await conversation.expect(["revoked": "key_revoked", "unseen": "key_revoked"]) {
                [assertion("revoked", ann, 103), registration("unseen", late, 1)]
            }
            try await expectAudit(world)
            try await expectTrial(world)
            try await stop(workers)
        }

        /// Replaces the list of revocations, and waits until each worker has it.
        private func revoke(
            _ devices: [SimulatedDevice], in list: String, _ conversation: Conversation
        ) async throws {
            let entries = devices.map { "key \($0.keyID.text)\n" }.joined()
            let fresh = try conversation.world.write(
                "attest-revocations 1\n\(entries)end \(devices.count)\n", to: "revocations.new")
            #expect(rename(fresh, list) == 0)
            for worker in conversation.workers {
                try await eventually("the list; \(worker)", within: .seconds(30)) {
                    worker.count(of: "revocations_adopted") == 2
                }
            }
        }

        /// Each decision is kept once, and told in words.
        private func expectAudit(_ world: World) async throws {
            let rows = try await world.database.query(
                "SELECT (SELECT count(*) FROM attest.audit), (SELECT count(*) FROM attest.inbox),"
                    + " (SELECT count(DISTINCT request) FROM attest.audit),"
                    + " (SELECT count(*) FROM attest.key_moves)")
            #expect(rows.first == ["12", "12", "12", "1"])
            for (id, sentence) in [
                ("jump", "A policy that only reports would have refused it (counter_jump)"),
                ("again", "The assertion bears the sign count 2; 3 was the highest"),
                ("old", "The key belonged to another subject than was named."),
            ] {
                let told = try await world.runOperator("explain", ["--request-id=\(id)"])
                #expect(told.ended == .exited(0), "\(told)")
                #expect(told.output.contains(sentence), "\(told.output)")
                #expect(told.output.contains("attest.audit"))
            }
        }

        /// What was reported would be refused, and what the list refused may be accepted.
        private func expectTrial(_ world: World) async throws {
            var tried = world.settings
            tried.apps[0].counterJump?.mode = "enforce"
            tried.revocations = nil
            let path = try world.write(tried.json, to: "tried.json")
            let trial = try await world.runOperator(
                "check", ["--policy=\(path)", "--against-last=100"])
            #expect(trial.ended == .exited(1), "\(trial): \(trial.errors)")
            for line in [
                "12 requests were judged again: 8 as before",
                "1 would be refused: counter_jump, such as jump",
                "2 were refused and may be accepted: key_revoked",
                "1 can't be told", "counterJump: the sign count before",
            ] {
                #expect(trial.output.contains(line), "\(trial.output)")
            }
        }

        private func phone(_ seed: UInt64) -> SimulatedDevice {
            SimulatedDevice(seed: 1400 + seed, appID: Load.appID, authority: authority)
        }

        private func registration(
            _ id: String, _ device: SimulatedDevice, _ partition: Int32, subject: String? = nil
        ) -> SentRecord {
            let content = RegistrationContent.plain(clientData: Array(id.utf8))
            let attestation = device.attest(clientDataHash: content.clientDataHash, at: .now)
            return record(
                MintedRequest(
                    registration: attestation, content, requestID: id, subject: subject),
                partition)
        }

        private func assertion(
            _ id: String, _ device: SimulatedDevice, _ count: UInt32, partition: Int32 = 0,
            subject: String? = nil
        ) -> SentRecord {
            let content = AssertionContent.plain(clientData: Array(id.utf8))
            let assertion = device.assert(
                clientDataHash: content.clientDataHash, signCount: count)
            return record(
                MintedRequest(
                    assertion: assertion, content, requestID: id, subject: subject), partition)
        }

        private func record(_ message: MintedRequest, _ partition: Int32) -> SentRecord {
            SentRecord(
                key: Array(message.recordKey.utf8), value: message.json, partition: partition)
        }
    }
}

/// Requests that are sent together, and their verdicts.
private struct Conversation {
    let world: World
    let workers: [ChildProcess]

    /// Sends records and waits for the reasons by request; nil is accepted.
    func expect(_ reasons: [String: String?], _ records: () -> [SentRecord]) async throws {
        try world.send(records())
        try await eventually("\(reasons.keys); \(workers)", within: .seconds(60)) {
            let answers = try await world.answers()
            return reasons.keys.allSatisfy { answers[$0] != nil }
        }
        for (id, reason) in reasons {
            #expect(try await verdict(id).reason == reason, "\(id)")
        }
    }

    /// The verdict on a request.
    func verdict(_ id: String) async throws -> ReceivedVerdict {
        let bytes = try #require(try await world.answers()[id]?.last)
        return try ReceivedVerdict(parsing: bytes)
    }
}

extension Array {
    /// One value after the other.
    fileprivate func asyncMap<Value>(
        _ transform: (Element) async throws -> Value
    ) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
