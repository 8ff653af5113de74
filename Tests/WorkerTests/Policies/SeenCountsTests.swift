import AppAttest
import AttestTestKit
import SeededNumbers
import Testing
import Wire
import Worker

/// The bitmap of a replay window, against a set of numbers.
@Suite struct SeenCountsTests {
    @Test(arguments: [1, 2, 7, 63, 64], 1...20)
    func `it accepts what a set of all counts would`(window: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed &* 100 &+ UInt64(window))
        var seen = SeenCounts(allUpTo: 0)
        var set: Set<UInt32> = [0]
        var highest: UInt32 = 0
        for _ in 0..<3000 {
            // Mostly near the highest, now and then far above it.
            let reach = UInt32.random(in: 0..<50, using: &random) == 0 ? 200 : UInt32(window) + 4
            let lowest = highest > reach ? highest - reach : 0
            let count = UInt32.random(in: lowest...(highest + reach / 4 + 1), using: &random)
            let isInWindow = Int(count) >= Int(highest) - window
            let expected = isInWindow && !set.contains(count)
            #expect(seen.admits(count, within: window) == expected, "\(count) after \(highest)")
            guard expected else { continue }
            seen.accept(count)
            set.insert(count)
            highest = max(highest, count)
            #expect(seen.highest == highest)
            #expect(!seen.admits(count, within: window))
        }
        #expect(set.count > 300)
    }

    @Test(arguments: [1, 2, 63, 64, 65, 1000, UInt32.max])
    func `what is accepted stays so however far the count jumps`(distance: UInt32) {
        var seen = SeenCounts(allUpTo: 0)
        seen.accept(distance)
        #expect(!seen.admits(0, within: 64))
        #expect(!seen.admits(distance, within: 64))
        #expect(seen.admits(distance - 1, within: 64) == (distance > 1))
        guard distance < .max else { return }
        seen.accept(distance + 1)
        #expect(!seen.admits(distance, within: 64))
    }

    @Test func `a narrower window admits less of the same bits, and 0 nothing below`() {
        let seen = SeenCounts(highest: 100, bits: 0b0101)
        #expect((90...101).filter { seen.admits(UInt32($0), within: 5) } == [95, 96, 98, 101])
        #expect((90...101).filter { seen.admits(UInt32($0), within: 2) } == [98, 101])
        #expect((0...100).allSatisfy { !seen.admits(UInt32($0), within: 0) })
        let most = (0...100).filter { seen.admits(UInt32($0), within: 99) }
        #expect(most == (36...98).filter { $0 != 97 }, "a bitmap holds 64")
    }

    @Test func `what others know is added, at whatever count they stand`() {
        var seen = SeenCounts(highest: 10, bits: 0)
        seen.accept(SeenCounts(highest: 8, bits: 0b0010))
        // 8 itself, and 6, which was two below it.
        #expect(seen.bits == 0b1010)
        seen.accept(SeenCounts(highest: 11, bits: .max))
        #expect(seen.bits == 0b1010, "what stands above is not for here")
        seen.accept(SeenCounts(highest: 10, bits: 1))
        #expect(seen.bits == 0b1011)
    }

    @Test func `bits of another sign count are worth nothing`() {
        let device = Scenario.device(80)
        var key = StoredKey(of: device, signCount: 10)
        key.window = SeenCounts(highest: 9, bits: 0)
        #expect((0...10).allSatisfy { !key.seen.admits($0, within: 64) })
        key.window = SeenCounts(highest: 10, bits: 0)
        #expect(key.seen.admits(9, within: 1))
    }
}
