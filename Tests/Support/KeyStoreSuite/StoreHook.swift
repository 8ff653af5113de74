package import Worker

/// An effect of a store, at which a test may let it die.
package enum StoreStep: String, Hashable, Sendable, CaseIterable {
    /// Partitions are claimed.
    case claim
    /// Partitions are set to another offset.
    case reset
    /// Keys are read without locks.
    case readKeys
    /// A transaction has its rows locked and read; nothing is decided yet.
    case begin
    /// A transaction's writes become visible.
    case commit
    /// Old inbox rows are deleted.
    case prune
    /// Asked whether it would decide.
    case probe
}

/// On which side of an effect a hook is called.
package enum StoreMoment: String, Hashable, Sendable, CaseIterable {
    /// The effect has not happened, and won't if the hook throws.
    case before
    /// The effect has happened; if the hook throws, the caller doesn't learn of it.
    case after
}

/// Called on both sides of every effect of an ``InMemoryKeyStore``.
///
/// What it throws is thrown by the store. A `.retry` stands for a lost connection (after a commit:
/// a commit in doubt), ``Worker/Fault/crash(_:_:)`` for the death of the process.
package typealias StoreHook = (StoreStep, StoreMoment) throws(Fault) -> Void

extension Fault {
    /// The code by which a simulated death is told from every other fault.
    package static let crashCode = "simulated_crash"

    /// The process dies here: nothing that the lane still does may touch the world.
    package static func crash(_ step: StoreStep, _ moment: StoreMoment) -> Fault {
        Fault(
            operation: step.rawValue, code: crashCode, disposition: .stop(.software),
            message: "the process dies \(moment.rawValue) this step")
    }

    /// The connection breaks here.
    package static func connectionLost(_ step: StoreStep, _ moment: StoreMoment) -> Fault {
        Fault(
            operation: step.rawValue, code: "08006", disposition: .retry,
            message: "the connection breaks \(moment.rawValue) this step")
    }
}
