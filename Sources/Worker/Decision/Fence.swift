/// The partitions that are looked at, sorted into those that may be decided and those that may not.
struct Fence {
    /// The rows of the batch's partitions that may be decided.
    private(set) var open: [TopicPartition: Progress] = [:]
    /// Partitions that another lane has claimed since.
    private(set) var fenced: Set<TopicPartition> = []
    /// Partitions whose row fell back behind what this lane has seen, each with the row's offset.
    private(set) var fallenBack: [TopicPartition: Int64] = [:]

    /// Sorts.
    ///
    /// - Parameters:
    ///   - partitions: those of the batch.
    ///   - owned: what the lane believes; all of them are looked at.
    ///   - progress: the rows as they were read under lock.
    init(
        _ partitions: Set<TopicPartition>, owned: [TopicPartition: OwnedPartition],
        progress: [TopicPartition: Progress]
    ) {
        for partition in partitions.union(owned.keys) {
            guard let belief = owned[partition], var row = progress[partition],
                row.epoch == belief.epoch
            else {
                fenced.insert(partition)
                continue
            }
            guard row.nextOffset >= belief.nextOffset else {
                fallenBack[partition] = row.nextOffset
                continue
            }
            guard partitions.contains(partition) else { continue }
            row.publishedOffset = max(row.publishedOffset, belief.publishedOffset)
            open[partition] = row
        }
    }
}
