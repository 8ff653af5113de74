import AppAttest
import SeededNumbers
import Testing

@testable import Worker

@Suite struct RefreshPaceTests {
    private static let start = Instant(seconds: 1_790_000_000)
    private let rules = RefreshRules()

    @Test func `a second allows what is set, and never more than a second's worth is saved up`() {
        var pace = RefreshPace(at: Self.start, rules)
        #expect(pace.allowance(at: Self.start, rules) == 5)
        pace.take(5)
        #expect(pace.allowance(at: Self.start, rules) == 0)
        #expect(pace.allowance(at: Self.start.advanced(by: .milliseconds(200)), rules) == 1)
        #expect(pace.allowance(at: Self.start.advanced(by: .seconds(9999)), rules) == 5)
    }

    @Test func `a wait is as long as it must be and no longer`() {
        var pace = RefreshPace(at: Self.start, rules)
        pace.take(pace.allowance(at: Self.start, rules))
        let wait = pace.wait(at: Self.start, rules)
        #expect(wait > .zero && wait <= .milliseconds(201))
        #expect(pace.allowance(at: Self.start.advanced(by: wait), rules) == 1)
    }

    @Test func `a day's requests are no more than the cap, also where the clock goes back`() {
        var rules = rules
        rules.perDayMax = 7
        var pace = RefreshPace(at: Self.start, rules)
        var granted = 0
        func ask(at now: Instant) {
            let count = pace.allowance(at: now, rules)
            pace.take(count)
            granted += count
        }
        for second in 0..<60 { ask(at: Self.start.advanced(by: .seconds(second))) }
        #expect(granted == 7)
        let tomorrow = Self.start.advanced(by: .seconds(86_400))
        for second in 0..<60 { ask(at: tomorrow.advanced(by: .seconds(second))) }
        #expect(granted == 14)
        for second in 60..<120 { ask(at: Self.start.advanced(by: .seconds(second))) }
        #expect(granted == 14)
    }

    @Test func `trouble that is no key's fault slows all down, more each time, up to an hour`() {
        for (failure, first) in [
            (RefreshFailure.unauthorized, 300), (.throttled, 60), (.serverError, 5),
            (.unreachable, 5), (.timeout, 5), (.tls, 5), (.refused, 1),
        ] {
            var pace = RefreshPace(at: Self.start, rules)
            var now = Self.start
            for attempt in 0..<15 {
                pace.note(.failed(failure), at: now)
                let pause = min(Duration.seconds(first * (1 << min(attempt, 12))), .seconds(3600))
                #expect(pace.allowance(at: now, rules) == 0)
                #expect(pace.wait(at: now, rules) == pause, "\(failure)")
                now = now.advanced(by: pause)
                #expect(pace.allowance(at: now, rules) == 5)
            }
            pace.note(.renewed(receipt: [], Self.facts), at: now)
            #expect(pace.troubles == 0)
        }
        for failure in [RefreshFailure.tooEarly, .noData, .unusable, .invalidStored] {
            var pace = RefreshPace(at: Self.start, rules)
            pace.note(.failed(failure), at: Self.start)
            #expect(pace.allowance(at: Self.start, rules) == 5)
        }
    }

    @Test func `an answer to what was asked before does not end a pause`() {
        var pace = RefreshPace(at: Self.start, rules)
        pace.note(.failed(.throttled), at: Self.start)
        pace.note(.renewed(receipt: [], Self.facts), at: Self.start.advanced(by: .seconds(1)))
        #expect(pace.allowance(at: Self.start.advanced(by: .seconds(59)), rules) == 0)
    }

    @Test func `a clock that was far ahead stops nobody for longer than an hour`() {
        let ahead = Self.start.advanced(by: .seconds(40 * 86_400))
        var pace = RefreshPace(at: ahead, rules)
        pace.take(pace.allowance(at: ahead, rules))
        pace.note(.failed(.throttled), at: ahead)
        #expect(pace.allowance(at: Self.start, rules) == 0)
        #expect(pace.allowance(at: Self.start.advanced(by: .seconds(1)), rules) == 5)
    }

    /// A model: on a clock that only goes on, no window has more than its time and a second allow.
    @Test func `no window has more requests than the rate`() {
        var random = SplitMix64(seed: 3)
        var now = Self.start
        var pace = RefreshPace(at: now, rules)
        var grants: [(at: Instant, count: Int)] = []
        for _ in 0..<3000 {
            let step = Int.random(in: 0...1, using: &random) == 0 ? 0...40 : 0...900
            now = now.advanced(by: .milliseconds(Int.random(in: step, using: &random)))
            let count = min(
                pace.allowance(at: now, rules), Int.random(in: 0...5, using: &random))
            pace.take(count)
            grants.append((now, count))
        }
        for (position, first) in grants.enumerated() {
            var total = 0
            for grant in grants[position...].prefix(100) {
                total += grant.count
                let milliseconds = grant.at.since(first.at).wholeMilliseconds
                #expect(Int64(total) * 1000 <= (milliseconds + 1000) * 5)
            }
        }
    }

    private static let facts = ReceiptFacts(
        createdAt: start, notBefore: nil, expiresAt: start, metric: 1)
}
