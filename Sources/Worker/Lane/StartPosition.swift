/// Where a claimed partition is to be read from: a pure function of its row and of its log.
package enum StartPosition: Hashable, Sendable {
    /// From here. Everything before was decided, and its verdict published.
    case at(Int64)
    /// From here, as PostgreSQL has lost the decisions between here and what was committed: they
    /// are made again, consistently, since sign counts, inbox and progress fell back together.
    case lostCommits(from: Int64, committed: Int64)
    /// From here, with the row set back to it: its next offset lies beyond the log's end, or all of
    /// the log is later than what was decided. So the topic was made anew, or lost its end.
    case newLog(from: Int64)
    /// From here: the records before it were never decided, and retention has deleted them.
    case recordsExpired(from: Int64, missing: Int64)
    /// Not at all: decisions were lost whose records the topic no longer holds.
    case unrecoverable(nextOffset: Int64, low: Int64)

    /// The next offset of a row that has to be inserted.
    ///
    /// The group commits nothing before there is a row; so if it has committed, the database has
    /// lost the row, and every decision behind it. Such a row begins at 0: before the committed
    /// offset, that the loss is told, and before the log where retention makes it irreparable.
    package static func initial(_ log: LogPosition) -> Int64 {
        guard let committed = log.committed, committed > 0, committed <= log.high else {
            return log.low
        }
        return 0
    }

    /// Whether the row may be that of another log, which had the same name.
    ///
    /// With a topic Kafka deletes what groups have committed of it. In the log of the row, the
    /// first record was decided, so it is not later than all that were; in one made since, it is.
    /// Without asking, a log that has outgrown the row already would be read from the middle on.
    package static func mayBeNewLog(row: Progress, log: LogPosition) -> Bool {
        log.committed == nil && log.low < row.nextOffset && row.lastTimestampMilliseconds > 0
    }

    /// The first offset whose decision was lost and will be made again; nil where none was.
    ///
    /// Where lost decisions can't be made again, it is the first one that still can, once an
    /// operator lets the partition go on.
    package var decidesAgainFrom: Int64? {
        switch self {
        case .at, .newLog, .recordsExpired: nil
        case .lostCommits(let offset, _): offset
        case .unrecoverable(_, let low): low
        }
    }

    /// Decides where to start.
    ///
    /// - Parameters:
    ///   - row: the progress row as claimed.
    ///   - log: the log's ends and the group's committed offset.
    ///   - firstLater: the first offset whose record is later than all that were decided; nil where
    ///     there is none, the broker can't tell, or nobody needed to ask.
    package init(row: Progress, log: LogPosition, firstLater: Int64? = nil) {
        guard row.nextOffset <= log.high else {
            let committed = log.committed.flatMap { $0 >= log.low && $0 <= log.high ? $0 : nil }
            self = .newLog(from: committed ?? log.low)
            return
        }
        if Self.mayBeNewLog(row: row, log: log), let firstLater, firstLater <= log.low {
            self = .newLog(from: log.low)
            return
        }
        let committed = log.committed ?? row.publishedOffset
        guard row.nextOffset >= log.low else {
            self =
                committed > row.nextOffset
                ? .unrecoverable(nextOffset: row.nextOffset, low: log.low)
                : .recordsExpired(from: log.low, missing: log.low - row.nextOffset)
            return
        }
        if row.nextOffset < committed {
            self = .lostCommits(from: row.nextOffset, committed: committed)
        } else {
            self = .at(max(committed, log.low))
        }
    }
}
