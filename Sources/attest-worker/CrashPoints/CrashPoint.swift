#if DEBUG
    import Glibc
    import Synchronization

    // For tests of what a crash leaves behind. Nothing of this file is in a release build.

    /// A step of the lane at which the process kills itself, as `kill -9` would, or stops itself
    /// until somebody sends SIGCONT; or at which the lane alone stands still for ever, as by a bug.
    ///
    /// | step | the process dies |
    /// | --- | --- |
    /// | `claimed` | after partitions were claimed in the database |
    /// | `polled` | after a poll that brought records |
    /// | `keys-read` | after keys were read to verify with |
    /// | `deciding` | inside the transaction, before its writes and COMMIT |
    /// | `decided` | after COMMIT |
    /// | `enqueued` | when verdicts are handed over and may not have left the process |
    /// | `reported` | after delivery reports came |
    /// | `committing` | before offsets are committed |
    /// | `committed` | after that |
    final class CrashPoint: Sendable {
        /// The step's names.
        enum Step: String, CaseIterable {
            case claimed
            case polled
            case keysRead = "keys-read"
            case deciding
            case decided
            case enqueued
            case reported
            case committing
            case committed
        }

        private let step: Step
        /// What the process sends itself; nil where its lane stands still.
        private let signal: Int32?
        private let remaining: Mutex<Int>

        /// What the variable `CRASH_AT`, `FREEZE_AT` or `STALL_AT` asks for; nil where none is set.
        static let ofThisProcess =
            getenv("CRASH_AT").flatMap { CrashPoint(String(cString: $0), SIGKILL) }
            ?? getenv("FREEZE_AT").flatMap { CrashPoint(String(cString: $0), SIGSTOP) }
            ?? getenv("STALL_AT").flatMap { CrashPoint(String(cString: $0), nil) }

        /// Reads a step, a colon, and how often the step must be reached; nil for other text.
        private init?(_ text: String, _ signal: Int32?) {
            let parts = text.split(separator: ":")
            guard parts.count == 2,
                let step = parts.first.flatMap({ Step(rawValue: String($0)) }),
                let count = parts.last.flatMap({ Int($0) })
            else { return nil }
            self.step = step
            self.signal = signal
            remaining = Mutex(count)
        }

        /// Dies or stops here, if this is the place and the time.
        func pass(_ step: Step) {
            guard step == self.step else { return }
            let isDue = remaining.withLock { remaining in
                remaining -= 1
                return remaining == 0
            }
            guard isDue else { return }
            if let signal { kill(getpid(), signal) }
            while signal == nil { sleep(3600) }
        }
    }
#endif
