/// A command line split into the flags that a command knows itself and all the rest.
struct CommandFlags {
    /// Values by flag, dashes included; of one given twice the last.
    private(set) var values: [String: String] = [:]
    /// Flags without a value that were given.
    private(set) var switches: Set<String> = []
    /// What is left, for another reader.
    private(set) var rest: [String] = []
    /// What is wrong, in words for the person who typed it.
    private(set) var problems: [String] = []

    /// Splits.
    ///
    /// - Parameters:
    ///   - arguments: what stands behind the command's name.
    ///   - valued: flags with a value, behind a blank or an equals sign.
    ///   - offered: flags without one.
    init(_ arguments: [String], valued: Set<String>, switches offered: Set<String>) {
        var arguments = arguments[...]
        while let argument = arguments.popFirst() {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            let name = parts.first ?? argument
            if offered.contains(argument) {
                switches.insert(argument)
            } else if !valued.contains(name) {
                rest.append(argument)
            } else if let value = parts.count == 2 ? parts.last : arguments.popFirst() {
                values[name] = value
            } else {
                problems.append("\(name) needs a value behind it")
            }
        }
    }

    /// A whole number within a range.
    ///
    /// - Returns: nil if the flag was not given, or is wrong: then that is noted.
    mutating func number<Number: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Number>
    ) -> Number? {
        guard let text = values[name] else { return nil }
        guard let number = Number(text), range.contains(number) else {
            note("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// A value that one function can read.
    ///
    /// - Returns: nil if the flag was not given, or is wrong: then that is noted.
    mutating func value<Value>(
        _ name: String, mustBe rule: String, _ read: (String) -> Value?
    ) -> Value? {
        guard let text = values[name] else { return nil }
        let value = read(text)
        if value == nil { note("\(name) must be \(rule)") }
        return value
    }

    /// Notes something that is wrong.
    mutating func note(_ problem: String) {
        problems.append(problem)
    }
}
