import AppAttest
import AttestTestKit
import KeyStoreSuite
import Testing
import Wire
import Worker

/// What a stored risk metric makes of genuine requests, and what requests note of their keys.
@Suite struct RiskPolicyTests {
    private static func policy(
        max: Int? = nil, _ enforcement: Enforcement = .report, refreshes: Bool = true
    ) throws -> Policy {
        var rules = AppRules()
        rules.riskMetricMax = max
        rules.riskMetric = enforcement
        var policy = try Scenario.policy(rules: rules)
        policy.refresh = refreshes ? RefreshRules() : nil
        return policy
    }

    /// A world with a device whose key is registered, and a metric of it.
    private static func world(
        metric: UInt32?, answer: String
    ) throws -> (world: LaneWorld, keyID: KeyID) {
        var scenario = Scenario()
        var device = Scenario.device(60)
        scenario.register(device, partition: 0)
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 1, policy: try policy()) == nil)
        var later = Scenario()
        later.append(nil, partition: 0)
        _ = later.nextRequestID()
        later.assert(&device, partition: 0, answer: answer)
        world.kafka.append(Array(later.records.dropFirst()))
        let keyID = device.keyID
        world.database.change { rows in
            var row = InMemoryReceiptRow(
                state: ReceiptState(
                    keyID: keyID, createdAt: Scenario.now, notBefore: nil,
                    expiresAt: Scenario.now.advanced(by: .seconds(90 * 86_400)), failures: 0,
                    nextAttempt: nil), appID: Scenario.appID, seenOn: Scenario.now.day - 3)
            row.state.metric = metric
            row.state.metricAsOf = metric.map { _ in Scenario.now }
            rows.receipts[keyID] = row
        }
        return (world, keyID)
    }

    private static func last(_ world: LaneWorld) throws -> ReceivedVerdict {
        try ReceivedVerdict(parsing: try #require(world.kafka.published.last?.value))
    }

    @Test func `an accepted request tells the metric that is stored`() throws {
        let (world, _) = try Self.world(metric: 2, answer: "accepted")
        #expect(world.finish(batch: 1, policy: try Self.policy(max: 2)) == nil)
        let verdict = try Self.last(world)
        #expect(verdict.outcome == "accepted")
        #expect(verdict.risk?.metric == 2)
        #expect(verdict.risk?.asOf == "2026-09-21T14:13:20Z")
        #expect(verdict.wouldReject == nil)
    }

    @Test func `a metric above the limit is reported or refused, as policy wants it`() throws {
        for enforcement in Enforcement.allCases {
            let refuses = enforcement == .enforce
            let (world, keyID) = try Self.world(
                metric: 4, answer: refuses ? "risk_too_high" : "accepted")
            #expect(world.finish(batch: 1, policy: try Self.policy(max: 3, enforcement)) == nil)
            let verdict = try Self.last(world)
            #expect(verdict.outcome == (refuses ? "rejected" : "accepted"))
            #expect(verdict.reason == (refuses ? "risk_too_high" : nil))
            #expect(verdict.wouldReject == (refuses ? nil : ["risk_too_high"]))
            // What is refused moves no sign count.
            #expect(world.database.rows.keys[keyID]?.key.signCount == (refuses ? 0 : 1))
        }
    }

    @Test func `the audit keeps the metric that a refusal rests on`() throws {
        let (world, _) = try Self.world(metric: 4, answer: "risk_too_high")
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        #expect(
            world.runLane(
                batch: 1, member: member, policy: try Self.policy(max: 3, .enforce),
                isAudited: true) == nil)
        let entry = try #require(world.database.rows.audit.last)
        let facts = try #require(AuditFacts(parsing: entry.facts))
        #expect(facts.reason == "risk_too_high")
        #expect(facts.risk?.metric == 4)
        #expect(facts.risk?.asOf == "2026-09-21T14:13:20Z")
        #expect(try Self.last(world).risk == nil)
    }

    @Test func `a key of which nothing is known passes, whatever the limit`() throws {
        let (world, _) = try Self.world(metric: nil, answer: "accepted")
        #expect(world.finish(batch: 1, policy: try Self.policy(max: 0, .enforce)) == nil)
        let verdict = try Self.last(world)
        #expect(verdict.outcome == "accepted" && verdict.risk == nil)
    }

    @Test func `an accepted request notes the day, and makes its receipt due again`() throws {
        let (world, keyID) = try Self.world(metric: 1, answer: "accepted")
        #expect(world.finish(batch: 1, policy: try Self.policy()) == nil)
        let row = try #require(world.database.rows.receipts[keyID])
        #expect(row.seenOn == Scenario.now.day)
        let due = try #require(row.state.nextAttempt)
        #expect(due >= Scenario.now)
        #expect(due <= Scenario.now.advanced(by: RefreshRules().firstWithin))
    }

    @Test func `without a refresh nothing is noted, and no metric is looked up`() throws {
        let (world, keyID) = try Self.world(metric: 9, answer: "accepted")
        let policy = try Self.policy(max: 0, .enforce, refreshes: false)
        #expect(world.finish(batch: 1, policy: policy) == nil)
        #expect(try Self.last(world).risk == nil)
        #expect(world.database.rows.receipts[keyID]?.seenOn == Scenario.now.day - 3)
    }
}
