/// A source that tells an observer what it is asked for and what it answers.
package final class ObservedSource<Base: RequestSource>: RequestSource {
    private let base: Base
    private let observer: LaneObserver

    /// Wraps a source.
    package init(_ base: Base, _ observer: LaneObserver) {
        self.base = base
        self.observer = observer
    }

    package func poll(limits: BatchLimits, wait: Duration) throws(Fault) -> Polled {
        observer.begin("poll")
        let start = observer.clock.monotonic()
        let polled = try base.poll(limits: limits, wait: wait)
        let duration = observer.clock.monotonic() - start
        observer.begin("work")
        if !polled.records.isEmpty { observer.took(duration, for: .poll) }
        if let change = polled.change { note(change) }
        return polled
    }

    private func note(_ change: AssignmentChange) {
        observer.note { report in
            switch change {
            case .assigned(let partitions):
                report.isMember = true
                for partition in partitions {
                    report.partitions[partition] = LaneReport.Partition()
                }
            case .revoked(let partitions), .lost(let partitions):
                for partition in partitions { report.partitions[partition] = nil }
            }
            report.cells.count(MetricTable.rebalances, [change.kind])
        }
    }

    package func positions(
        of partitions: [TopicPartition]
    ) throws(Fault) -> [TopicPartition: LogPosition] {
        observer.begin("look up offsets")
        defer { observer.begin("work") }
        return try base.positions(of: partitions)
    }

    package func firstOffsets(
        laterThan instants: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Int64] {
        observer.begin("look up offsets")
        defer { observer.begin("work") }
        return try base.firstOffsets(laterThan: instants)
    }

    package func start(_ offsets: [TopicPartition: Int64]) throws(Fault) {
        try base.start(offsets)
        if !offsets.isEmpty { observer.claimed(offsets) }
    }

    package func stop(_ partitions: [TopicPartition]) throws(Fault) {
        try base.stop(partitions)
    }

    package func pause() throws(Fault) {
        try base.pause()
    }

    package func resume() throws(Fault) {
        try base.resume()
    }

    package func commit(_ nextOffsets: [TopicPartition: Int64]) throws(Fault) {
        observer.begin("commit offsets")
        let start = observer.clock.monotonic()
        defer { observer.begin("work") }
        do {
            try base.commit(nextOffsets)
        } catch {
            let result = error.disposition == .fenced ? "refused" : "failed"
            observer.note { $0.cells.count(MetricTable.commits, [result]) }
            throw error
        }
        let duration = observer.clock.monotonic() - start
        observer.note { report in
            report.cells.count(MetricTable.commits, ["committed"])
            report.cells.observe(MetricTable.stageDuration, [Stage.commit.rawValue], duration)
            for (partition, offset) in nextOffsets {
                report.partitions[partition]?.committed = offset
            }
        }
    }

    package func close() {
        observer.begin("leave the group")
        base.close()
    }
}

extension AssignmentChange {
    /// The label's value.
    fileprivate var kind: String {
        switch self {
        case .assigned: "assigned"
        case .revoked: "revoked"
        case .lost: "lost"
        }
    }
}
