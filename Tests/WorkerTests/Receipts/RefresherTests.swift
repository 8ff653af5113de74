import AppAttest
import KeyStoreSuite
import SeededNumbers
import Testing
import Wire

@testable import Worker

/// Whole rounds of refreshers: what Apple sees, what is stored, what is told.
@Suite struct RefresherTests {
    private static let day: Duration = .seconds(86_400)

    private static func metric(_ world: RefresherWorld, _ number: Int) -> UInt32? {
        world.row(number)?.state.metric
    }

    @Test func `two workers ask about each key once, and tell each metric once`() throws {
        let world = RefresherWorld()
        world.register(0..<40)
        try world.run([world.makeRefresher(), world.makeRefresher()], for: .seconds(7200))
        #expect(world.apple.times.count == 40)
        #expect(world.apple.asked.values.allSatisfy { $0.count == 1 })
        #expect((0..<40).allSatisfy { Self.metric(world, $0) == 1 })
        #expect(world.topic.records.count == 40)
        #expect(Set(world.topic.records.map(\.key)).count == 40)
    }

    @Test func `a worker that asks does not keep another from other keys, nor share one`() throws {
        let world = RefresherWorld()
        world.register(0..<8)
        world.clock.advance(by: .seconds(3600))
        let (first, second) = (world.makeRefresher(), world.makeRefresher())
        var isNested = false
        world.apple.whileAsked = {
            // In the midst of the first one's request.
            guard !isNested else { return }
            isNested = true
            world.clock.advance(by: .seconds(2))
            #expect(throws: Never.self) { try second.round() }
        }
        _ = try first.round()
        #expect(world.apple.times.count == 8)
        #expect(world.apple.asked.values.allSatisfy { $0.count == 1 })
    }

    @Test func `a year of refreshes breaks no rule of Apple, whatever it answers`() throws {
        let world = RefresherWorld()
        world.register(0..<20)
        var random = SplitMix64(seed: 5)
        world.apple.metric = { _, _ in UInt32.random(in: 1...3, using: &random) }
        world.apple.lie = { _, _ in
            let answers: [ReceiptServiceAnswer] = [
                .status(404, body: []), .status(429, body: []), .status(503, body: []),
                .status(401, body: []), .status(200, body: Array("no base64!".utf8)),
                .status(200, body: []), .none(.unreachable, ""), .none(.tls, ""),
                .status(418, body: []),
            ]
            guard UInt8.random(in: 0..<5, using: &random) == 0 else { return nil }
            return answers[Int.random(in: 0..<answers.count, using: &random)]
        }
        try world.run([world.makeRefresher(), world.makeRefresher()], for: Self.day * 365)
        #expect(world.apple.offences.isEmpty)
        for number in 0..<20 {
            let row = try #require(world.row(number))
            #expect(row.state.end == nil && row.state.expiresAt > world.clock.now)
            #expect(!row.isUntold)
        }
        // Each change was told, in order: what was told before is the previous one's metric.
        for number in 0..<20 {
            var last: UInt32?
            for record in world.topic.records
            where record.key == Array(Sample.keyID(number).text.utf8) {
                let text = String(decoding: record.value ?? [], as: UTF8.self)
                let previous = last.map { "\"previousMetric\":\($0)" }
                #expect(text.contains(previous ?? "\"metric\":"), "\(text)")
                last = [1, 2, 3].first { text.contains("\"metric\":\($0)") }
            }
            #expect(last == Self.metric(world, number))
        }
    }

    @Test func `a wrong receipt never takes the place of the stored one`() throws {
        let other = Sample.keyID(99)
        let start = RefresherWorld.start
        let bodies: [[UInt8]] = [
            AppleInMemory.receipt(of: other, at: start, metric: 1),
            // Older than the stored one, and without a metric.
            AppleInMemory.receipt(
                of: Sample.keyID(0), at: start.advanced(by: .seconds(-60)), metric: 1),
            AppleInMemory.receipt(
                of: Sample.keyID(0), at: start.advanced(by: .seconds(3600)), metric: nil),
            // Of a clock that is two days ahead.
            AppleInMemory.receipt(
                of: Sample.keyID(0), at: start.advanced(by: Self.day * 2), metric: 1),
        ]
        for body in bodies {
            let world = RefresherWorld()
            world.register(0..<1)
            world.apple.lie = { _, _ in .status(200, body: Array(Base64.encode(body).utf8)) }
            let before = world.row(0)
            world.clock.advance(by: .seconds(3600))
            _ = try world.makeRefresher().round()
            let row = try #require(world.row(0))
            #expect(row.receipt == nil && row.state.createdAt == before?.state.createdAt)
            #expect(row.state.failures == 1 && row.state.metric == nil)
        }
    }

    @Test func `what is no receipt of its key is not sent`() throws {
        let world = RefresherWorld()
        world.register(0..<1)
        world.database.change { $0.keys[Sample.keyID(0)]?.receipt = [1, 2, 3] }
        world.clock.advance(by: .seconds(3600))
        _ = try world.makeRefresher().round()
        #expect(world.apple.times.isEmpty)
        #expect(world.row(0)?.state.end == .invalid)
    }

    @Test func `without a key file nobody is asked, and nothing is taken`() throws {
        let world = RefresherWorld()
        world.register(0..<1)
        world.clock.advance(by: .seconds(3600))
        for file in [nil, Array("no key".utf8)] {
            world.keyFile = file
            let fault = #expect(throws: Fault.self) { try world.makeRefresher().round() }
            #expect(fault?.code == (file == nil ? "key_unreadable" : "key_invalid"))
            #expect(world.row(0)?.lease == 0)
        }
    }

    @Test func `a refused token is made anew, with the key that is in the file then`() throws {
        let world = RefresherWorld()
        world.register(0..<1)
        world.clock.advance(by: .seconds(3600))
        world.apple.lie = { _, _ in .status(401, body: []) }
        let refresher = world.makeRefresher()
        _ = try refresher.round()
        #expect(world.row(0)?.state.failures == 1)
        // The file is replaced, and Apple knows the new key.
        world.keyFile = RefresherWorld.pem(9)
        world.apple.lie = { _, _ in nil }
        try world.run([refresher], for: .seconds(7200))
        #expect(Self.metric(world, 0) == 1)
    }

    @Test func `a receipt that can't be stored for a moment is not lost`() throws {
        let world = RefresherWorld()
        world.register(0..<2)
        world.clock.advance(by: .seconds(3600))
        let store = InMemoryReceiptStore(world.database)
        store.settlementsLost = 3
        _ = try world.makeRefresher(on: store).round()
        #expect(world.apple.times.count == 2)
        #expect(Self.metric(world, 0) == 1 && Self.metric(world, 1) == 1)
    }

    @Test func `a database that stays away costs one key a day, and no other`() throws {
        let world = RefresherWorld()
        world.register(0..<3)
        world.clock.advance(by: .seconds(3600))
        let store = InMemoryReceiptStore(world.database)
        store.settlementsLost = 4
        let refresher = world.makeRefresher(on: store)
        let fault = #expect(throws: Fault.self) { try refresher.round() }
        #expect(fault?.code == "connection_lost")
        #expect(world.apple.times.count == 1)
        // It is there again: those that nobody was asked about are due at once.
        try world.run([refresher], for: .seconds(3600))
        #expect(world.apple.times.count == 3)
        #expect((0..<3).filter { Self.metric(world, $0) == 1 }.count == 2)
        try world.run([refresher], for: Self.day)
        #expect(world.apple.offences.filter { $0 == "before not-before" }.isEmpty)
        #expect((0..<3).allSatisfy { Self.metric(world, $0) == 1 })
    }

    @Test func `however long Apple is left alone, what is untold or late is looked for`() throws {
        let world = RefresherWorld()
        world.register(0..<1)
        world.clock.advance(by: .seconds(3600))
        world.apple.lie = { _, _ in .status(401, body: []) }
        let refresher = world.makeRefresher()
        _ = try refresher.round()
        // A pause of five minutes.
        #expect(try refresher.round() <= .seconds(30))
        #expect(world.apple.times.count == 1)
    }

    @Test func `a worker that dies while it asks costs its keys a day and nothing else`() throws {
        let world = RefresherWorld()
        world.register(0..<3)
        world.clock.advance(by: .seconds(3600))
        // It took the keys, asked about them, and is gone.
        let grant = try InMemoryReceiptStore(world.database).lease(
            LeaseTerms(
                fleet: "TEAMID1234", appIDs: ReceiptSample.terms.appIDs, rules: world.rules,
                countMax: 16), at: world.clock.now)
        #expect(grant.receipts.count == 3)
        try world.run([world.makeRefresher()], for: .seconds(86_000))
        #expect(world.apple.times.isEmpty)
        try world.run([world.makeRefresher()], for: .seconds(7200))
        #expect((0..<3).allSatisfy { Self.metric(world, $0) == 1 })
    }

    @Test func `a clock that is set back and forth asks nobody too early or twice`() throws {
        let world = RefresherWorld()
        world.register(0..<10)
        var random = SplitMix64(seed: 6)
        let refreshers = [world.makeRefresher(), world.makeRefresher()]
        for _ in 0..<300 {
            try world.run(refreshers, for: Self.day / 4)
            // An hour is what a receipt's creation may differ from our clock.
            let jump = Int64.random(in: -3500...3500, using: &random)
            let honest = RefresherWorld.start.advanced(by: world.clock.elapsed)
            world.clock.now = honest.advanced(by: .seconds(jump))
            world.apple.now = { [clock = world.clock] in
                RefresherWorld.start.advanced(by: clock.elapsed)
            }
        }
        #expect(world.apple.offences.filter { $0 != "before not-before" }.isEmpty)
        for number in 0..<10 {
            let asked = try #require(world.apple.asked[Sample.keyID(number)])
            #expect(asked.count > 5)
            for (earlier, later) in zip(asked, asked.dropFirst()) {
                #expect(later.since(earlier) >= Self.day - .seconds(7200))
            }
            #expect(world.row(number)?.state.end == nil)
        }
    }

    @Test func `while nobody can be told, keys with a change wait and no change is lost`() throws {
        let world = RefresherWorld()
        world.register(0..<2)
        world.topic.result = .failed(code: "_MSG_TIMED_OUT")
        var metric: UInt32 = 4
        world.apple.metric = { _, _ in metric }
        let refresher = world.makeRefresher()
        try world.run([refresher], for: Self.day * 20)
        #expect(world.apple.times.count == 2)
        #expect(world.topic.records.isEmpty)
        metric = 6
        world.topic.result = .delivered
        try world.run([refresher], for: Self.day * 20)
        let texts = world.topic.records.map { String(decoding: $0.value ?? [], as: UTF8.self) }
        #expect(texts.count == 4)
        #expect(texts.prefix(2).allSatisfy { $0.contains(#""metric":4"#) })
        #expect(
            texts.suffix(2).allSatisfy { $0.contains(#""metric":6,"previousMetric":4"#) })
    }

    @Test func `a key that is not seen is left alone until it is`() throws {
        let world = RefresherWorld()
        world.register(0..<1)
        try world.run([world.makeRefresher()], for: Self.day * 60, seen: false)
        let asked = world.apple.times.count
        #expect((3...6).contains(asked))
        #expect(world.row(0)?.state.nextAttempt == nil && world.row(0)?.state.end == nil)
    }

    @Test func `a stop gives back what was not asked about`() throws {
        let world = RefresherWorld()
        world.register(0..<5)
        world.clock.advance(by: .seconds(3600))
        world.apple.whileAsked = { world.stop.request() }
        world.makeRefresher().run()
        #expect(world.apple.times.count == 1)
        let now = world.clock.now
        let waiting = (0..<5).filter { world.row($0)?.state.nextAttempt.map { $0 <= now } ?? false }
        #expect(waiting.count == 4)
    }
}
