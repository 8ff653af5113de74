import Dispatch
import Glibc
import Synchronization
import Worker

/// SIGTERM, SIGINT and what else is asked of a running process, as values instead of interruptions.
///
/// They are blocked in every thread and awaited by one, so that no code ever runs inside a signal
/// handler, where next to nothing is allowed.
enum TerminationSignals {
    /// Those that ask for the end.
    static let ending = [SIGTERM, SIGINT]
    /// Those that `run` understands.
    static let all = ending + [SIGHUP, SIGUSR1, SIGUSR2]

    /// Blocks them in this thread and in all that are started later: call it before any is.
    static func block(_ numbers: [Int32] = ending) {
        var signals = set(of: numbers)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next one of those, which must be blocked.
    ///
    /// - Returns: its number; nil if waiting is impossible.
    static func next(of numbers: [Int32] = ending) -> Int32? {
        var signals = set(of: numbers)
        var number: Int32 = 0
        return sigwait(&signals, &number) == 0 ? number : nil
    }

    /// How soon after the first a signal is taken for the same one: whoever signals a process and
    /// then its group means one stop.
    private static let sameSignalSeconds = 1

    /// Passes the first signal on; a later one ends the process at once.
    ///
    /// What is left behind then, PostgreSQL's watcher stops and deletes.
    ///
    /// - Returns: whether the system could start a thread for it.
    static func forward(to mailbox: Mailbox<Int32>) -> Bool {
        let lastOfSame = Mutex<DispatchTime?>(nil)
        return forward { number in
            let now = DispatchTime.now()
            let isFirst = lastOfSame.withLock { last in
                guard let time = last else {
                    last = now + .seconds(sameSignalSeconds)
                    return true
                }
                if now > time { _exit(ExitCode.interrupted.rawValue) }
                return false
            }
            if isFirst { mailbox.put(number) }
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

    private static func set(of numbers: [Int32]) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        return signals
    }
}
