/// Which of the sign counts below the highest one were accepted: what a replay window remembers.
///
/// | bit | tells of |
/// | ---: | --- |
/// | 0 | the count before the highest one |
/// | i | the count 1 + i before the highest one |
///
/// It goes with one sign count and no other. Where a row's sign count is another one, as a worker
/// without a window has raised it, or `reconcile`, nothing is known of the counts below it, and all
/// of them are taken for accepted.
///
/// Source: RFC 4303 §3.4.3, where the bitmap holds the highest number too.
package struct SeenCounts: Hashable, Sendable {
    /// How many counts below the highest one are told apart.
    package static let capacity = 64

    /// The highest sign count that was accepted.
    package private(set) var highest: UInt32
    /// The bits.
    package private(set) var bits: UInt64

    /// What is known from its parts.
    package init(highest: UInt32, bits: UInt64) {
        self.highest = highest
        self.bits = bits
    }

    /// A count below which nothing is accepted any more.
    package init(allUpTo highest: UInt32) {
        self.init(highest: highest, bits: .max)
    }

    /// Whether a count may still be accepted, as it lies so many counts below the highest one at
    /// the most, and was not accepted before; every count above the highest one may.
    package func admits(_ count: UInt32, within window: Int) -> Bool {
        guard count <= highest else { return true }
        guard count < highest else { return false }
        let place = highest - 1 - count
        return place < min(window, Self.capacity) && bits & (1 << UInt64(place)) == 0
    }

    /// Notes that a count was accepted; one that lies too far below the highest one is not noted.
    package mutating func accept(_ count: UInt32) {
        if count > highest {
            // Swift shifts by more than the width to zero.
            let distance = UInt64(count - highest)
            bits = bits << distance | 1 << (distance - 1)
            highest = count
        } else if count < highest {
            bits |= 1 << UInt64(highest - 1 - count)
        }
    }

    /// Notes what others know was accepted, none of it above the highest count.
    package mutating func accept(_ others: SeenCounts) {
        guard others.highest <= highest else { return }
        var others = others
        if others.highest < highest { others.accept(highest) }
        bits |= others.bits
    }
}
