import Testing

@testable import Worker

/// What a refresher tells of itself.
@Suite struct RefreshObserverTests {
    /// A series that begins with its first value is no increase to Prometheus.
    @Test func `every series is there before anything happens`() {
        let clock = TestClock()
        let cells = RefreshObserver(
            clock: LaneClock(wall: { clock.now }, monotonic: { clock.elapsed })
        ).cells
        let told: [MetricFamily] = [
            MetricTable.refreshes, MetricTable.riskMetric, MetricTable.riskChanges,
        ]
        for family in told { #expect(!cells[family].isEmpty, "\(family.name)") }
        #expect(cells[MetricTable.refreshes].count == RefreshOutcome.names.count)
        #expect(cells[MetricTable.oldestDueReceipt].isEmpty)
    }
}
