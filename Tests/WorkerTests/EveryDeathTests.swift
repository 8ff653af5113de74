import Testing
import Worker

/// Deaths of lanes, gone through exhaustively.
@Suite struct EveryDeathTests {
    private func explore(
        _ mixes: [[MixPart]], window: Int = 0, isAudited: Bool = false
    ) throws -> DeathExplorer.Counts {
        var rules = AppRules()
        rules.replayWindow = window
        let policy = try Scenario.policy(rules: rules)
        let mixer = try Mixer(policy: policy)
        let clock = ContinuousClock.now
        var counts = DeathExplorer.Counts()
        for mix in mixes {
            counts += try DeathExplorer.explore(
                "\(mix.map(\.rawValue))", mixer.scenario(mix), batches: Array(1...mix.count),
                policy: policy, isAudited: isAudited)
        }
        print(
            """
            deaths: \(mixes.count) mixes, \(counts.points) points, \(counts.worlds) worlds left, \
            \(counts.lanes) lanes that went on; \(clock.duration(to: .now))
            """)
        return counts
    }

    @Test func `no sequence of deaths harms any mix of one or two requests`() throws {
        let mixes = (1...2).flatMap { Mixer.sequences(of: $0) }
        let counts = try explore(mixes)
        #expect(counts.worlds > mixes.count)
    }

    @Test func `no sequence of deaths harms a replay window`() throws {
        let parts = [MixPart.first, .overtaken, .replayed, .repeated]
        let mixes = (1...2).flatMap { Mixer.sequences(of: $0, parts) }
        #expect(try explore(mixes, window: 4).worlds > mixes.count)
    }

    @Test func `no sequence of deaths keeps a decision twice, or loses it, in the audit`() throws {
        let parts = [MixPart.first, .replayed, .repeated, .malformed]
        let mixes = (1...2).flatMap { Mixer.sequences(of: $0, parts) }
        #expect(try explore(mixes, isAudited: true).worlds > mixes.count)
    }

    @Test(arguments: [
        [MixPart.first, .second, .first], [.first, .repeated, .replayed],
        [.unreadable, .first, .malformed], [.first, .conflicting, .first],
    ])
    func `no sequence of deaths harms three requests`(mix: [MixPart]) throws {
        #expect(try explore([mix]).worlds > 5)
    }

    @Test(arguments: [
        [MixPart.first, .first, .repeated, .second], [.second, .first, .replayed, .unreadable],
    ])
    func `no sequence of deaths harms four requests`(mix: [MixPart]) throws {
        #expect(try explore([mix]).worlds > 5)
    }
}
