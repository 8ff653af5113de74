import Dispatch
import Synchronization
import Worker

/// Lets the lanes of a process leave their group together, when all have committed.
///
/// A lane that leaves begins a rebalance, and a coordinator may refuse the commits of the others
/// from then on: their finished work would be delivered and answered once more.
final class Departure: Sendable {
    private let working = DispatchGroup()
    private let present: Mutex<Set<Int>>
    private let patience: Duration

    /// Lanes numbered from 0, all at work.
    ///
    /// - Parameters:
    ///   - lanes: how many.
    ///   - patience: how long one that is done waits for the others.
    init(lanes: Int, patience: Duration) {
        present = Mutex(Set(0..<lanes))
        self.patience = patience
        for _ in 0..<lanes { working.enter() }
    }

    /// A lane is done, and waits until all are or its patience ends.
    func wait(_ lane: Int) {
        laneEnded(lane)
        _ = working.wait(
            timeout: .now() + .milliseconds(Int(clamping: patience.wholeMilliseconds)))
    }

    /// A lane is done or has failed; said again, it changes nothing.
    func laneEnded(_ lane: Int) {
        let wasPresent = present.withLock { $0.remove(lane) != nil }
        if wasPresent { working.leave() }
    }
}
