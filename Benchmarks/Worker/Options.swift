/// The command line.
struct Options {
    /// Devices that ask.
    var keys = 10_000
    /// Keys in the database.
    var stored = 100_000
    /// Decided requests in the inbox before the first run.
    var history = 100_000
    /// Requests of each run.
    var requests = 60_000
    var lanes = [2]
    var batches = [200]
    /// Hundredths of the highest rate at which latency is measured.
    var rates: [Int] = []
    var skew = Traffic.Skew.even
    var json: String?

    /// Why a call can't be understood.
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads arguments.
    init(_ arguments: [String]) throws(Wrong) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw Wrong(description: "\(name) needs a value")
            }
            switch name {
            case "--keys": keys = try Self.number(name, value, 1...1_000_000)
            case "--stored": stored = try Self.number(name, value, 0...100_000_000)
            case "--history": history = try Self.number(name, value, 0...100_000_000)
            case "--requests": requests = try Self.number(name, value, 1_000...200_000)
            case "--lanes": lanes = try Self.numbers(name, value, 1...64)
            case "--batches": batches = try Self.numbers(name, value, 1...10_000)
            case "--rates": rates = try Self.numbers(name, value, 1...100)
            case "--skew":
                guard let chosen = Traffic.Skew(rawValue: value) else {
                    throw Wrong(description: "--skew is even or zipf")
                }
                skew = chosen
            case "--json": json = value
            default:
                throw Wrong(
                    description: """
                        no argument \(name); there are --keys, --stored, --history, --requests, \
                        --lanes, --batches, --rates, --skew, --json
                        """)
            }
        }
    }

    private static func numbers(
        _ name: String, _ text: String, _ range: ClosedRange<Int>
    ) throws(Wrong) -> [Int] {
        var numbers: [Int] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            numbers.append(try number(name, String(part), range))
        }
        return numbers
    }

    private static func number(
        _ name: String, _ text: String, _ range: ClosedRange<Int>
    ) throws(Wrong) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw Wrong(
                description:
                    "\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
