import Harness
import Testing

/// What a leak is, and what is none.
@Suite struct LeakJudgeTests {
    /// An hour, a sample a minute, with what differs from it.
    private func hour(
        residentKiB: (Double) -> Int = { _ in 40_000 }, handles: (Double) -> Int = { _ in 30 },
        threads: (Double) -> Int = { _ in 12 }, sessionsAtEnd: Int? = 1
    ) -> [LeakSample] {
        (0...60).map { number in
            let minute = Double(number)
            return LeakSample(
                minute: minute, residentKiB: residentKiB(minute), handles: handles(minute),
                threads: threads(minute), sessions: number == 60 ? sessionsAtEnd : 1)
        }
    }

    @Test func `what stays as it is, is no leak`() {
        #expect(LeakJudge.problems(hour(), lanes: 1) == [])
        let noise = hour(residentKiB: { 40_000 + Int($0) % 7 * 900 }, handles: { 30 + Int($0) % 4 })
        #expect(LeakJudge.problems(noise, lanes: 1) == [])
        let warmUp = hour(residentKiB: { $0 < 10 ? 20_000 + Int($0) * 2000 : 40_000 })
        #expect(LeakJudge.problems(warmUp, lanes: 1) == [])
    }

    @Test func `memory that grows is a leak`() {
        let growing = hour(residentKiB: { 40_000 + Int($0) * 150 + Int($0) % 5 * 300 })
        #expect(LeakJudge.problems(growing, lanes: 1).count == 1)
        #expect(LeakJudge.growthKiBPerMinute(growing).map { $0 > 140 && $0 < 160 } == true)
        // In five minutes nothing can be said of it.
        #expect(LeakJudge.growthKiBPerMinute(Array(growing.prefix(6))) == nil)
    }

    @Test func `handles and threads that are not given back are a leak`() {
        #expect(LeakJudge.problems(hour(handles: { 30 + Int($0) / 5 }), lanes: 1).count == 1)
        #expect(LeakJudge.problems(hour(threads: { 12 + Int($0) / 5 }), lanes: 1).count == 1)
    }

    @Test func `a session too many at the end is a leak`() {
        #expect(LeakJudge.problems(hour(sessionsAtEnd: 2), lanes: 1).count == 1)
        #expect(LeakJudge.problems(hour(sessionsAtEnd: nil), lanes: 1) == [])
        #expect(LeakJudge.problems([], lanes: 1).count == 1)
    }
}
