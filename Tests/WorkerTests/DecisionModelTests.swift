import AppAttest
import AttestTestKit
import SeededNumbers
import Testing
import Wire
import Worker

/// The decision, through the lane, against a model that decides one request after the other.
@Suite struct DecisionModelTests {
    /// What a reader of Apple's text and of the design would write down: one key at a time.
    private struct Model {
        var window: UInt32 = 0
        var counts: [KeyID: UInt32] = [:]
        var seen: [KeyID: Set<UInt32>] = [:]
        var owners: [KeyID: String] = [:]

        mutating func register(_ key: KeyID, subject: String?) -> String {
            if counts[key] == nil {
                counts[key] = 0
                seen[key] = [0]
                owners[key] = subject
                return "accepted"
            }
            if let owner = owners[key], let subject, owner != subject { return "subject_mismatch" }
            return "accepted"
        }

        mutating func assert(_ key: KeyID, _ count: UInt32, subject: String?) -> String {
            guard let highest = counts[key] else { return "unknown_key" }
            if let owner = owners[key], let subject, owner != subject { return "subject_mismatch" }
            guard window > 0 else {
                guard count > highest else { return "counter_not_increasing" }
                counts[key] = count
                return "accepted"
            }
            let isInWindow = highest < window || count >= highest - window
            guard isInWindow, seen[key, default: []].insert(count).inserted else {
                return "counter_replayed"
            }
            counts[key] = max(count, highest)
            return "accepted"
        }
    }

    /// Thirty requests of three devices, drawn from a seed; one key's requests share a partition.
    private func scenario(_ random: inout SplitMix64, window: UInt32) -> Scenario {
        var scenario = Scenario()
        var model = Model(window: window)
        let devices = (21...23).map { Scenario.device(UInt64($0)) }
        let subjects: [String?] = [nil, "ann", "bob"]
        var sent: [(SentAssertion, device: Int)] = []
        for step in 0..<30 {
            let index = Int.random(in: 0..<devices.count, using: &random)
            let device = devices[index]
            let partition = Int32(index % 2)
            let subject = subjects[Int.random(in: 0..<subjects.count, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1:
                scenario.register(
                    device, partition: partition, subject: subject,
                    answer: model.register(device.keyID, subject: subject))
            case 2:
                guard let (again, owner) = sent.randomElement(using: &random) else { continue }
                scenario.send(
                    again, of: devices[owner], partition: Int32(owner % 2), id: again.id,
                    answer: nil)
            case 3:
                guard let (again, owner) = sent.randomElement(using: &random) else { continue }
                scenario.send(
                    again, of: devices[owner], partition: Int32(owner % 2), id: nil,
                    answer: model.assert(
                        devices[owner].keyID, again.signCount, subject: again.subject))
            default:
                let payload = Array("step \(step)".utf8)
                let most: UInt32 = window > 12 ? 90 : 12
                let count = UInt32.random(in: 1...most, using: &random)
                let minted = device.assert(
                    clientDataHash: ClientDataHash(hashing: payload), signCount: count)
                let assertion = SentAssertion(
                    id: scenario.nextRequestID(), object: minted.object, payload: payload,
                    signCount: count, subject: subject)
                sent.append((assertion, index))
                let answer = model.assert(device.keyID, count, subject: subject)
                scenario.request(
                    "assertion", minted.object, of: device, clientData: payload,
                    partition: partition, id: assertion.id, subject: subject, answer: answer,
                    signCount: answer == "accepted" ? count : nil)
            }
        }
        return scenario
    }

    @Test(arguments: 1...24, [0, 3, 64])
    func `whatever the batches, every request gets the model's answer`(
        seed: UInt64, window: UInt32
    ) throws {
        var random = SplitMix64(seed: seed)
        let scenario = scenario(&random, window: window)
        var rules = AppRules()
        rules.replayWindow = Int(window)
        let policy = try Scenario.policy(rules: rules)
        for batch in [1, 2, 7, 100] {
            let world = LaneWorld(scenario)
            #expect(world.finish(batch: batch, policy: policy) == nil)
            try world.checkOracle("seed \(seed), window \(window), batch \(batch)")
        }
    }

    @Test func `fifty assertions of one key in one batch are each decided`() throws {
        var scenario = Scenario()
        var device = Scenario.device(31)
        scenario.register(device, partition: 0)
        for _ in 0..<50 { scenario.assert(&device, partition: 0) }
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 100, policy: try Scenario.policy()) == nil)
        try world.checkOracle("one batch")
        #expect(world.kafka.commits.count == 1)
    }
}
