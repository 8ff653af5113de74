import Glibc
import Worker

/// SIGTERM and SIGINT as values instead of interruptions.
///
/// They are blocked in every thread and awaited by one, so that no code ever runs inside a signal
/// handler, where next to nothing is allowed.
enum TerminationSignals {
    /// Blocks both in this thread and in all that are started later: call it before any is.
    static func block() {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next one.
    ///
    /// - Returns: its number; nil if waiting is impossible.
    static func next() -> Int32? {
        var signals = set
        var number: Int32 = 0
        return sigwait(&signals, &number) == 0 ? number : nil
    }

    /// Passes the first signal on; a second one ends the process at once.
    ///
    /// What is left behind then, PostgreSQL's watcher stops and deletes.
    ///
    /// - Returns: whether the system could start a thread for it.
    static func forward(to mailbox: Mailbox<Int32>) -> Bool {
        let isFirstOver = StopSignal()
        return forward { number in
            if isFirstOver.isRequested { _exit(ExitCode.interrupted.rawValue) }
            isFirstOver.request()
            mailbox.put(number)
        }
    }

    /// Passes every signal on, on a thread of its own.
    ///
    /// - Returns: whether the system could start a thread for it.
    static func forward(_ take: @escaping @Sendable (Int32) -> Void) -> Bool {
        DetachedThread.start {
            while let number = next() { take(number) }
        }
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }
}
