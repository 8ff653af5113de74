import AppAttest
import LibCrypto
import SeededNumbers
import Testing

@testable import Worker

@Suite struct RefreshScheduleTests {
    private static let day: Duration = .seconds(86_400)
    private static let start = Instant(seconds: 1_790_000_000)
    private let rules = RefreshRules()

    private static func key(_ random: inout SplitMix64) throws -> KeyID {
        KeyID(try #require(Digest32(random.bytes(32))))
    }

    private static func refreshed(at instant: Instant, metric: UInt32 = 1) -> ReceiptFacts {
        ReceiptFacts(
            createdAt: instant, notBefore: instant.advanced(by: day),
            expiresAt: instant.advanced(by: day * 90), metric: metric)
    }

    private static func attested(at instant: Instant) -> ReceiptFacts {
        ReceiptFacts(
            createdAt: instant, notBefore: nil, expiresAt: instant.advanced(by: day * 90),
            metric: nil)
    }

    @Test func `keys of one moment are spread over the first hour and the interval's last fifth`()
        throws
    {
        var random = SplitMix64(seed: 8)
        var first: [Duration] = []
        var later: [Duration] = []
        for _ in 0..<2000 {
            let key = try Self.key(&random)
            first.append(
                RefreshSchedule.first(of: Self.attested(at: Self.start), key, rules)
                    .since(Self.start))
            later.append(
                RefreshSchedule.next(after: Self.refreshed(at: Self.start), key, rules)
                    .since(Self.start))
        }
        #expect(first.allSatisfy { $0 >= .zero && $0 <= rules.firstWithin })
        #expect(later.allSatisfy { $0 >= rules.interval * 4 / 5 && $0 <= rules.interval })
        // Each tenth of the time has about a tenth of the keys.
        for tenth in 0..<10 {
            let from = rules.firstWithin * tenth / 10
            let until = rules.firstWithin * (tenth + 1) / 10
            #expect((140...260).contains(first.count { $0 >= from && $0 < until }))
        }
    }

    @Test func `no key is asked about before its not-before, nor late in its life`() throws {
        var random = SplitMix64(seed: 9)
        for days in [1, 2, 7, 30, 59, 60, 80, 89, 200] {
            var rules = rules
            rules.interval = Self.day * days
            for _ in 0..<200 {
                let facts = Self.refreshed(at: Self.start)
                let next = RefreshSchedule.next(after: facts, try Self.key(&random), rules)
                #expect(next > Self.start.advanced(by: Self.day))
                #expect(next <= Self.start.advanced(by: Self.day * 60))
            }
        }
    }

    @Test func `each answer has its pause, which grows to its end and not beyond`() throws {
        var random = SplitMix64(seed: 10)
        let key = try Self.key(&random)
        let hour: Duration = .seconds(3600)
        let expected: [(RefreshFailure, [Duration])] = [
            (.tooEarly, [Self.day, Self.day, Self.day]),
            (.refused, [Self.day, Self.day * 2]),
            (.noData, [1, 2, 4, 8, 16, 16, 16].map { Self.day * $0 }),
            (.unusable, [1, 2, 4, 8, 16, 16].map { Self.day * $0 }),
            (.timeout, [1, 2, 4, 8, 16, 16].map { Self.day * $0 }),
            (.unauthorized, [1, 2, 4, 8, 16, 24, 24].map { hour * $0 }),
            (.throttled, [1, 2, 4, 8, 16, 24, 24].map { hour * $0 }),
            (.serverError, [1, 2, 4, 8, 16, 24, 24].map { hour * $0 }),
            (.unreachable, [1, 2, 4, 8, 16, 24, 24].map { hour * $0 }),
            (.tls, [1, 2, 4, 8, 16, 24, 24].map { hour * $0 }),
        ]
        for (failure, pauses) in expected {
            var state = ReceiptState(key, Self.attested(at: Self.start), rules)
            for pause in pauses {
                state = RefreshSchedule.state(
                    after: .failed(failure), state, at: Self.start, rules)
                #expect(state.nextAttempt == Self.start.advanced(by: pause), "\(failure)")
            }
        }
        let named = Set(expected.map(\.0)).union([.invalidStored])
        #expect(named == Set(RefreshFailure.allCases))
    }

    @Test func `a receipt is given up when it is no receipt, or was refused three times`() throws {
        var random = SplitMix64(seed: 11)
        let fresh = ReceiptState(try Self.key(&random), Self.attested(at: Self.start), rules)
        let invalid = RefreshSchedule.state(
            after: .failed(.invalidStored), fresh, at: Self.start, rules)
        #expect(invalid.end == .invalid && invalid.nextAttempt == nil)
        var refused = fresh
        for count in 1...3 {
            refused = RefreshSchedule.state(
                after: .failed(.refused), refused, at: Self.start, rules)
            #expect((refused.end == .refused) == (count == 3))
        }
        #expect(refused.nextAttempt == nil)
    }

    @Test func `a late receipt is asked about once more while there is time, then it is over`()
        throws
    {
        var random = SplitMix64(seed: 12)
        var state = ReceiptState(try Self.key(&random), Self.attested(at: Self.start), rules)
        state.failures = 6
        let late = Self.start.advanced(by: Self.day * 88)
        let again = RefreshSchedule.state(after: .failed(.noData), state, at: late, rules)
        #expect(again.nextAttempt == late.advanced(by: Self.day))
        let over = RefreshSchedule.state(
            after: .failed(.noData), again, at: Self.start.advanced(by: Self.day * 89), rules)
        #expect(over.end == .expired && over.nextAttempt == nil)
    }

    @Test func `a key that comes back is asked about within the first hour`() throws {
        var random = SplitMix64(seed: 13)
        for _ in 0..<100 {
            let due = RefreshSchedule.due(
                seenAt: Self.start, try Self.key(&random), rules)
            #expect(due >= Self.start && due <= Self.start.advanced(by: rules.firstWithin))
        }
    }

    /// A model: whatever comes, in whatever order, and wherever the clock stands, these hold.
    @Test func `no history of answers and clocks breaks the rules`() throws {
        var random = SplitMix64(seed: 14)
        for _ in 0..<500 {
            var now = Self.start
            var state = ReceiptState(
                try Self.key(&random), Self.attested(at: now), rules)
            while let next = state.nextAttempt, now.since(Self.start) < Self.day * 400 {
                // Late by up to days, or early by a clock that was set back.
                let slip = Duration.seconds(Int.random(in: -7200...200_000, using: &random))
                now = max(next.advanced(by: slip), Self.start)
                let outcome = Self.outcome(at: now, &random)
                let former = state
                state = RefreshSchedule.state(after: outcome, former, at: now, rules)
                #expect((state.nextAttempt == nil) == (state.end != nil))
                guard let again = state.nextAttempt else { continue }
                #expect(again < state.expiresAt)
                if case .failed(let failure) = outcome, !failure.reachedApple {
                    #expect(again >= now.advanced(by: rules.pauseMin / 24))
                } else {
                    #expect(again >= now.advanced(by: rules.pauseMin))
                }
                if case .renewed(_, let facts) = outcome {
                    #expect(state.metric == facts.metric && state.failures == 0)
                    #expect(facts.notBefore.map { again > $0 } ?? true)
                } else {
                    #expect(state.metric == former.metric)
                    #expect(state.expiresAt == former.expiresAt)
                }
            }
        }
    }

    private static func outcome(
        at now: Instant, _ random: inout SplitMix64
    ) -> RefreshOutcome {
        if Bool.random(using: &random) {
            let metric = UInt32.random(in: 1...9, using: &random)
            return .renewed(receipt: [1], refreshed(at: now, metric: metric))
        }
        let failures = RefreshFailure.allCases.filter { $0 != .invalidStored }
        return .failed(failures.randomElement(using: &random) ?? .noData)
    }
}
