internal import AppAttest
internal import Synchronization

/// What a refresher tells of itself; read from other threads.
package final class RefreshObserver: Sendable {
    private struct State {
        var cells = MetricCells()
        var oldestDue: Instant?
        var hasLooked = false
    }

    private let state = Mutex(State())
    private let clock: LaneClock

    /// Nothing has happened yet.
    package init(clock: LaneClock) {
        self.clock = clock
    }

    /// A try is over.
    func noted(_ outcome: RefreshOutcome) {
        state.withLock { state in
            state.cells.count(MetricTable.refreshes, [outcome.name])
            if case .renewed(_, let facts) = outcome, let metric = facts.metric {
                state.cells.observe(MetricTable.riskMetric, [], Int(metric))
            }
        }
    }

    /// Changes were published.
    func told(_ count: Int) {
        state.withLock { $0.cells.count(MetricTable.riskChanges, by: count) }
    }

    /// Since when the longest-waiting receipt is due.
    func saw(oldestDue: Instant?) {
        state.withLock { state in
            state.oldestDue = oldestDue
            state.hasLooked = true
        }
    }

    /// All of it as metrics.
    package var cells: MetricCells {
        let now = clock.wall()
        return state.withLock { state in
            var cells = state.cells
            for name in RefreshOutcome.names { cells.count(MetricTable.refreshes, [name], by: 0) }
            // From the start on: what a series begins with is no increase to Prometheus.
            cells.observe(MetricTable.riskMetric, [], 0, times: 0)
            cells.count(MetricTable.riskChanges, by: 0)
            if state.hasLooked {
                let age = state.oldestDue.map { max(.zero, now.since($0)) } ?? .zero
                cells.set(MetricTable.oldestDueReceipt, to: age.wholeMicroseconds)
            }
            return cells
        }
    }
}
