import AttestTestKit
import Synchronization
import Testing
import Wire

@testable import Worker

/// Copies of verdicts on the reply topic: they come with the verdicts, and never in their way.
@Suite struct LaneReplyTests {
    /// A scenario whose records ask for copies.
    private func scenario(
        _ headers: (Int) -> [Header] = {
            ReplyAddress.headers(topic: "replies", partition: Int32($0 % 3))
        }
    ) -> Scenario {
        var scenario = Scenario.mixed()
        scenario.addHeaders(headers)
        return scenario
    }

    private func start(_ scenario: Scenario) -> (world: LaneWorld, member: Int) {
        let world = LaneWorld(scenario)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        return (world, member)
    }

    private func published(_ world: LaneWorld, _ topic: String) -> [OutgoingRecord] {
        world.kafka.published.filter { $0.topic == topic }
    }

    private func counts(_ world: LaneWorld) -> [String: Int] {
        var counts: [String: Int] = [:]
        for (labels, value) in world.observer?.report.cells[MetricTable.replies] ?? [:] {
            if case .number(let number) = value, number > 0 { counts[labels[0]] = number }
        }
        return counts
    }

    @Test(arguments: [1, 3, 100])
    func `each verdict has its copy, alike but for its place`(batch: Int) throws {
        let (world, member) = start(scenario())
        let end = world.runLane(
            batch: batch, member: member, policy: try Scenario.policy(), replyTopic: "replies")
        #expect(end == nil)
        let verdicts = published(world, "verdicts")
        let copies = published(world, "replies")
        #expect(copies.map(\.value) == verdicts.map(\.value))
        #expect(copies.map(\.key) == verdicts.map(\.key))
        #expect(copies.map(\.headers) == verdicts.map(\.headers))
        #expect(verdicts.allSatisfy { $0.partition == nil })
        let asked = try copies.map { copy in
            let place = try ReceivedVerdict(parsing: copy.value ?? []).source
            return world.scenario.records.firstIndex {
                $0.place.partition == place.partition && $0.place.offset == place.offset
            }
        }
        // A repetition is answered with its first answer's place, and where its own record asks.
        #expect(zip(copies, asked).count { $0.partition == $1.map { Int32($0 % 3) } } >= 11)
        #expect(counts(world) == ["sent": copies.count])
        #expect(published(world, "dead").allSatisfy { $0.partition == nil })
        try world.checkOracle("with copies")
    }

    @Test func `without the setting the headers are ignored`() throws {
        let (world, member) = start(scenario())
        #expect(world.runLane(batch: 4, member: member, policy: try Scenario.policy()) == nil)
        #expect(published(world, "replies").isEmpty)
        #expect(counts(world).isEmpty)
    }

    @Test func `headers that name no place cost the copy alone`() throws {
        let flawed = scenario { number in
            switch number % 3 {
            case 0: ReplyAddress.headers(topic: "verdicts", partition: 0)
            case 1: [Header(name: "attest-reply-topic", text: "replies")]
            default: []
            }
        }
        let lines = Mutex<[String]>([])
        let log = Log(level: .debug, format: .json, clock: { 0 }) { line in
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        let (world, member) = start(flawed)
        let end = world.runLane(
            batch: 4, member: member, policy: try Scenario.policy(), replyTopic: "replies",
            log: log)
        #expect(end == nil)
        #expect(published(world, "replies").isEmpty)
        let counts = counts(world)
        #expect(counts["wrong_topic"] ?? 0 >= 3 && counts["bad_partition"] ?? 0 >= 3)
        #expect(counts.count == 2)
        let told = lines.withLock { $0 }.filter { $0.contains("\"reply_lost\"") }
        #expect(told.contains { $0.contains("wrong_topic") })
        #expect(told.count <= 2 * 3, "the rate is bounded")
        try world.checkOracle("with flawed headers")
    }

    @Test(
        arguments: [
            .refused(code: "_UNKNOWN_PARTITION"), .forbidden(code: "TOPIC_AUTHORIZATION_FAILED"),
            .failed(code: "_TIMED_OUT"),
        ] as [DeliveryReport.Result])
    func `a copy that is not taken is lost, its verdict is not`(
        result: DeliveryReport.Result
    ) throws {
        let (world, member) = start(scenario())
        let end = world.runLane(
            batch: 3, member: member, policy: try Scenario.policy(), replyTopic: "replies",
            delivery: { $0.partition == nil ? .delivered : result })
        #expect(end == nil)
        #expect(counts(world) == ["refused": published(world, "verdicts").count])
        try world.checkOracle("copies end with \(result)")
    }

    @Test func `copies that are never reported delay one batch, and are not piled up`() throws {
        let headers = ReplyAddress.headers(topic: "replies", partition: 1)
        let (world, member) = start(scenario { _ in headers })
        var copies = 0
        let end = world.runLane(
            batch: 3, member: member, policy: try Scenario.policy(), replyTopic: "replies",
            delivery: { record in
                guard record.partition != nil else { return .delivered }
                copies += 1
                return nil
            })
        #expect(end == nil)
        #expect(copies <= 3, "one batch of them; the others are skipped")
        let counts = counts(world)
        #expect(counts["late"] == copies)
        #expect(counts["skipped"] == published(world, "verdicts").count - copies)
        try world.checkOracle("without reports of copies")
    }

    @Test(arguments: [1, 3, 100])
    func `a death at any point leaves no verdict without its copy`(batch: Int) throws {
        let policy = try Scenario.policy()
        let scenario = scenario()
        var point = 0
        var isReached = true
        while isReached {
            isReached = false
            let (world, member) = start(scenario)
            var passed = 0
            _ = world.runLane(
                batch: batch, member: member, policy: policy, replyTopic: "replies",
                hook: { name throws(Fault) in
                    passed += 1
                    guard passed == point + 1 else { return }
                    isReached = true
                    throw Fault(
                        operation: name, code: "died", disposition: .stop(.software),
                        message: "the process dies here")
                })
            let successor = world.kafka.join()
            world.kafka.assign(world.partitions, to: successor, tellingFormer: false)
            #expect(
                world.runLane(
                    batch: batch, member: successor, policy: policy, replyTopic: "replies") == nil)
            try world.checkOracle("batch \(batch), point \(point)")
            for (offsets, publishedBefore) in world.kafka.commits {
                let before = world.kafka.published.prefix(publishedBefore)
                let copied = Set(before.filter { $0.topic == "replies" }.map(\.value))
                for verdict in published(world, "verdicts") {
                    let place = try ReceivedVerdict(parsing: verdict.value ?? []).source
                    let partition = TopicPartition(topic: place.topic, partition: place.partition)
                    guard place.offset < offsets[partition] ?? 0 else { continue }
                    #expect(copied.contains(verdict.value), "committed before its copy")
                }
            }
            point += 1
        }
        #expect(point > 40, "the enumeration covers the run")
    }
}
