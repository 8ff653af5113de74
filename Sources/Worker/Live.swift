import Synchronization

/// A value that one thread replaces while others work with it.
///
/// Whoever works with it asks for a newer one at moments of its own choice, so that a piece of work
/// sees one value from beginning to end. Asking costs one atomic load as long as there is none.
package final class Live<Value: Sendable>: Sendable {
    private let state: Mutex<(version: Int, value: Value)>
    private let version = Atomic(0)

    /// The first value.
    package init(_ value: Value) {
        state = Mutex((0, value))
    }

    /// The value now.
    package var value: Value {
        state.withLock { $0.value }
    }

    /// How often it was replaced.
    package var currentVersion: Int { version.load(ordering: .acquiring) }

    /// Replaces the value.
    package func replace(with value: Value) {
        state.withLock { state in
            state = (state.version + 1, value)
            version.store(state.version, ordering: .releasing)
        }
    }

    /// The value, if it was replaced since the version last seen.
    ///
    /// - Parameter seen: the version last seen, 0 at first; set to that of the value returned.
    /// - Returns: nil if there is no newer one.
    package func newer(than seen: inout Int) -> Value? {
        guard version.load(ordering: .acquiring) != seen else { return nil }
        return state.withLock { state in
            seen = state.version
            return state.value
        }
    }
}
