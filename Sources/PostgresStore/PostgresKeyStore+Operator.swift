package import Worker

// What operators' commands do beside what lanes do.

extension PostgresKeyStore {
    /// How many inbox rows are older than the retention of the settings, by day.
    ///
    /// Locks nothing.
    ///
    /// - Returns: the days, as `2026-01-31` in UTC and the oldest first, with their rows.
    /// - Throws: `.retry` when the server is away, or took longer than the statement timeout.
    package func expiredInboxRows() throws(Fault) -> [(day: String, rows: Int64)] {
        let count = Command(.countInbox, .int4(Int32(clamping: settings.inboxRetentionDays)))
        return try perform("count inbox rows") { (connection) throws(PostgresError) in
            var days: [(day: String, rows: Int64)] = []
            let results = try connection.run(self.beginning() + [count, Command(.commit)])
            try requireCommit(results.last)
            try results.dropLast().last?.forEach { (row) throws(PostgresError) in
                days.append((try row.text(0), try row.integer(1)))
            }
            return days
        }
    }

    /// Says from where partitions are to be read on, whoever owns them: every owner is fenced, and
    /// finds the new position when it claims again.
    ///
    /// Backwards, what was decided stays decided: records that are read again are answered from the
    /// inbox, or as `stale_request` where it has forgotten them. Forwards, what is jumped over will
    /// never be decided.
    ///
    /// - Parameter offsets: the offset of the first record to be answered.
    /// - Returns: the rows as they now are.
    /// - Throws: `.retry` when a lock or the server could not be had.
    package func place(
        _ offsets: [TopicPartition: Int64]
    ) throws(Fault) -> [TopicPartition: Progress] {
        guard !offsets.isEmpty else { return [:] }
        let partitions = Array(offsets)
        let place = Command(
            .placeProgress, .text(settings.group), .text(settings.owner),
            .texts(partitions.map(\.key.topic)), .int4s(partitions.map(\.key.partition)),
            .int8s(partitions.map(\.value)))
        return try perform("place partitions") { (connection) throws(PostgresError) in
            let results = try connection.run(self.beginning() + [place, Command(.commit)])
            try requireCommit(results.last)
            guard let placed = results.dropLast().last else { return [:] }
            return try progress(in: placed)
        }
    }
}
