/// What the system tells of a process; what it does not tell is nil.
package struct ProcessFigures: Hashable, Sendable {
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
        return cells
    }
}
