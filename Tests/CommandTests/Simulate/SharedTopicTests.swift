import Testing
import Wire
import Worker

@testable import attest_worker

@Suite struct `A tally on a topic that others use` {
    /// Verdicts on another plan's requests.
    private static let others = SmallDemo(requests: 40, seed: 21)

    @Test func `passes over verdicts of others, and what is no verdict`() throws {
        var tally = Tally(idPrefix: "sim-1-", rememberedMax: 10)
        for answer in try Self.others.answers() {
            if case .verdict = answer { tally.received(answer, at: .zero) }
        }
        let place = RecordPlace(topic: "verdicts", partition: 0, offset: 0)
        for value: [UInt8]? in [nil, Array("{}".utf8), Array("x".utf8)] {
            tally.receivedVerdict(
                Record(
                    place: place, timestampMilliseconds: nil, key: nil, value: value, headers: []),
                at: .zero)
        }
        #expect(tally.finalFailures() == [])
        #expect(tally.verdicts.isEmpty)
    }

    @Test func `notices a verdict on a request of its own that was never sent`() throws {
        var tally = Tally(idPrefix: "demo-", rememberedMax: 10)
        let answer = try #require(try Self.others.answers().first)
        tally.received(answer, at: .zero)
        #expect(tally.finalFailures().count == 1)
    }

    @Test func `forgets what was answered long ago, but not what waits`() throws {
        let demo = SmallDemo.shared
        var tally = Tally(idPrefix: "demo-", rememberedMax: 2)
        let pairs = zip(demo.requests, try demo.answers()).filter { request, _ in
            request.kind != .garbage
        }
        let (waiting, late) = try #require(pairs.first)
        tally.sent(waiting, at: .zero)
        for (request, answer) in pairs.dropFirst() {
            tally.sent(request, at: .zero)
            tally.received(answer, at: .zero)
        }
        #expect(tally.finalFailures().map(\.found) == ["no answer"])
        tally.received(late, at: .zero)
        #expect(tally.finalFailures() == [])
        // A repeat of what was forgotten can't be compared, and is no failure.
        let (_, early) = try #require(pairs.dropFirst().first)
        tally.received(early, at: .zero)
        #expect(tally.finalFailures() == [])
    }

    @Test func `lists a bounded number of failures, and counts the others`() throws {
        var tally = Tally()
        let place = RecordPlace(topic: "verdicts", partition: 0, offset: 0)
        let record = Record(
            place: place, timestampMilliseconds: nil, key: nil, value: nil, headers: [])
        for _ in 0..<(Tally.failuresListedMax + 5) { tally.receivedVerdict(record, at: .zero) }
        #expect(tally.failures.count == Tally.failuresListedMax)
        #expect(tally.unlistedFailureCount == 5)
        let tables = TallyTables(tally: tally, failures: tally.finalFailures())
        #expect(tables.failureCount == Tally.failuresListedMax + 5)
        let hidden = tables.failureCount - TallyTables.failuresShownMax
        #expect(tables.wrong.last == "- and \(hidden) more")
    }

    @Test func `remembers one to two times as many as asked for`() {
        var remembered = Remembered(max: 3)
        var forgotten: [String] = []
        for number in 1...12 {
            forgotten += remembered.add("\(number)")
            #expect((number - forgotten.count) <= 6)
            #expect(number < 6 || number - forgotten.count >= 3)
        }
        #expect(forgotten == ["1", "2", "3", "4", "5", "6", "7", "8", "9"])
        #expect(remembered.forgottenCount == 9)
    }

    @Test func `keeps a bounded sample of latencies, and the longest`() {
        var sample = LatencySample()
        sample.add(.seconds(9))
        for number in 0..<(LatencySample.durationsMax + 20_000) {
            sample.add(.microseconds(number % 100))
        }
        #expect(sample.durations.count == LatencySample.durationsMax)
        #expect(sample.count == LatencySample.durationsMax + 20_001)
        #expect(sample.longest == .seconds(9))
        let middle = Latency(sample.durations).percentile(50)
        #expect(middle.map { (.microseconds(48)...(.microseconds(51))).contains($0) } == true)
    }
}
