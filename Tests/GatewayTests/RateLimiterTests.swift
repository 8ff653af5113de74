import SeededNumbers
import Testing

@testable import Gateway

/// Rates, with the time as a value.
@Suite struct RateLimiterTests {
    private func limiter(
        perMinute: Int = 0, burst: Int = 1, perSecond: Int = 0, totalBurst: Int = 1
    ) -> RateLimiter {
        RateLimiter(
            RateLimiter.Rates(
                callerPerMinute: perMinute, callerBurst: burst, totalPerSecond: perSecond,
                totalBurst: totalBurst), now: .zero)
    }

    @Test func `a burst is let in, then the rate, and the pause is told`() throws {
        var limiter = limiter(perMinute: 60, burst: 3)
        for _ in 0..<3 { try limiter.admit([1], now: .seconds(5)) }
        let refusal = #expect(throws: Refusal.self) {
            try limiter.admit([1], now: .seconds(5))
        }
        #expect(refusal?.code == .resourceExhausted && refusal?.retryAfter == 1)
        try limiter.admit([2], now: .seconds(5))
        #expect(throws: Refusal.self) { try limiter.admit([1], now: .milliseconds(5_999)) }
        try limiter.admit([1], now: .seconds(6))
        #expect(throws: Refusal.self) { try limiter.admit([1], now: .seconds(6)) }
    }

    @Test func `all together have a rate of their own`() throws {
        var limiter = limiter(perSecond: 10, totalBurst: 2)
        try limiter.admit([1], now: .zero)
        try limiter.admit(nil, now: .zero)
        let refusal = #expect(throws: Refusal.self) { try limiter.admit([3], now: .zero) }
        #expect(refusal?.reason == "overloaded")
        try limiter.admit([4], now: .milliseconds(100))
    }

    @Test func `no rate is no limit, and a clock that stands or falls back gives nothing`() throws {
        var free = limiter()
        for _ in 0..<1000 { try free.admit([1], now: .zero) }
        var strict = limiter(perMinute: 60, burst: 1)
        try strict.admit([1], now: .seconds(100))
        #expect(throws: Refusal.self) { try strict.admit([1], now: .zero) }
        #expect(throws: Refusal.self) { try strict.admit([1], now: .seconds(100)) }
    }

    @Test func `in any stretch of time there are no more than burst and rate allow`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<200 {
            let rate = Int.random(in: 1...600, using: &random)
            let burst = Int.random(in: 1...50, using: &random)
            var limiter = limiter(perMinute: rate, burst: burst)
            var now: Int = 0
            var admitted = 0
            for _ in 0..<300 {
                now += Int.random(in: 0...2000, using: &random)
                do {
                    try limiter.admit([1], now: .milliseconds(now))
                    admitted += 1
                } catch {}
                #expect(admitted <= burst + now * rate / 60_000 + 1)
            }
        }
    }

    @Test(arguments: [(1, 1), (7, 3), (59, 10), (600, 1)])
    func `a caller who asks all the time gets all that the rate allows`(
        rate: Int, burst: Int
    ) throws {
        var limiter = limiter(perMinute: rate, burst: burst)
        var admitted = 0
        for tenth in 0...3000 {
            do {
                try limiter.admit([1], now: .milliseconds(tenth * 100))
                admitted += 1
            } catch {}
        }
        // Five minutes; the bucket loses nothing by being asked often.
        #expect((burst + 5 * rate - 1...burst + 5 * rate).contains(admitted))
    }

    @Test func `after an age the bucket is full and no number too large`() throws {
        var limiter = limiter(perMinute: 1_000_000, burst: 1_000_000)
        try limiter.admit([1], now: .zero)
        try limiter.admit([1], now: .seconds(Int64.max / 1_000_000_000))
    }

    @Test func `the table of callers is bounded, and forgets who is quiet`() throws {
        var limiter = limiter(perMinute: 60, burst: 2)
        for number in 0..<RateLimiter.callersMax + 500 {
            let caller = [UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
            try? limiter.admit(caller, now: .zero)
        }
        #expect(limiter.callerCount == RateLimiter.callersMax)
        try limiter.admit([9], now: .seconds(10))
        #expect(limiter.callerCount == 1)
    }
}
