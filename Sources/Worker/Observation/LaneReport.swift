package import AppAttest

/// What a lane tells of itself: a copy of one moment.
package struct LaneReport: Sendable {
    /// A partition that the group has assigned to the lane.
    package struct Partition: Hashable, Sendable {
        /// The first offset that is not answered; nil until the partition is claimed.
        package var position: Int64?
        /// The next offset last committed.
        package var committed: Int64?
        /// Where the log ended when the broker was asked, while the lane was blocked.
        package var seenEnd: Int64?
        /// The timestamp of the oldest record in hand.
        package var oldestInHand: Instant?
        /// Since when records were seen that are not in hand.
        package var behindSince: Instant?
    }

    /// What the lane is doing: which call to a neighbour, or the work between two.
    package struct Activity: Hashable, Sendable {
        /// A name for people: `poll`, `lock rows`.
        package var name: String
        /// Since when, by the monotonic clock.
        package var since: Duration
    }

    /// A fault that is being sat out.
    package struct Trouble: Hashable, Sendable {
        /// The fault, as it was met last.
        package var fault: Fault
        /// Since when, by the monotonic clock.
        package var since: Duration
    }

    /// The lane's number.
    package let number: Int
    /// Counters and histograms.
    package var cells = MetricCells()
    /// Whether its thread has come to an end.
    package var hasEnded = false
    /// Whether the group has told it of an assignment, be it empty.
    package var isMember = false
    /// What it does.
    package var activity: Activity
    /// When it last finished a batch or found nothing to do, by the wall clock.
    package var progressAt: Instant
    /// What it tries again.
    package var trouble: Trouble?
    /// The partitions assigned to it.
    package var partitions: [TopicPartition: Partition] = [:]
    /// Records in hand.
    package var inHandRecords = 0
    /// The bytes of their values.
    package var inHandBytes = 0
    /// Records handed to the producer that are not reported.
    package var unreported = 0
    /// Whether a call to the database is under way.
    package var isStoreBusy = false
    /// When the database last answered, by the monotonic clock.
    package var storeAnsweredAt: Duration?
    /// Why the last call to the database failed; nil if it did not.
    package var storeFault: Fault?
    /// What its Kafka clients told last.
    package var statistics: [KafkaClientRole: ClientStatistics] = [:]

    init(number: Int, clock: LaneClock) {
        self.number = number
        activity = Activity(name: "start", since: clock.monotonic())
        progressAt = clock.wall()
        cells.addZeros()
    }

    /// The state that is told of it.
    package var state: LaneState {
        if hasEnded { return .stopped }
        if trouble != nil { return .blocked }
        return isMember ? .running : .joining
    }

    /// How many records a partition lags; nil while that is not known.
    package func lag(of partition: TopicPartition) -> Int64? {
        guard let position = partitions[partition]?.position,
            let end = [
                statistics[.consumer]?.partitions[partition]?.stableOffset,
                partitions[partition]?.seenEnd,
            ].compactMap(\.self).max()
        else { return nil }
        return max(0, end - position)
    }

    /// The offset that a partition's next record will get, as far as is known.
    package func highWatermark(of partition: TopicPartition) -> Int64? {
        [
            statistics[.consumer]?.partitions[partition]?.highWatermark,
            partitions[partition]?.seenEnd,
        ].compactMap(\.self).max()
    }
}

/// What a lane is up to, in one word.
package enum LaneState: String, Hashable, Sendable, CaseIterable {
    /// It has no assignment yet.
    case joining
    /// It works, or waits for work.
    case running
    /// It tries again what failed.
    case blocked
    /// It has come to its end.
    case stopped
}
