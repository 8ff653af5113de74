internal import Foundation
internal import Synchronization

/// The thread that starts every child process.
///
/// A child's death signal is sent when the *thread* that started it ends (prctl(2),
/// PR_SET_PDEATHSIG), and threads of the pools come and go. This one stays as long as the process,
/// so a test run that crashes takes its servers with it, and nothing else does.
package final class SpawningThread: Sendable {
    /// The only one.
    package static let shared = SpawningThread()

    private typealias Job = @Sendable () -> Void

    private let jobs: Mutex<[Job]>
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {
        jobs = Mutex([])
        Thread { [unowned self] in
            while true {
                arrivals.wait()
                jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
            }
        }.start()
    }

    /// Does something on the thread and waits for it.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            jobs.withLock { $0.append { continuation.resume(returning: body()) } }
            arrivals.signal()
        }
    }
}
