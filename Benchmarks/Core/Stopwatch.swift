import AllocationCounter
import Glibc

/// Runs subjects in turn, in slices so short that all of a round meet the machine at one speed.
///
/// Time is the thread's CPU time: what other programs take does not count, though a core that is
/// slower for a while does. That is why limits are measured in each round again.
struct Stopwatch {
    /// Rounds; each runs each subject for one slice.
    let rounds: Int
    /// Seconds of CPU time that a slice takes at least.
    let sliceSeconds: Double

    /// Measures.
    ///
    /// - Parameter subjects: those and their limits, which must be among them.
    /// - Returns: one measurement a subject, in their order.
    /// - Throws: what a subject throws, or ``BenchmarkFault/refused(_:)`` where one is not accepted.
    func measure(_ subjects: [Subject]) throws -> [Measurement] {
        var times: [String: [Double]] = [:]
        var allocations: [String: Double] = [:]
        for round in 0...rounds {
            for subject in subjects {
                let slice = try run(subject)
                // The first round warms caches and the allocator.
                if round > 0 { times[subject.name, default: []].append(slice.microseconds) }
                allocations[subject.name] = slice.allocations
            }
        }
        return subjects.map { subject in
            let own = times[subject.name] ?? []
            let ratios = subject.limit.flatMap { times[$0] }.map { zip($0, own).map(/).sorted() }
            return Measurement(
                subject: subject, bestMicroseconds: own.min() ?? .nan,
                ratio: ratios.map { $0[$0.count / 2] },
                allocations: allocations[subject.name] ?? .nan)
        }
    }

    private func run(_ subject: Subject) throws -> (microseconds: Double, allocations: Double) {
        let start = threadSeconds()
        let blocks = attest_allocation_count()
        var count = 0
        var now = start
        repeat {
            for _ in 0..<8 where try !subject.run() { throw BenchmarkFault.refused(subject.name) }
            count += 8
            now = threadSeconds()
        } while now - start < sliceSeconds
        return (
            (now - start) * 1e6 / Double(count),
            Double(attest_allocation_count() - blocks) / Double(count)
        )
    }

    private func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
