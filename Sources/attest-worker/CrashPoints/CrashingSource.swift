#if DEBUG
    import Worker

    /// A source that passes crash points.
    final class CrashingSource<Base: RequestSource>: RequestSource {
        private let base: Base
        private let point: CrashPoint

        init(_ base: Base, _ point: CrashPoint) {
            self.base = base
            self.point = point
        }

        func poll(limits: BatchLimits, wait: Duration) throws(Fault) -> Polled {
            let polled = try base.poll(limits: limits, wait: wait)
            if !polled.records.isEmpty { point.pass(.polled) }
            return polled
        }

        func positions(
            of partitions: [TopicPartition]
        ) throws(Fault) -> [TopicPartition: LogPosition] {
            try base.positions(of: partitions)
        }

        func firstOffsets(
            laterThan instants: [TopicPartition: Int64]
        ) throws(Fault) -> [TopicPartition: Int64] {
            try base.firstOffsets(laterThan: instants)
        }

        func start(_ offsets: [TopicPartition: Int64]) throws(Fault) { try base.start(offsets) }

        func stop(_ partitions: [TopicPartition]) throws(Fault) { try base.stop(partitions) }

        func pause() throws(Fault) { try base.pause() }

        func resume() throws(Fault) { try base.resume() }

        func commit(_ nextOffsets: [TopicPartition: Int64]) throws(Fault) {
            point.pass(.committing)
            try base.commit(nextOffsets)
            point.pass(.committed)
        }

        func close() { base.close() }
    }
#endif
