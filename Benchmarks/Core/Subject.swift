/// Something whose time is measured.
struct Subject {
    /// The name in tables and in JSON.
    let name: String
    /// The name of the bare operation that it is compared with; nil for those themselves.
    let limit: String?
    /// The lowest ratio of the limit's time to its time that is wanted; nil where none is.
    let target: Double?
    /// One object, from bytes to proof; false when it is not accepted, and nothing was measured.
    let run: () throws -> Bool
}

/// What was measured of a subject.
struct Measurement {
    let subject: Subject
    /// Microseconds of the thread's CPU time for one object, in the fastest slice.
    let bestMicroseconds: Double
    /// The median over all rounds of the limit's time divided by the subject's; nil without limit.
    let ratio: Double?
    /// Blocks of memory asked for by one object.
    let allocations: Double
}

/// Why a benchmark ends without a table.
enum BenchmarkFault: Error, CustomStringConvertible {
    case refused(String)
    case noVector(String)
    case usage(String)

    var description: String {
        switch self {
        case .refused(let name): "\(name): a genuine object was refused, so nothing is measured"
        case .noVector(let name): "Tests/Vectors has no \(name) with all that is needed"
        case .usage(let text): text
        }
    }
}
