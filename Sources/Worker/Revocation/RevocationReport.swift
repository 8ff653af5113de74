package import AppAttest

/// What is told of the list of revocations that stands.
package struct RevocationReport: Hashable, Sendable {
    /// Which list it is.
    package var version: String
    /// Its keys.
    package var keys: Int
    /// Its certificates.
    package var certificates: Int
    /// Its apps.
    package var apps: Int
    /// When its file was written.
    package var writtenAt: Instant
    /// How old it may become; nil for ever.
    package var ageMax: Duration?
    /// How often another list was taken over, the first one included.
    package var adopted = 1
    /// How often a file could not be used.
    package var refused = 0
    /// Whether the file as it is now can't be used, so that an older list stands.
    package var isFileRefused = false

    /// A report on a list that was read now.
    package init(_ list: RevocationList, writtenAt: Instant, ageMax: Duration?) {
        version = list.version
        keys = list.keys.count
        certificates = list.certificates.count
        apps = list.apps.count
        self.writtenAt = writtenAt
        self.ageMax = ageMax
    }

    /// The report as metrics.
    package var cells: MetricCells {
        var cells = MetricCells()
        cells.set(MetricTable.revocationList, [version], to: 1)
        cells.set(MetricTable.revocationEntries, ["key"], to: keys)
        cells.set(MetricTable.revocationEntries, ["certificate"], to: certificates)
        cells.set(MetricTable.revocationEntries, ["app"], to: apps)
        let (written, isBeyond) = writtenAt.milliseconds.multipliedReportingOverflow(by: 1000)
        cells.set(MetricTable.revocationWritten, to: isBeyond ? 0 : Int(written))
        if let ageMax {
            cells.set(MetricTable.revocationAgeMax, to: Int(ageMax.wholeMicroseconds))
        }
        cells.set(MetricTable.revocationReads, ["adopted"], to: adopted)
        cells.set(MetricTable.revocationReads, ["refused"], to: refused)
        cells.set(MetricTable.revocationRefused, to: isFileRefused ? 1 : 0)
        return cells
    }
}
