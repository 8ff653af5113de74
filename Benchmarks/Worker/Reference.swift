import BenchmarkSupport
import Foundation
import Glibc
import Harness
import Synchronization

/// The limit, taken over and over: the machine changes its speed.
struct Reference {
    /// Microseconds of one bare verification.
    struct Limit {
        /// While the other core has nothing to do, of this at least.
        let alone: Double
        /// While two verify at once: two cores that are two threads of one are slower then.
        let together: Double

        /// The better of both.
        func better(_ other: Limit) -> Limit {
            Limit(alone: min(alone, other.alone), together: min(together, other.together))
        }
    }

    private static let slices = 40
    private static let perSlice = 128
    private let verifications: [BareVerification]

    /// A limit in the measure of these requests.
    init(of traffic: Traffic) throws {
        verifications = [try traffic.bareVerification(), try traffic.bareVerification()]
    }

    /// The fastest of many short slices.
    func best() throws -> Limit {
        let failures = Atomic<Int>(0)
        func slice(_ verifications: ArraySlice<BareVerification>) -> Double {
            let start = ContinuousClock.now
            nonisolated(unsafe) let each = Array(verifications)
            DispatchQueue.concurrentPerform(iterations: each.count) { place in
                for _ in 0..<Self.perSlice where !each[place].run() {
                    failures.add(1, ordering: .relaxed)
                }
            }
            return (ContinuousClock.now - start) / .microseconds(1) / Double(Self.perSlice)
        }
        var limit = Limit(alone: .infinity, together: .infinity)
        for _ in 0..<Self.slices {
            limit = limit.better(
                Limit(alone: slice(verifications.prefix(1)), together: slice(verifications[...])))
        }
        guard failures.load(ordering: .relaxed) == 0 else {
            throw HarnessFailure("libcrypto refuses a genuine signature")
        }
        return limit
    }
}
