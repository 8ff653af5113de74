import AppAttest
import Testing

@Suite struct InstantTests {
    @Test(
        arguments: [
            (0, 0), (1, 1000), (-1, -1000), (9_223_372_036_854_775, 9_223_372_036_854_775_000),
            (9_223_372_036_854_776, .max), (-9_223_372_036_854_776, .min), (.max, .max),
            (.min, .min),
        ] as [(Int64, Int64)])
    func `seconds beyond the range are its ends`(seconds: Int64, milliseconds: Int64) {
        #expect(Instant(seconds: seconds).milliseconds == milliseconds)
    }
}
