/// What the system and those beside the lanes tell of a process; what nobody tells is nil.
package struct ProcessFigures: Sendable {
    /// Processor time, user and system.
    package var processorTime: Duration?
    /// Bytes in RAM.
    package var residentBytes: Int?
    /// Bytes of address space.
    package var virtualBytes: Int?
    /// Threads.
    package var threads: Int?
    /// Open file descriptors.
    package var openFiles: Int?
    /// How many there may be.
    package var openFilesMax: Int?

    /// Spans that a collector took.
    package var spansSent: Int?
    /// Spans that no collector took.
    package var spansDropped: Int?

    /// The list of what is revoked, where there is one.
    package var revocations: RevocationReport?
    /// What is told of the refresh of receipts.
    package var receipts: MetricCells?

    /// Nothing is told.
    package init() {}

    /// The figures as metrics.
    var cells: MetricCells {
        var cells = MetricCells()
        func set(_ family: MetricFamily, _ value: Int?) {
            if let value { cells.set(family, to: value) }
        }
        set(MetricTable.cpu, processorTime?.wholeMicroseconds)
        set(MetricTable.resident, residentBytes)
        set(MetricTable.virtual, virtualBytes)
        set(MetricTable.threads, threads)
        set(MetricTable.openFiles, openFiles)
        set(MetricTable.maxFiles, openFilesMax)
        if let spansSent { cells.count(MetricTable.spans, ["sent"], by: spansSent) }
        if let spansDropped { cells.count(MetricTable.spans, ["dropped"], by: spansDropped) }
        if let revocations { cells.merge(revocations.cells) }
        if let receipts { cells.merge(receipts) }
        return cells
    }
}
