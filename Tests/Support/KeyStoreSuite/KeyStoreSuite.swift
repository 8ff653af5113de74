internal import Worker

/// For how many days the worlds' stores keep inbox rows.
package let suiteRetentionDays = 30

/// Something that every key store must do.
package struct KeyStoreBehaviour<World: KeyStoreWorld>: Sendable, CustomStringConvertible {
    /// A sentence.
    package let name: String
    /// Runs in a fresh world; throws what is wrong.
    package let run: @Sendable (World) throws -> Void

    package var description: String { name }

    init(_ name: String, _ run: @escaping @Sendable (World) throws -> Void) {
        self.name = name
        self.run = run
    }
}

/// The suite that keeps the store in memory honest and PostgreSQL's right.
package enum KeyStoreSuite<World: KeyStoreWorld> {
    /// All behaviours, each to be run in a world of its own.
    package static var behaviours: [KeyStoreBehaviour<World>] {
        claims + transactions + keys + owners + inboxes + usedOnce + registers + receipts
    }
}

/// What a behaviour throws when the store did something else.
package struct BehaviourViolation: Error, CustomStringConvertible {
    /// What was expected, and where.
    package let description: String
}

/// Throws unless the condition holds.
func require(
    _ condition: Bool, _ expectation: String, file: StaticString = #fileID, line: UInt = #line
) throws(BehaviourViolation) {
    guard condition else {
        throw BehaviourViolation(description: "expected: \(expectation) (\(file):\(line))")
    }
}

/// Throws unless both are equal.
func requireEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, _ what: String, file: StaticString = #fileID,
    line: UInt = #line
) throws(BehaviourViolation) {
    guard found == expected else {
        throw BehaviourViolation(
            description: "\(what): found \(found), expected \(expected) (\(file):\(line))")
    }
}

/// Throws unless the body throws a fault of this disposition.
func requireFault(
    _ disposition: Disposition, _ what: String, file: StaticString = #fileID, line: UInt = #line,
    _ body: () throws(Fault) -> Void
) throws(BehaviourViolation) {
    do {
        try body()
    } catch {
        return try requireEqual(error.disposition, disposition, what, file: file, line: line)
    }
    throw BehaviourViolation(description: "\(what): no fault was thrown (\(file):\(line))")
}
