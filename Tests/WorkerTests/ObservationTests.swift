import AppAttest
import AttestTestKit
import KeyStoreSuite
import SampleKeys
import Testing
import Wire

@testable import Worker

/// What is told of a lane is what happened to it.
@Suite struct ObservationTests {
    /// Runs a scenario in one lane and gives what was told of it in the end.
    private func observe(
        _ scenario: Scenario, policy: Policy? = nil, batch: Int = 3,
        hook: @escaping LaneWorld.Hook = { (_) throws(Fault) in },
        delivery: @escaping InMemorySink.Delivery = { _ in .delivered }
    ) throws -> (world: LaneWorld, report: LaneReport, fault: Fault?) {
        let world = LaneWorld(scenario)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let fault = world.runLane(
            batch: batch, member: member, policy: try policy ?? Scenario.policy(), hook: hook,
            delivery: delivery)
        return (world, try #require(world.observer).report, fault)
    }

    private func total(_ report: LaneReport, _ family: MetricFamily) -> Int {
        report.cells[family].values.reduce(0) { sum, value in
            guard case .number(let number) = value else { return sum }
            return sum + number
        }
    }

    private func count(_ report: LaneReport, _ family: MetricFamily, _ labels: [String]) -> Int {
        guard case .number(let number) = report.cells[family][labels] else { return 0 }
        return number
    }

    private func observations(
        _ report: LaneReport, _ family: MetricFamily, _ labels: [String] = []
    ) -> Int {
        guard case .histogram(let counts, _) = report.cells[family][labels] else { return 0 }
        return counts.reduce(0, +)
    }

    @Test func `verdicts, dead letters and stages are counted`() throws {
        let scenario = Scenario.mixed()
        let (world, report, fault) = try observe(scenario)
        #expect(fault == nil)
        // Each verdict is one record published; what comes again is told as a duplicate.
        let published = world.kafka.published.count { $0.topic == "verdicts" }
        let verdicts = total(report, MetricTable.verdicts)
        #expect(verdicts + total(report, MetricTable.duplicates) == published)
        let expected = Dictionary(grouping: scenario.expectations, by: \.answer)
        for (answer, requests) in expected {
            let counted = report.cells[MetricTable.verdicts].filter { labels, _ in
                answer == "accepted" ? labels[2] == "accepted" : labels[3] == answer
            }.count
            #expect(counted > 0, "\(answer), \(requests.count) times")
        }
        #expect(total(report, MetricTable.deadLetters) == scenario.deadLetters)
        #expect(total(report, MetricTable.consumed) == scenario.records.count)
        let bytes = scenario.records.reduce(0) { $0 + ($1.value?.count ?? 0) }
        #expect(total(report, MetricTable.consumedBytes) == bytes)

        let batches = observations(report, MetricTable.batchRecords)
        #expect(batches >= scenario.records.count / 3)
        for stage in Stage.allCases where stage != .loadKeys && stage != .claim {
            #expect(
                observations(report, MetricTable.stageDuration, [stage.rawValue]) == batches,
                "\(stage)")
        }
        #expect(count(report, MetricTable.transactions, ["commit"]) == batches)
        #expect(count(report, MetricTable.commits, ["committed"]) == batches)
        #expect(count(report, MetricTable.rebalances, ["assigned"]) == 1)
        #expect(total(report, MetricTable.retries) == 0)
        #expect(report.inHandRecords == 0 && report.inHandBytes == 0 && report.unreported == 0)
        #expect(report.isMember && report.storeFault == nil && report.trouble == nil)
        for (partition, committed) in world.kafka.committed {
            #expect(report.partitions[partition]?.committed == committed)
            #expect(report.partitions[partition]?.position == committed)
        }
    }

    @Test func `a record that is not keyed by its key id is counted`() throws {
        let judge = Judge(policy: try Scenario.policy(), messageLimits: MessageLimits())
        let record = try #require(Scenario.mixed().records.first)
        let other = Array("AAAA".utf8)
        for (key, isCounted) in [(record.key, false), (nil, true), ([], true), (other, true)] {
            let clock = LaneClock(wall: { Scenario.now }, monotonic: { .zero })
            let observer = LaneObserver(lane: 0, clock: clock)
            let keyed = Record(
                place: record.place, timestampMilliseconds: record.timestampMilliseconds, key: key,
                value: record.value, headers: record.headers)
            observer.took([keyed], [judge.decode(keyed)])
            #expect(
                total(observer.report, MetricTable.keyMismatches) == (isCounted ? 1 : 0))
        }
    }

    @Test func `verdicts of simulated apps are told apart`() throws {
        let policy = try Scenario.policy(isSimulated: true)
        let (_, report, _) = try observe(Scenario.mixed(), policy: policy)
        let simulated = total(report, MetricTable.simulatedVerdicts)
        #expect(simulated > 0)
        let named = report.cells[MetricTable.verdicts].filter { $0.key[0] == Scenario.appID }
        let sum = named.values.reduce(0) { sum, value in
            if case .number(let number) = value { sum + number } else { sum }
        }
        #expect(simulated == sum)
        let (_, real, _) = try observe(Scenario.mixed())
        #expect(total(real, MetricTable.simulatedVerdicts) == 0)
    }

    @Test func `tokens are counted by what they are for, and by what became of them`() throws {
        let policy = try TokenSamples.fullPolicy(TokenSamples.policy(SampleKeys.rsa))
        let tokens = try #require(policy.tokens)
        let token = TokenSamples.token("one", by: tokens)
        var scenario = Scenario()
        for number in UInt8(1)...3 {
            let members = number == 1 ? "" : #","limitedUse":true"#
            scenario.register(
                Scenario.device(530 + UInt64(number)), id: "r-\(number)", adding: members,
                challenge: ChallengeSamples.challenge(number).bytes)
        }
        for answer in ["accepted", "already consumed", "already consumed"] {
            scenario.serve(#""type":"consume","token":"\#(token)""#, answer: answer)
        }
        let (_, report, _) = try observe(scenario, policy: policy)
        let app = Scenario.appID
        for (family, labels, count) in [
            (MetricTable.tokensIssued, [app, "ordinary"], 1),
            (MetricTable.tokensIssued, [app, "limited"], 2),
            (MetricTable.tokensConsumed, [app, "first"], 1),
            (MetricTable.tokensConsumed, [app, "again"], 2),
        ] as [(MetricFamily, [String], Int)] {
            #expect(report.cells[family][labels] == .number(count), "\(labels)")
        }
    }

    @Test func `a partition that is given away is told no more`() throws {
        let world = LaneWorld(Scenario.mixed())
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let lost = try #require(world.partitions.first)
        var isTold = false
        let fault = world.runLane(
            batch: 3, member: member, policy: try Scenario.policy(),
            hook: { name throws(Fault) in
                guard name == "commitOffsets after", !isTold else { return }
                isTold = true
                #expect(world.observer?.report.partitions[lost]?.position != nil)
                world.kafka.tellLoss(of: [lost], to: member)
            })
        #expect(fault == nil)
        #expect(isTold)
        let report = try #require(world.observer).report
        #expect(Set(report.partitions.keys) == Set(world.partitions.dropFirst()))
        #expect(count(report, MetricTable.rebalances, ["lost"]) == 1)
    }

    @Test(arguments: [
        ("begin before", "store"), ("commit before", "store"), ("commit after", "store"),
        ("readKeys before", "load_keys"), ("enqueue before", "publish"),
        ("commitOffsets before", "commit"), ("claim before", "claim"),
    ])
    func `a fault that passes is told with its stage and its code`(
        point: String, stage: String
    ) throws {
        var failures = 0
        let (world, report, fault) = try observe(
            Scenario.mixed(),
            hook: { name throws(Fault) in
                guard name == point, failures < 2 else { return }
                failures += 1
                throw Fault(
                    operation: name, code: "08006", disposition: .retry,
                    message: "the connection breaks here")
            })
        #expect(fault == nil)
        #expect(failures == 2)
        #expect(count(report, MetricTable.retries, [stage, "08006"]) == 2)
        #expect(report.trouble == nil, "it has passed")
        #expect(report.storeFault == nil)
        if stage == "store" {
            let result = point.hasPrefix("commit") ? "in_doubt" : "rollback"
            #expect(count(report, MetricTable.transactions, [result]) == 2)
        }
        #expect(
            count(report, MetricTable.commits, ["failed"]) == (stage == "commit" ? 2 : 0))
        try world.checkOracle(point)
    }

    @Test func `a lane that sits out a fault is blocked, and says by what`() throws {
        var seen: LaneReport?
        var failures = 0
        let world = LaneWorld(Scenario.mixed())
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let fault = world.runLane(
            batch: 3, member: member, policy: try Scenario.policy(),
            hook: { name throws(Fault) in
                // Between two tries the lane polls: there it can be looked at.
                if failures > 1, seen == nil, name == "poll before" {
                    seen = world.observer?.report
                }
                guard name == "begin before", failures < 3 else { return }
                failures += 1
                throw Fault(
                    operation: name, code: "53300", disposition: .retry, message: "it is full")
            })
        #expect(fault == nil)
        let report = try #require(seen)
        #expect(report.state == .blocked)
        #expect(report.trouble?.fault.code == "53300")
        #expect(report.storeFault?.code == "53300")
        #expect(report.inHandRecords == 3)
        #expect(report.partitions.values.contains { $0.oldestInHand != nil })
        // The client's own watermarks stand still while its partitions are paused.
        for partition in world.partitions {
            let end = Int64(try #require(world.kafka.logs[partition]).count)
            #expect(report.highWatermark(of: partition) == end)
            #expect(report.lag(of: partition) == end)
        }
        let later = try #require(world.observer).report
        #expect(later.partitions.values.allSatisfy { $0.seenEnd == nil })
    }

    @Test func `a database that lost commits is told`() throws {
        let world = LaneWorld(Scenario.mixed())
        let policy = try Scenario.policy()
        #expect(world.finish(batch: 3, policy: policy) == nil)
        world.database.change { rows in
            for id in rows.progress.keys {
                rows.progress[id]?.nextOffset = 1
                rows.progress[id]?.publishedOffset = 1
            }
        }
        #expect(world.finish(batch: 3, policy: policy) == nil)
        let report = try #require(world.observer).report
        #expect(count(report, MetricTable.regressions, ["assign"]) == world.partitions.count)
    }
}
