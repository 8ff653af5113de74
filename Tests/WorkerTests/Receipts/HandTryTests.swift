import AppAttest
import KeyStoreSuite
import Testing

@testable import Worker

/// Asking about single keys by hand, beside workers that do so by the schedule.
@Suite struct HandTryTests {
    private static func refresh(_ number: Int, in world: RefresherWorld) throws -> HandTry {
        try world.makeRefresher().refresh(
            Sample.keyID(number), of: ReceiptSample.registration(number).key.appID)
    }

    @Test func `a key that a worker asks about is left to it, and its answer is kept`() throws {
        let world = RefresherWorld()
        world.register(0..<1)
        world.clock.advance(by: .seconds(3600))
        let since = world.clock.now
        var tried: HandTry?
        world.apple.whileAsked = {
            world.apple.whileAsked = {}
            world.clock.advance(by: .seconds(2))
            tried = try? Self.refresh(0, in: world)
        }
        _ = try world.makeRefresher().round()
        #expect(tried == .busy(since: since))
        #expect(world.apple.times.count == 1)
        #expect(world.row(0)?.state.metric == 1)
    }

    @Test func `before the not-before nothing is sent and nothing is changed`() throws {
        let world = RefresherWorld()
        world.register(0..<1)
        world.clock.advance(by: .seconds(3600))
        _ = try world.makeRefresher().round()
        let notBefore = try #require(world.row(0)?.state.notBefore)
        world.clock.advance(by: .seconds(60))
        let before = world.database.rows
        #expect(try Self.refresh(0, in: world) == .early(notBefore: notBefore))
        #expect(try Self.refresh(5, in: world) == .unknown)
        #expect(world.database.rows == before)
        #expect(world.apple.times.count == 1)
    }

    @Test func `trouble by hand is not the fleet's, and tells whether to go on`() throws {
        let cases: [(answer: ReceiptServiceAnswer, endsAsking: Bool)] = [
            (.status(401, body: []), true), (.status(429, body: []), true),
            (.none(.unreachable, ""), true), (.none(.tls, ""), true),
            (.status(400, body: []), false), (.status(404, body: []), false),
            (.status(503, body: []), false),
        ]
        for (answer, endsAsking) in cases {
            let world = RefresherWorld()
            world.register(0..<2)
            world.clock.advance(by: .seconds(3600))
            world.apple.lie = { _, _ in answer }
            #expect(try Self.refresh(0, in: world).endsAsking == endsAsking, "\(answer)")
            let pace = try #require(world.database.rows.paces["TEAMID1234"])
            #expect(pace.troubles == 0 && pace.pausedUntil == nil && pace.usedToday == 1)
            world.apple.lie = { _, _ in nil }
            _ = try world.makeRefresher().round()
            #expect(world.row(1)?.state.metric == 1)
        }
    }
}
