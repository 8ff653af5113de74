import Dispatch
import Worker

/// Pings the service manager's watchdog for as long as the lanes show signs of life.
///
/// The pings come from a thread of its own, so that they stop only when the lanes do: a lane that
/// sits out an outage is alive.
final class Watchdog: Sendable {
    /// Pings in the time after which the manager loses its patience: one may be late, or lost.
    private static let pingsPerTimeout = 3

    private let ended = DispatchSemaphore(value: 0)

    /// Starts to ping; nil where nobody watches.
    ///
    /// - Parameters:
    ///   - manager: who is told.
    ///   - isAlive: asked before each ping, on the watchdog's thread.
    init?(_ manager: ServiceManager?, isAlive: @escaping @Sendable () -> Bool) {
        guard let manager, let timeout = manager.watchdogTimeout else { return nil }
        let pause = max(1, Int(clamping: timeout.wholeMilliseconds) / Self.pingsPerTimeout)
        // Without a thread there are no pings, and the manager ends the process: it sees to itself.
        _ = DetachedThread.start { [ended] in
            repeat {
                // A ping that can't be sent is missed by the one who would read of it.
                if isAlive() { _ = manager.tell(.alive) }
            } while ended.wait(timeout: .now() + .milliseconds(pause)) == .timedOut
        }
    }

    /// Ends the pings.
    func stop() {
        ended.signal()
    }
}
