import Synchronization

/// Asks lanes to stop; set from another thread.
package final class StopSignal: Sendable {
    private let requested = Atomic(false)

    /// Nobody has asked yet.
    package init() {}

    /// Asks every lane that holds this signal to finish its batch and end.
    package func request() {
        requested.store(true, ordering: .releasing)
    }

    /// Whether somebody asked.
    package var isRequested: Bool {
        requested.load(ordering: .acquiring)
    }
}
