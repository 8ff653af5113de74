import Testing
import Worker

@Suite struct MemoryPlanTests {
    private func settings(budget: Int, adjust: (inout Settings) -> Void = { _ in }) -> Settings {
        var settings = Settings()
        settings.worker.memoryBudget = budget
        adjust(&settings)
        return settings
    }

    @Test func `few lanes under the default budget fetch as much as they are allowed`() {
        let plan = MemoryPlan(Settings(), lanes: 2)
        #expect(plan.prefetchBytesMax == Settings().kafka.prefetchBytesMax)
        #expect(plan.isKept)
    }

    @Test(arguments: [1, 2, 3, 8, 16, 40, 64], [64, 256, 512, 1024, 4096])
    func `all lanes together stay within a budget that can be kept`(lanes: Int, mebibytes: Int) {
        let budget = mebibytes << 20
        let plan = MemoryPlan(settings(budget: budget), lanes: lanes)
        #expect(plan.isKept == (plan.neededBytes <= budget))
        #expect(plan.isKept == (budget / lanes >= 7 << 20), "3 MiB of batches, 3 answers, 1 ahead")
        #expect(plan.fetchBytesMax >= MemoryPlan.fetchBytesMin)
        #expect(plan.fetchBytesMax <= MemoryPlan.fetchBytesStandard)
        #expect(plan.prefetchBytesMax >= MemoryPlan.prefetchBytesMin)
        #expect(plan.prefetchBytesMax <= Settings().kafka.prefetchBytesMax)
    }

    @Test func `the operator's own limit of prefetching still counts`() {
        let plan = MemoryPlan(
            settings(budget: 1 << 30) { $0.kafka.prefetchBytesMax = 2 << 20 }, lanes: 1)
        #expect(plan.prefetchBytesMax == 2 << 20)
    }

    @Test func `an answer is never smaller than the largest message of the settings`() {
        let plan = MemoryPlan(
            settings(budget: 32 << 20) {
                $0.kafka.properties = ["message.max.bytes": "9000000"]
            }, lanes: 2)
        #expect(plan.fetchBytesMax == 9_000_000)
        #expect(!plan.isKept)
    }

    @Test func `the largest settings overflow nothing`() {
        let plan = MemoryPlan(
            settings(budget: 1 << 40) { settings in
                settings.worker.limits.batch.bytesMax = 256 << 20
                settings.kafka.properties = ["message.max.bytes": "\(Int.max)"]
            }, lanes: 256)
        #expect(plan.fetchBytesMax == MemoryPlan.fetchBytesStandard)
    }
}
