import AppAttest
import AttestTestKit
import KeyStoreSuite
import SeededNumbers
import Testing
import Wire
import Worker

/// Lanes and an operator at one database, against a model that knows one key at a time.
@Suite struct KeyChangeModelTests {
    private enum Status { case active, revoked, erased }

    /// What a key must be, as far as the requests and the operator made it so.
    private struct Model {
        var counts: [KeyID: UInt32] = [:]
        var statuses: [KeyID: Status] = [:]
        var owners: [KeyID: String] = [:]

        private func refusal(_ key: KeyID) -> String? {
            switch statuses[key] {
            case .revoked: "key_revoked"
            case .erased: "key_erased"
            case .active, nil: nil
            }
        }

        mutating func register(_ key: KeyID, by subject: String) -> String {
            if let refusal = refusal(key) { return refusal }
            if let owner = owners[key], owner != subject { return "subject_mismatch" }
            owners[key] = subject
            counts[key] = counts[key] ?? 0
            statuses[key] = .active
            return "accepted"
        }

        mutating func assert(_ key: KeyID, _ count: UInt32, by subject: String) -> String {
            if let refusal = refusal(key) { return refusal }
            guard let highest = counts[key] else { return "unknown_key" }
            if owners[key] != subject { return "subject_mismatch" }
            guard count > highest else { return "counter_not_increasing" }
            counts[key] = count
            return "accepted"
        }

        mutating func apply(_ change: KeyChange, to key: KeyID) -> KeyChangeOutcome {
            guard let status = statuses[key] else { return .unknown }
            switch (status, change) {
            case (.erased, _): return .unchanged(.erased)
            case (.revoked, .revoke), (.revoked, .move): return .unchanged(.revoked)
            case (.active, .move(let subject, _)):
                if owners[key] == subject { return .ownedBefore }
                owners[key] = subject
                return .moved
            case (.active, .revoke):
                statuses[key] = .revoked
                return .changed(.revoked)
            case (_, .erase):
                statuses[key] = .erased
                return .changed(.erased)
            }
        }
    }

    private struct Step {
        var records: Int
        var change: KeyChange
        var key: KeyID
        var outcome: KeyChangeOutcome
    }

    /// Eight rounds of eight requests of three devices, and after each what an operator does.
    private func story(_ random: inout SplitMix64) -> (scenario: Scenario, steps: [Step], Model) {
        var scenario = Scenario()
        var model = Model()
        var steps: [Step] = []
        let devices = (61...63).map { Scenario.device(UInt64($0)) }
        for _ in 0..<8 {
            for _ in 0..<8 {
                let index = Int.random(in: 0..<devices.count, using: &random)
                let device = devices[index]
                let subject = "owner \(index)"
                guard Int.random(in: 0..<4, using: &random) > 0 else {
                    scenario.register(
                        device, partition: Int32(index % 2), subject: subject,
                        answer: model.register(device.keyID, by: subject))
                    continue
                }
                let count = UInt32.random(in: 1...40, using: &random)
                let payload = Array("\(scenario.records.count)".utf8)
                let minted = device.assert(
                    clientDataHash: ClientDataHash(hashing: payload), signCount: count)
                scenario.request(
                    "assertion", minted.object, of: device, clientData: payload,
                    partition: Int32(index % 2), subject: subject,
                    answer: model.assert(device.keyID, count, by: subject))
            }
            let key = devices[Int.random(in: 0..<devices.count, using: &random)].keyID
            let change: KeyChange =
                switch Int.random(in: 0..<6, using: &random) {
                case 0...1: .erase
                case 2...3: .revoke(reason: "why")
                default: .move(to: "owner \(Int.random(in: 0..<3, using: &random))", reason: "why")
                }
            steps.append(
                Step(
                    records: scenario.records.count, change: change, key: key,
                    outcome: model.apply(change, to: key)))
        }
        return (scenario, steps, model)
    }

    @Test(arguments: 1...16)
    func `whatever operators do, every request gets the model's answer`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (scenario, steps, model) = story(&random)
        for batch in [1, 5, 100] {
            let world = LaneWorld(scenario, first: steps.first?.records)
            let register = InMemoryKeyRegister(world.database)
            var done = steps.first?.records ?? 0
            for step in steps {
                world.kafka.append(Array(scenario.records[done..<step.records]))
                done = step.records
                #expect(world.finish(batch: batch, policy: try Scenario.policy()) == nil)
                let outcomes = try register.apply(
                    step.change, to: [step.key], appID: Scenario.appID, isDryRun: false)
                #expect(outcomes == [step.key: step.outcome])
                if step.change == .erase, step.outcome != .unknown {
                    _ = register.eraseVerdicts(of: [step.key], isDryRun: false) { _ in }
                }
            }
            try check(world, model, "seed \(seed), batch \(batch)")
        }
    }

    private func check(_ world: LaneWorld, _ model: Model, _ context: String) throws {
        let verdicts = try world.verdicts()
        #expect(verdicts.count == world.scenario.expectations.count, "\(context)")
        let answers = Dictionary(uniqueKeysWithValues: verdicts.map { ($0.requestId, $0) })
        for expectation in world.scenario.expectations {
            let verdict = answers[expectation.requestID]
            let answer = verdict?.outcome == "accepted" ? "accepted" : verdict?.reason
            #expect(answer == expectation.answer, "\(context): \(expectation.requestID)")
        }
        let erased = model.statuses.filter { $0.value == .erased }.map(\.key.text)
        for row in world.database.rows.inbox.values {
            let verdict = try ReceivedVerdict(parsing: row.entry.verdict)
            guard erased.contains(verdict.keyId ?? "") else { continue }
            #expect(verdict.reason == "key_erased", "\(context): an answer of an erased key")
            #expect(verdict.subject == nil, "\(context): the owner of an erased key")
        }
        for (keyID, count) in model.counts {
            let row = world.database.rows.keys[keyID]
            #expect(row?.key.signCount == count, "\(context): a sign count")
            if model.statuses[keyID] == .erased {
                #expect(row?.key.publicKey == [], "\(context): the public key of an erased key")
                #expect(row?.key.subject == nil, "\(context): the subject of an erased key")
            }
        }
    }
}
