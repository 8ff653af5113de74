import AppAttest
import Glibc
import Worker

extension LaneClock {
    /// The machine's clocks.
    static let system = LaneClock(
        wall: { Instant(milliseconds: read(CLOCK_REALTIME) / 1_000_000) },
        monotonic: { .nanoseconds(read(CLOCK_MONOTONIC)) })

    /// Nanoseconds; a 64-bit count of them lasts until 2262.
    private static func read(_ clock: clockid_t) -> Int64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
