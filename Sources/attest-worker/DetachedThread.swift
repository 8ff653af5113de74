import Glibc

/// Starts threads of the system's own.
///
/// Lanes block for long in C libraries; on the pool behind `async` that would starve whatever else
/// is there.
enum DetachedThread {
    /// The work, on its way through C.
    fileprivate final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread that nobody joins: it tells of its end by its own means.
    ///
    /// - Returns: whether the system could start one.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // Owned by the thread once it runs; by us if it never does.
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runWork, work.toOpaque()) == 0 else {
            work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

/// A file-level function: a closure could be isolated to an actor, and die on this thread.
private func runWork(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    Unmanaged<DetachedThread.Work>.fromOpaque(pointer).takeRetainedValue().body()
    return nil
}
