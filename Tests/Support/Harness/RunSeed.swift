package import SeededNumbers

extension SplitMix64 {
    /// The seed for a run: from the environment, to repeat one, or else a new one.
    package static var seedOfThisRun: UInt64 {
        environmentValue("ATTEST_TEST_SEED").flatMap(UInt64.init) ?? UInt64.random(in: 1...999_999)
    }
}
