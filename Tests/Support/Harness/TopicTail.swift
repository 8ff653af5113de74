package import Worker

/// All records of a topic, read from its beginning on and kept.
package actor TopicTail {
    private let follower: TopicFollower
    private var records: [Record] = []

    /// Finds the topic.
    ///
    /// - Parameters:
    ///   - topic: must exist.
    ///   - group: whose committed offsets ``positions()`` tells; it is not joined.
    ///   - bootstrapServers: where.
    /// - Throws: a fault when the topic can't be found.
    package init(topic: String, group: String, bootstrapServers: String) throws {
        follower = try TopicFollower(
            topic: topic, group: group, bootstrapServers: bootstrapServers)
    }

    /// Reads up to the end that each partition has at this moment.
    ///
    /// - Returns: all records so far, in order within each partition.
    /// - Throws: ``HarnessFailure`` when the end can't be reached, or the broker has dropped a
    ///   record: a partition of the mock keeps 5 MiB.
    package func readOn() throws -> [Record] {
        let isWhole = try follower.readOn(within: .seconds(10))
        records += follower.take()
        guard isWhole else { throw HarnessFailure("the topic's ends can't be reached in time") }
        return records
    }

    /// What the group has committed, and where each log ends.
    package func positions() throws -> [TopicPartition: LogPosition] {
        try follower.positions()
    }
}
