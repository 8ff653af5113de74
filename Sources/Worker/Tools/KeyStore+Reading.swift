extension KeyStore {
    /// The progress rows that exist, as they are at this moment.
    ///
    /// - Throws: `.retry` when a row is locked for too long, or the server is away.
    package func readProgress(
        of partitions: some Sequence<TopicPartition>
    ) throws(Fault) -> [TopicPartition: Progress] {
        let reads = BatchReads(partitions: Set(partitions), keyIDs: [], requests: [])
        return try transact(reads) { state in (writes: nil, result: state.progress) }
    }

    /// The inbox rows of these requests, without a lock.
    ///
    /// - Throws: `.retry` when the server is away.
    package func decided(
        _ requests: Set<RequestIdentity>
    ) throws(Fault) -> [RequestIdentity: InboxEntry] {
        guard !requests.isEmpty else { return [:] }
        let reads = BatchReads(partitions: [], keyIDs: [], requests: requests)
        return try transact(reads) { state in (writes: nil, result: state.inbox) }
    }
}
