package import AppAttest

/// Where a stretch of a log begins, or before what it ends: as an operator names it.
package enum LogBound: Hashable, Sendable {
    /// An offset, the same in each partition.
    case offset(Int64)
    /// A time: the first record that is not older.
    case time(Instant)
}

extension LogPosition {
    /// The part of the log between two offsets.
    ///
    /// - Parameters:
    ///   - first: the first offset; nil is the log's beginning.
    ///   - end: the offset behind the last one; nil is the log's end.
    /// - Returns: what of it is there; empty where nothing is.
    package func stretch(from first: Int64?, to end: Int64?) -> Range<Int64> {
        let first = min(max(first ?? low, low), high)
        return first..<max(first, min(end ?? high, high))
    }
}
