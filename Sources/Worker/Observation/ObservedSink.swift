/// A sink that tells an observer how many records are on their way.
package final class ObservedSink<Base: VerdictSink>: VerdictSink {
    private let base: Base
    private let observer: LaneObserver
    private var tickets: Set<UInt64> = []

    /// Wraps a sink.
    package init(_ base: Base, _ observer: LaneObserver) {
        self.base = base
        self.observer = observer
    }

    package func enqueue(_ records: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault) {
        observer.begin("enqueue verdicts")
        defer { observer.begin("work") }
        try base.enqueue(records)
        tickets.formUnion(records.map(\.ticket))
        tell()
    }

    package func reports(wait: Duration) throws(Fault) -> [DeliveryReport] {
        observer.begin("await delivery reports")
        defer { observer.begin("work") }
        do {
            let reports = try base.reports(wait: wait)
            if !reports.isEmpty {
                tickets.subtract(reports.map(\.ticket))
                tell()
            }
            return reports
        } catch {
            // Made anew, it knows of none of them.
            tickets = []
            tell()
            throw error
        }
    }

    private func tell() {
        let count = tickets.count
        observer.note { $0.unreported = count }
    }

    package func close(wait: Duration) {
        observer.begin("close the producer")
        base.close(wait: wait)
    }
}
