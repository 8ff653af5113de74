#if DEBUG
    import Worker

    /// A sink that passes crash points.
    final class CrashingSink<Base: VerdictSink>: VerdictSink {
        private let base: Base
        private let point: CrashPoint

        init(_ base: Base, _ point: CrashPoint) {
            self.base = base
            self.point = point
        }

        func enqueue(_ records: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault) {
            try base.enqueue(records)
            point.pass(.enqueued)
        }

        func reports(wait: Duration) throws(Fault) -> [DeliveryReport] {
            let reports = try base.reports(wait: wait)
            if !reports.isEmpty { point.pass(.reported) }
            return reports
        }

        func close(wait: Duration) { base.close(wait: wait) }
    }
#endif
