import SeededNumbers
import Testing
import Worker

@Suite struct BackoffTests {
    @Test func `pauses double up to the longest and keep half of their length at least`() {
        var random = SplitMix64(seed: 7)
        var backoff = Backoff(first: .milliseconds(100), most: .seconds(1))
        for longest in [100, 200, 400, 800, 1000, 1000, 1000] {
            let pause = backoff.failed(using: &random)
            #expect(pause <= .milliseconds(longest))
            #expect(pause >= .milliseconds(longest / 2))
        }
        #expect(backoff.attempts == 7)
    }

    @Test func `a success starts it over`() {
        var random = SplitMix64(seed: 7)
        var backoff = Backoff(first: .milliseconds(100), most: .seconds(60))
        for _ in 0..<8 { _ = backoff.failed(using: &random) }
        backoff.succeeded()
        #expect(backoff.attempts == 0)
        #expect(backoff.failed(using: &random) <= .milliseconds(100))
    }

    @Test func `hours of failures don't overflow`() {
        var random = SplitMix64(seed: 7)
        var backoff = Backoff(first: .seconds(1), most: .seconds(10))
        for _ in 0..<10_000 { #expect(backoff.failed(using: &random) <= .seconds(10)) }
    }

    @Test func `pauses differ, so that a fleet does not come back at one moment`() {
        var random = SplitMix64(seed: 7)
        let pauses = (0..<100).map { _ in
            var backoff = Backoff(first: .seconds(1), most: .seconds(1))
            return backoff.failed(using: &random)
        }
        #expect(Set(pauses).count > 50)
    }
}
