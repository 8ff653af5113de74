import AppAttest
import AttestTestKit
import Testing
import Wire
import Worker

/// The window in the decision.
@Suite struct ReplayWindowTests {
    private func rules(_ window: Int) -> AppRules {
        var rules = AppRules()
        rules.replayWindow = window
        return rules
    }

    /// The first few assertions of a device, sent in this order of their counts.
    private func scenario(_ order: [Int], of device: SimulatedDevice) throws -> Scenario {
        var device = device
        var scenario = Scenario()
        let sent = (1...(order.max() ?? 1)).map { _ in scenario.mint(&device) }
        for count in order {
            scenario.send(sent[count - 1], of: device, partition: 0, id: nil, answer: nil)
        }
        return scenario
    }

    @Test func `requests that overtake each other are accepted once, and told`() throws {
        let device = Scenario.device(81)
        let scenario = try scenario([3, 2, 2, 1, 3, 6, 4, 1, 5], of: device)
        let keys = [device.keyID: StoredKey(of: device)]
        let (verdicts, writes) = try PureDecision(rules: rules(2), keys: keys).run(scenario)
        #expect(
            verdicts.map { $0.reason ?? $0.outcome } == [
                "accepted", "accepted", "counter_replayed", "accepted", "counter_replayed",
                "accepted", "accepted", "counter_replayed", "accepted",
            ])
        #expect(
            verdicts.map { $0.outOfOrder == true }
                == [3, 2, 2, 1, 3, 6, 4, 1, 5].enumerated()
                .map { [1, 3, 6, 8].contains($0.offset) })
        #expect(writes.uses[device.keyID]?.signCount == 6)
        #expect(writes.uses[device.keyID]?.window == SeenCounts(highest: 6, bits: .max))
    }

    @Test func `without a window the strict rule stands, and no bits are written`() throws {
        let device = Scenario.device(82)
        let scenario = try scenario([3, 2, 4], of: device)
        var key = StoredKey(of: device)
        key.window = SeenCounts(highest: 0, bits: 0)
        let (verdicts, writes) = try PureDecision(keys: [key.keyID: key]).run(scenario)
        #expect(
            verdicts.map { $0.reason ?? $0.outcome } == [
                "accepted", "counter_not_increasing", "accepted",
            ])
        #expect(verdicts.allSatisfy { $0.outOfOrder == nil })
        #expect(writes.uses[key.keyID]?.signCount == 4)
        #expect(writes.uses[key.keyID]?.window == nil)
    }

    @Test func `a second attestation keeps the window`() throws {
        var device = Scenario.device(83)
        var scenario = Scenario()
        scenario.register(device, partition: 0)
        let sent = (1...3).map { _ in scenario.mint(&device) }
        for counts in [[3, 1], [3, 1, 2]] {
            for count in counts {
                scenario.send(sent[count - 1], of: device, partition: 0, id: nil, answer: nil)
            }
            if counts.count == 2 { scenario.register(device, partition: 0) }
        }
        let (verdicts, writes) = try PureDecision(rules: rules(64)).run(scenario)
        #expect(
            verdicts.map { $0.reason ?? $0.outcome } == [
                "accepted", "accepted", "accepted", "accepted", "counter_replayed",
                "counter_replayed", "accepted",
            ])
        // The row is new: it begins at 0, and what the batch made of it is a use.
        #expect(writes.registrations.map(\.key.signCount) == [0])
        #expect(writes.uses[device.keyID]?.window == SeenCounts(highest: 3, bits: .max))
    }

    @Test(arguments: [(UInt32(10), nil), (11, "counter_jump")])
    func `a jump is told, or refused, by the policy's mode`(
        count: UInt32, reason: String?
    ) throws {
        var rules = AppRules()
        rules.counterJump.max = 6
        let device = Scenario.device(84)
        let payload = Array("jump".utf8)
        var scenario = Scenario()
        let minted = device.assert(
            clientDataHash: ClientDataHash(hashing: payload), signCount: count)
        scenario.request(
            "assertion", minted.object, of: device, clientData: payload, partition: 0, answer: nil)
        let keys = [device.keyID: StoredKey(of: device, signCount: 4)]
        let reported = try PureDecision(rules: rules, keys: keys).verdict(scenario)
        #expect(reported.outcome == "accepted")
        #expect(reported.wouldReject == reason.map { [$0] })
        rules.counterJump.mode = .enforce
        #expect(try PureDecision(rules: rules, keys: keys).verdict(scenario).reason == reason)
    }
}
