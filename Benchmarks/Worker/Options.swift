/// The command line.
struct Options {
    /// What is measured.
    enum Subject: String, CaseIterable {
        case backlog, latency, store, scale, rebalance, growth, process, baseline
    }

    var subjects: [Subject] = []
    /// Devices that ask.
    var keys = 10_000
    /// Keys in the database.
    var stored = 100_000
    /// Decided requests in the inbox before the first run.
    var history = 100_000
    /// Requests of each run.
    var requests = 60_000
    var lanes = [4]
    var batches = [1000]
    /// Hundredths of the highest rate at which latency is measured.
    var rates = [25, 50, 90]
    var connections = [1, 2, 4]
    var workers = [1, 2, 4]
    var partitions = [16]
    var skew = Traffic.Skew.even
    /// The most keys that growth is measured with.
    var growth = 10_000_000
    /// The Python that the baseline runs on.
    var python = "python3"
    var json: String?

    /// Why a call can't be understood.
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads arguments.
    init(_ arguments: [String]) throws(Wrong) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if let subject = Subject(rawValue: name) {
                subjects.append(subject)
                continue
            }
            guard name.hasPrefix("--") else {
                let names = Subject.allCases.map(\.rawValue).joined(separator: ", ")
                throw Wrong(description: "nothing is called \(name); there are \(names)")
            }
            guard let value = rest.popFirst() else {
                throw Wrong(description: "\(name) needs a value")
            }
            try take(name, value)
        }
        if subjects.isEmpty { subjects = [.backlog] }
    }

    private mutating func take(_ name: String, _ value: String) throws(Wrong) {
        switch name {
        case "--keys": keys = try Self.number(name, value, 1...1_000_000)
        case "--stored": stored = try Self.number(name, value, 0...100_000_000)
        case "--history": history = try Self.number(name, value, 0...100_000_000)
        case "--requests": requests = try Self.number(name, value, 1_000...200_000)
        case "--lanes": lanes = try Self.numbers(name, value, 1...64)
        case "--batches": batches = try Self.numbers(name, value, 1...10_000)
        case "--rates": rates = try Self.numbers(name, value, 1...100)
        case "--connections": connections = try Self.numbers(name, value, 1...64)
        case "--workers": workers = try Self.numbers(name, value, 1...16)
        case "--partitions": partitions = try Self.numbers(name, value, 1...1_000)
        case "--growth": growth = try Self.number(name, value, 1_000_000...100_000_000)
        case "--python": python = value
        case "--json": json = value
        case "--skew":
            guard let chosen = Traffic.Skew(rawValue: value) else {
                throw Wrong(description: "--skew is even or zipf")
            }
            skew = chosen
        default:
            throw Wrong(
                description: """
                    no argument \(name); there are --keys, --stored, --history, --requests, \
                    --lanes, --batches, --rates, --connections, --workers, --partitions, --skew, \
                    --growth, --python, --json
                    """)
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
