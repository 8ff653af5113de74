package import AppAttest

/// The database: keys, inbox and progress.
package protocol KeyStore: AnyObject {
    /// Takes ownership of partitions: raises each epoch, inserting rows that don't exist.
    ///
    /// Waits for a former owner's open transaction, within the lock timeout.
    ///
    /// - Parameter initial: for each partition the next and published offset of a row that must be
    ///   inserted.
    /// - Returns: the rows as they now are.
    /// - Throws: `.retry` when a lock or the server could not be had.
    func claim(
        _ initial: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Progress]

    /// Sets the next and the published offset of claimed partitions to exactly the next offset
    /// given, also backwards, and the latest timestamp to 0: for a topic that was made anew.
    ///
    /// - Throws: `.fenced` where a row's epoch is not the one given.
    func reset(_ progress: [TopicPartition: Progress]) throws(Fault)

    /// Reads keys without locking them, to verify assertions with.
    func keys(for keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: StoredKey]

    /// One transaction: lock, look, decide, write, commit.
    ///
    /// Locks the progress rows, then the owners, then the keys, each in order; then, in later
    /// statements, looks into the inbox and counts the owners' keys.
    ///
    /// Keys that don't exist yet can't be locked: a concurrent insert of the same key, of the same
    /// request, or of the same thing that is used once, makes the transaction roll back with
    /// `.retry`.
    ///
    /// - Parameters:
    ///   - reads: what to lock and look up.
    ///   - decide: pure; its writes are stored, its other result is returned. Writes of nil roll
    ///     the transaction back and still return the result.
    /// - Returns: what `decide` gave beside its writes.
    /// - Throws: `.retry`: nothing is known of the outcome (it may have been committed, if the
    ///   connection broke at that moment); do the same again, the inbox and the progress rows tell.
    ///   `.poison`: nothing was stored and never will be, as one row is refused.
    func transact<Result>(
        _ reads: BatchReads, decide: (BatchState) -> (writes: BatchWrites?, result: Result)
    ) throws(Fault) -> Result

    /// Deletes some inbox rows that are older than the retention: at most `rowsMax`, in a short
    /// transaction of its own that waits for no lock.
    ///
    /// - Returns: how many were deleted.
    func pruneInbox(rowsMax: Int) throws(Fault) -> Int

    /// Deletes some decisions of the audit that are older than its retention: at most `rowsMax`, in
    /// a short transaction of its own.
    ///
    /// - Returns: how many were deleted.
    func pruneAudit(rowsMax: Int) throws(Fault) -> Int

    /// Deletes some of what was used once and expired before an instant: at most `rowsMax`, in a
    /// short transaction of its own.
    ///
    /// - Returns: how many were deleted.
    func pruneUsed(expiredBefore instant: Instant, rowsMax: Int) throws(Fault) -> Int

    /// Connects if need be, and makes sure that the server would let this worker decide.
    ///
    /// - Throws: `.retry` when it can't be reached or is read only.
    func probe() throws(Fault)

    /// Closes the connection. Idempotent.
    func close()
}
