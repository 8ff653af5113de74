import AppAttest
import AttestTestKit
import SeededNumbers
import Synchronization
import Testing
import Wire
import Worker

/// What a lane does with the traces of its requests.
@Suite struct `Traces through a lane` {
    private static let sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    private static let unsampled = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-00"

    /// A scenario in which requests belong to traces in turn: recorded, not recorded, malformed,
    /// none.
    private func traced() -> Scenario {
        var scenario = Scenario.mixed()
        scenario.addHeaders { number in
            switch number % 4 {
            case 0: [Header(name: "traceparent", text: Self.sampled)]
            case 1: [Header(name: "traceparent", text: Self.unsampled)]
            case 2: [Header(name: "traceparent", text: "00-broken")]
            default: []
            }
        }
        return scenario
    }

    /// Runs a lane over a scenario.
    ///
    /// - Returns: the verdict records and the spans.
    private func run(
        _ scenario: Scenario, batch: Int = 4, isTraced: Bool = true
    ) throws -> (verdicts: [OutgoingRecord], spans: [Span]) {
        let world = LaneWorld(scenario)
        let spans = Mutex<[Span]>([])
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        let sink: SpanSink = { ended in spans.withLock { $0 += ended } }
        let fault = world.runLane(
            batch: batch, member: member, policy: try Scenario.policy(),
            spans: isTraced ? sink : nil)
        #expect(fault == nil)
        return (world.kafka.published.filter { $0.topic == "verdicts" }, spans.withLock { $0 })
    }

    private func context(_ record: OutgoingRecord) -> TraceContext? {
        RequestTrace(headers: record.headers, value: nil, limits: MessageLimits())?.context
    }

    @Test func `leave the values of all verdicts as they are`() throws {
        let traced = try run(traced()).verdicts
        let plain = try run(Scenario.mixed(), isTraced: false).verdicts
        #expect(traced.map(\.value) == plain.map(\.value))
        #expect(traced.map(\.key) == plain.map(\.key))
    }

    @Test func `go on in verdicts, each with a span of its own`() throws {
        let contexts = try run(traced()).verdicts.compactMap(context)
        #expect(contexts.count > 4)
        #expect(Set(contexts.map(\.spanID)).count == contexts.count)
        let parents = try [Self.sampled, Self.unsampled].map {
            try #require(TraceContext(traceparent: $0))
        }
        for context in contexts {
            let parent = try #require(parents.first { $0.traceID == context.traceID })
            #expect(context.flags == parent.flags)
            #expect(context.spanID != parent.spanID)
        }
    }

    /// Whoever records nothing must not stand in between as a parent that nobody knows.
    @Test func `pass through as they came where nobody takes spans`() throws {
        let (verdicts, spans) = try run(traced(), isTraced: false)
        #expect(spans.isEmpty)
        let texts = Set(verdicts.compactMap { context($0)?.traceparent })
        #expect(texts == [Self.sampled, Self.unsampled])
    }

    @Test(arguments: [1, 4, 100])
    func `are told as spans where they are recorded, and only there`(_ batch: Int) throws {
        let (verdicts, spans) = try run(traced(), batch: batch)
        let parent = try #require(TraceContext(traceparent: Self.sampled))
        let own = spans.filter { $0.context.traceID == parent.traceID }
        let sampled = verdicts.compactMap(context).filter(\.isSampled)
        let sent = own.filter { $0.kind == .producer }
        #expect(Set(sent.map(\.context)) == Set(sampled))
        let processed = own.filter { $0.kind == .consumer }
        #expect(processed.allSatisfy { $0.parent == parent.spanID && $0.end >= $0.start })
        #expect(Set(sent.map(\.parent)) == Set(processed.map(\.context.spanID)))
        let batches = spans.filter { $0.name == "process batch" }
        #expect(Set(batches.flatMap(\.links)) == Set(processed.map(\.context)))
        #expect(Set(processed.flatMap(\.links)) == Set(batches.map(\.context)))
        #expect(Set(spans.map(\.context.traceID)).count == batches.count + 1)
        #expect(spans.allSatisfy { $0.context.isSampled })
    }

    @Test func `tell nothing of persons or messages`() throws {
        let scenario = traced()
        let text = "\(try run(scenario).spans)"
        #expect(text.contains("send verdicts"))
        for expectation in scenario.expectations {
            #expect(!text.contains(expectation.keyID))
            #expect(!text.contains(expectation.requestID))
        }
    }

    @Test func `are linked up to a limit, and the rest is counted`() throws {
        var scenario = Scenario()
        let count = BatchTraceLimits.linksMax + 10
        for _ in 0..<count { scenario.append(Array("{\"requestId\":\"r\"}".utf8), partition: 0) }
        scenario.addHeaders { _ in [Header(name: "traceparent", text: Self.sampled)] }
        let spans = try run(scenario, batch: 1000).spans
        let batch = try #require(spans.first { $0.name == "process batch" })
        #expect(batch.links.count == BatchTraceLimits.linksMax)
        #expect(batch.droppedLinkCount == 10)
    }
}
