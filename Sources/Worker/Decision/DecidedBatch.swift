/// What a lane believes about a partition it owns.
package struct OwnedPartition: Hashable, Sendable {
    /// The epoch of its claim.
    package var epoch: Int64
    /// The next offset as the lane last saw it in the row.
    package var nextOffset: Int64
    /// The first offset whose verdict is not known to be delivered.
    package var publishedOffset: Int64

    /// A belief from its parts.
    package init(epoch: Int64, nextOffset: Int64, publishedOffset: Int64) {
        self.epoch = epoch
        self.nextOffset = nextOffset
        self.publishedOffset = publishedOffset
    }
}

/// The outcome of deciding a batch.
package struct DecidedBatch: Sendable {
    /// One answer a record, in the batch's order.
    package var answers: [Answer] = []
    /// What is counted of each answer; nil where it is no verdict.
    package var facts: [VerdictFacts?] = []
    /// Where each partition's row stands when the writes are stored.
    package var nextOffsets: [TopicPartition: Int64] = [:]
    /// Where each partition stands when the answers are delivered: behind the batch's last record.
    ///
    /// Lower than the row's next offset where records come back that were decided before: those
    /// between the two are not answered by this batch, so nothing may be committed past this.
    package var answeredOffsets: [TopicPartition: Int64] = [:]
    /// Partitions that another lane has claimed since.
    package var fenced: Set<TopicPartition> = []
    /// Partitions whose row fell back behind what this lane has seen, each with the offset to read
    /// again from: the database lost commits.
    package var fallenBack: [TopicPartition: Int64] = [:]
}
