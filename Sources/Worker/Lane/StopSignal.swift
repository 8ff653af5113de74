import Synchronization

/// Asks lanes to stop; set from another thread.
package final class StopSignal: Sendable {
    private let requested = Atomic(false)
    private let alsoIf: @Sendable () -> Bool

    /// Nobody has asked yet.
    ///
    /// - Parameter alsoIf: another reason to stop, asked for whenever the signal is looked at.
    package init(alsoIf: @escaping @Sendable () -> Bool = { false }) {
        self.alsoIf = alsoIf
    }

    /// Asks every lane that holds this signal to finish its batch and end.
    package func request() {
        requested.store(true, ordering: .releasing)
    }

    /// Whether somebody asked.
    package var isRequested: Bool {
        requested.load(ordering: .acquiring) || alsoIf()
    }
}
