internal import KafkaTransport
package import Worker

/// Sets a group's committed offsets back while workers run, as an operator's tool might.
package enum GroupRewinder {
    /// How long the group may take to give partitions.
    private static let patience: Duration = .seconds(60)

    /// Joins the group, commits lower offsets for the partitions that it is given, and leaves:
    /// whoever gets them next meets records that were decided before.
    ///
    /// Blocks. A member is needed, as brokers take commits of strangers for empty groups only.
    ///
    /// - Parameters:
    ///   - group: the group.
    ///   - topic: its request topic.
    ///   - bootstrapServers: where.
    ///   - records: how many records each partition is set back at the most.
    /// - Returns: what was committed; empty when the group gave nothing in time.
    /// - Throws: a fault that does not pass.
    @discardableResult
    package static func rewind(
        group: String, topic: String, bootstrapServers: String, records: Int64
    ) throws(Fault) -> [TopicPartition: Int64] {
        var settings = KafkaSettings(
            bootstrapServers: bootstrapServers, groupID: group, requestTopics: [topic])
        settings.sessionTimeout = .seconds(6)
        let source = try KafkaSource(settings: settings, log: { _ in })
        defer { source.close() }
        let limits = BatchLimits(recordsMax: 1, bytesMax: 1)
        let deadline = ContinuousClock.now + patience
        var mine: Set<TopicPartition> = []
        while ContinuousClock.now < deadline {
            do throws(Fault) {
                switch try source.poll(limits: limits, wait: .milliseconds(200)).change {
                case nil: break
                case .revoked(let partitions), .lost(let partitions):
                    mine.subtract(partitions)
                    try source.stop(partitions)
                case .assigned(let partitions):
                    mine.formUnion(partitions)
                    try source.start([:])
                }
                guard !mine.isEmpty else { continue }
                let offsets = try source.positions(of: mine.sorted()).mapValues { position in
                    max(position.low, (position.committed ?? position.low) - records)
                }
                try source.commit(offsets)
                return offsets
            } catch {
                // The group is in the midst of a change; the next poll tells.
                guard error.disposition == .retry || error.disposition == .fenced else {
                    throw error
                }
            }
        }
        return [:]
    }
}
