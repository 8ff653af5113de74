import Harness

/// What a soak is told on its command line.
struct SoakOptions: Sendable {
    /// For how long traffic and faults go on; the end takes up to some minutes more.
    var minutes = 5.0
    /// What traffic and faults follow from.
    var seed = UInt64.random(in: 1...999_999_999)
    /// How many records are sent a second.
    var rate = 40
    /// Which faults happen.
    var faults = FaultKind.allCases
    /// How many worker processes there are at the beginning.
    var workers = 3
    /// How many partitions each topic has.
    var partitions = 6
    /// The replay window of the app; 0 is none.
    var window = 0
    /// Whether logs and database stay where they are after a good end, too.
    var keepsFolder = false

    static let usage = """
        usage: soak [--minutes N] [--seed N] [--rate N] [--faults KIND,KIND...] [--workers N]
                    [--partitions N] [--window N] [--keep]

        Real workers over a broker process and a database server, under load, while faults happen
        at random moments; ends with 0 when the oracle finds nothing.

        The seed decides what is sent and which faults come in which order with which pauses. The
        moments at which they meet the workers are not reproducible.

        kinds of faults: \(FaultKind.allCases.map(\.rawValue).joined(separator: " "))
        """

    /// The most minutes: two days.
    static let minutesMax = 2880.0

    /// Reads the command line.
    ///
    /// - Throws: ``HarnessFailure`` that tells what is wrong.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--keep" {
                keepsFolder = true
                continue
            }
            guard let value = rest.popFirst() else { throw HarnessFailure("\(name) needs a value") }
            switch name {
            case "--minutes":
                minutes = try Self.number(name, Double(value), 0.1...Self.minutesMax)
            case "--seed": seed = try Self.number(name, UInt64(value), 0...UInt64.max)
            case "--rate": rate = try Self.number(name, Int(value), 1...2000)
            case "--workers": workers = try Self.number(name, Int(value), 2...8)
            case "--partitions": partitions = try Self.number(name, Int(value), 1...64)
            case "--window": window = try Self.number(name, Int(value), 0...64)
            case "--faults":
                faults = try value.split(separator: ",").map { word in
                    guard let kind = FaultKind(rawValue: String(word)) else {
                        throw HarnessFailure(
                            "\(word) is no kind of fault; there are: "
                                + FaultKind.allCases.map(\.rawValue).joined(separator: " "))
                    }
                    return kind
                }
            default: throw HarnessFailure("unknown option \(name)")
            }
        }
    }

    private static func number<Value: Comparable>(
        _ name: String, _ value: Value?, _ range: ClosedRange<Value>
    ) throws -> Value {
        guard let value, range.contains(value) else {
            throw HarnessFailure(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}
