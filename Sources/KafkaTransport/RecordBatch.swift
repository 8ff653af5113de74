internal import Worker

/// A batch while it is being filled: whole records, in the order they came, up to the limits.
struct RecordBatch {
    /// What was taken so far.
    private(set) var records: [Record] = []
    private let limits: BatchLimits
    private var valueBytes = 0
    private var isClosed = false

    /// An empty batch.
    init(limits: BatchLimits) {
        self.limits = limits
    }

    /// Whether nothing more should be taken for it.
    var isFull: Bool {
        isClosed || records.count >= max(1, limits.recordsMax) || valueBytes >= limits.bytesMax
    }

    /// Adds a record if it fits; the first one always does.
    ///
    /// - Returns: whether it was added. After a refusal nothing is added any more, as a smaller
    ///   record behind the refused one would overtake it.
    mutating func add(_ record: Record) -> Bool {
        let size = record.value?.count ?? 0
        guard !isFull, records.isEmpty || size <= limits.bytesMax - valueBytes else {
            isClosed = true
            return false
        }
        records.append(record)
        valueBytes += size
        return true
    }
}
