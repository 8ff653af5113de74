import KeyStoreSuite
import Testing
import Wire
import Worker

/// Where one batch ends and the next begins is no matter of the requests.
@Suite struct BatchBorderTests {
    @Test func `the verdict on a key that was not registered tells the same in any batch`() throws {
        var scenario = Scenario()
        var device = Scenario.device(92)
        scenario.register(device, partition: 0, answer: "platform_not_allowed")
        scenario.assert(&device, partition: 0, answer: "unknown_key")
        var rules = AppRules()
        rules.platforms.allow = []
        let policy = try Scenario.policy(rules: rules)
        let verdicts = [1, 2].map { batch in
            let world = LaneWorld(scenario)
            #expect(world.finish(batch: batch, policy: policy) == nil)
            return world.database.rows.inbox.mapValues(\.entry.verdict)
        }
        #expect(verdicts.first?.count == 2)
        #expect(verdicts.first == verdicts.last)
    }
}
