import AppAttest
import KeyStoreSuite
import SeededNumbers
import Testing
import Wire

@testable import Worker

/// A hundred thousand keys over ninety days, on a clock that jumps from one event to the next.
@Suite struct RefreshSimulationTests {
    private static let day: Duration = .seconds(86_400)
    private static let start = Instant(milliseconds: 1_790_000_000_000)
    private static let keyCount = 100_000

    private static var rules: RefreshRules {
        var rules = RefreshRules()
        rules.interval = day * 60
        rules.perSecondMax = 10
        rules.perDayMax = 50_000
        rules.seenWithin = day * 365
        return rules
    }

    /// Keys whose attestations are spread over the thirty days before the start.
    private static func database(_ random: inout SplitMix64) -> InMemoryDatabase {
        let database = InMemoryDatabase()
        var rows = InMemoryDatabase.Rows()
        for number in 0..<keyCount {
            let age = Int.random(in: 0..<(30 * 86_400), using: &random)
            let attestedAt = start.advanced(by: .seconds(-age))
            let registration = ReceiptSample.fakeRegistration(number, at: attestedAt)
            let keyID = registration.key.keyID
            rows.keys[keyID] = registration
            guard let state = registration.refresh else { continue }
            rows.receipts[keyID] = InMemoryReceiptRow(
                state: state, appID: registration.key.appID, seenOn: attestedAt.day)
        }
        database.rows = rows
        return database
    }

    /// Two workers take turns; one answer in fifty is a failure of some kind.
    @Test(.timeLimit(.minutes(5)))
    func `every receipt stays alive, within Apple's limits and our own`() throws {
        var random = SplitMix64(seed: 90)
        let database = Self.database(&random)
        let workers = (0..<2).map { _ in InMemoryReceiptStore(database) }
        let terms = LeaseTerms(
            fleet: "TEAMID1234", appIDs: ["TEAMID1234.org.example.app"], rules: Self.rules,
            countMax: 16)
        var world = World()
        var now = Self.start
        var turn = 0
        while now < Self.start.advanced(by: Self.day * 90) {
            let store = workers[turn % 2]
            turn += 1
            let grant = try store.lease(terms, at: now)
            for leased in grant.receipts {
                let outcome = world.answer(leased, at: now, &random)
                if try !store.settle(leased, outcome, terms, at: now) { world.lost += 1 }
                if case .renewed = outcome, leased.state.metric == nil {
                    try store.noteTold([Self.told(leased, at: now)])
                }
            }
            now = now.advanced(by: grant.paceWait ?? .seconds(300))
        }
        let rows = database.rows
        let end = now
        #expect(rows.receipts.values.allSatisfy { $0.state.end == nil })
        #expect(rows.receipts.values.allSatisfy { $0.state.expiresAt > end })
        #expect(world.early == 0 && world.twice == 0 && world.lost == 0)
        #expect(world.busiestSecond <= 2 * Self.rules.perSecondMax)
        #expect(world.busiestDay <= Self.rules.perDayMax)
        #expect(world.asked.count == Self.keyCount)
        // Not idle either: every key was asked about at first and then every other month.
        #expect(world.requests > 2 * Self.keyCount && world.requests < 4 * Self.keyCount)
    }

    private static func told(_ leased: LeasedReceipt, at now: Instant) -> RiskChange {
        RiskChange(
            keyID: leased.state.keyID, appID: leased.appID, environment: leased.environment,
            subject: nil, metric: 1, previousMetric: nil, asOf: now)
    }

    /// Apple, and what it saw.
    private struct World {
        var asked: [KeyID: Instant] = [:]
        var requests = 0
        var early = 0
        var twice = 0
        var lost = 0
        var busiestSecond = 0
        var busiestDay = 0
        private var second: (number: Int64, count: Int) = (0, 0)
        private var day: (number: Int32, count: Int) = (0, 0)

        mutating func answer(
            _ leased: LeasedReceipt, at now: Instant, _ random: inout SplitMix64
        ) -> RefreshOutcome {
            requests += 1
            second =
                second.number == now.wholeSeconds
                ? (second.number, second.count + 1) : (now.wholeSeconds, 1)
            day = day.number == now.day ? (day.number, day.count + 1) : (now.day, 1)
            busiestSecond = max(busiestSecond, second.count)
            busiestDay = max(busiestDay, day.count)
            if let notBefore = leased.state.notBefore, now < notBefore { early += 1 }
            if UInt8.random(in: 0..<50, using: &random) == 0 {
                let kinds: [RefreshFailure] = [.serverError, .timeout, .noData, .unusable]
                return .failed(kinds[Int.random(in: 0..<4, using: &random)])
            }
            let keyID = leased.state.keyID
            if let last = asked[keyID], now.since(last) < RefreshSimulationTests.day { twice += 1 }
            asked[keyID] = now
            return .renewed(
                receipt: [1],
                ReceiptFacts(
                    createdAt: now, notBefore: now.advanced(by: RefreshSimulationTests.day),
                    expiresAt: now.advanced(by: RefreshSimulationTests.day * 90), metric: 1))
        }
    }
}
