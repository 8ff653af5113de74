import AttestTestKit
import Testing
import Worker

/// Two lanes at once, in every order of their effects on what they share.
@Suite struct InterleavingTests {
    private func explore(_ encounter: Encounter, policy: Policy? = nil) throws {
        let clock = ContinuousClock.now
        let counts = try Explorer.explore(encounter, policy: try policy ?? Scenario.policy())
        print(
            """
            \(encounter.name): \(counts.interleavings) orders of effects in \
            \(counts.states) states, \(counts.runs) runs, \(counts.ends) ends; \
            \(clock.duration(to: .now))
            """)
        #expect(counts.ends > 0)
        #expect(counts.deepEnds == 0, "the interleavings are gone through to their ends")
    }

    /// The coordinator gives the partition to another lane at any moment, and tells the former
    /// owner at any later one.
    @Test(arguments: [
        ([MixPart.first, .repeated], [2, 1]), ([.first, .replayed], [1, 2]),
        ([.first, .conflicting], [1, 1]), ([.malformed, .unreadable], [2, 1]),
        ([.first, .second, .first], [2, 2]), ([.first, .repeated, .replayed], [3, 1]),
    ])
    func `two lanes on one partition do no harm in any order`(
        parts: [MixPart], batches: [Int]
    ) throws {
        let mixer = try Mixer(policy: try Scenario.policy())
        let name = "\(parts.map(\.rawValue)) in batches of \(batches)"
        try explore(
            Encounter(name: name, scenario: mixer.scenario(parts), batches: batches))
    }

    @Test func `two lanes do a replay window no harm in any order`() throws {
        var rules = AppRules()
        rules.replayWindow = 2
        let policy = try Scenario.policy(rules: rules)
        let mixer = try Mixer(policy: policy)
        try explore(
            Encounter(
                name: "overtaken", scenario: mixer.scenario([.overtaken, .replayed]),
                batches: [2, 1]), policy: policy)
    }

    @Test func `one of two lanes may die as well`() throws {
        let mixer = try Mixer(policy: try Scenario.policy())
        try explore(
            Encounter(
                name: "with a death", scenario: mixer.scenario([.first, .repeated]),
                batches: [2, 1], deathsMax: 1))
    }

    @Test func `a partition may be revoked in good order`() throws {
        let mixer = try Mixer(policy: try Scenario.policy())
        try explore(
            Encounter(
                name: "in good order", scenario: mixer.scenario([.first, .second, .replayed]),
                batches: [1, 2], turns: [.revoke(from: 0), .give(to: 1)]))
    }

    @Test func `a partition may go to another lane and back`() throws {
        let mixer = try Mixer(policy: try Scenario.policy())
        try explore(
            Encounter(
                name: "there and back", scenario: mixer.scenario([.first]), batches: [1, 1],
                turns: [.give(to: 1), .tellLoss(to: 0), .give(to: 0), .tellLoss(to: 1)]))
    }

    @Test func `two lanes may register one key at once`() throws {
        var scenario = Scenario()
        var device = Scenario.device(73)
        scenario.register(device, partition: 0)
        scenario.assert(&device, partition: 0)
        try explore(Encounter(name: "registration", scenario: scenario, batches: [1, 2]))
    }

    /// One request in two partitions, each with a lane of its own: one of them decides it.
    @Test func `two lanes on two partitions decide one request once`() throws {
        let mixer = try Mixer(policy: try Scenario.policy())
        var scenario = mixer.scenario([])
        var device = mixer.first
        let sent = scenario.assert(&device, partition: 0)
        scenario.send(sent, of: device, partition: 1, id: sent.id, answer: nil)
        try explore(
            Encounter(
                name: "two partitions", scenario: scenario, batches: [1, 1],
                firstOwners: [0: 0, 1: 1], turns: [.give(to: 0), .tellLoss(to: 1)]))
    }
}
