/// What `attest-worker demo` was asked for on its command line.
struct DemoOptions: Hashable, Sendable {
    /// How many devices register a key.
    var devices = 100
    /// How many records are sent, registrations among them.
    var requests = 5_000
    /// Whether everything stays up after the report, until a signal comes.
    var keepsRunning = false
    /// What all keys, lies and their order follow from.
    var seed: UInt64 = 1

    /// Up to here minting the attestations stays a matter of seconds.
    static let devicesMax = 2_000
    /// All records are minted before the first is sent, and held in memory: about 1 KiB each.
    static let requestsMax = 100_000
    /// Beside the registrations each kind of request occurs once at least.
    static let requestsBesideRegistrationsMin = PlannedKind.allCases.count - 1

    /// Something wrong with the command line, in words for the person who typed it.
    struct Problem: Error, Hashable, Sendable {
        let messages: [String]
    }

    /// What an empty command line asks for.
    init() {}

    /// Reads a command line.
    ///
    /// - Parameter arguments: what stands behind `demo`.
    /// - Throws: every problem at once.
    init(_ arguments: [String]) throws(Problem) {
        var problems: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            let name = parts.first ?? argument
            if name == "--keep", parts.count == 1 {
                keepsRunning = true
                continue
            }
            guard ["--devices", "--requests", "--seed"].contains(name) else {
                problems.append("there is no flag \"\(argument)\"")
                continue
            }
            guard let value = parts.count == 2 ? parts.last : rest.popFirst() else {
                problems.append("\(name) needs a number behind it")
                continue
            }
            if let problem = take(value, for: name) { problems.append(problem) }
        }
        let least = devices + Self.requestsBesideRegistrationsMin
        if problems.isEmpty, requests < least {
            problems.append(
                "--requests must be at least \(least): \(devices) registrations, and each other "
                    + "kind of request once")
        }
        guard problems.isEmpty else { throw Problem(messages: problems) }
    }

    private mutating func take(_ text: String, for name: String) -> String? {
        if name == "--seed" {
            guard let value = UInt64(text) else {
                return "--seed must be a whole number from 0 to \(UInt64.max)"
            }
            seed = value
            return nil
        }
        let most = name == "--devices" ? Self.devicesMax : Self.requestsMax
        guard let value = Int(text), (1...most).contains(value) else {
            return "\(name) must be a whole number from 1 to \(most)"
        }
        if name == "--devices" { devices = value } else { requests = value }
        return nil
    }
}
