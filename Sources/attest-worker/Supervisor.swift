import Dispatch
import Worker

/// Runs lanes, each on a thread of its own, until they end; decides how the process ends.
///
/// The first signal asks the lanes to finish what they hold; a later one, or a drain that takes too
/// long, ends the process where it stands: what was not finished is delivered again. A lane that
/// ends with a fault takes the others along, as its partitions need another process.
struct Supervisor {
    /// What can happen.
    enum Event: Sendable {
        /// SIGTERM or SIGINT came.
        case signal(Int32)
        /// A lane ended: with a fault, or because it was asked to.
        case laneEnded(index: Int, fault: Fault?)
    }

    /// How it all ended.
    struct Ending: Hashable {
        /// The code to end the process with.
        let code: ExitCode
        /// How many lanes were still at work and had to be abandoned.
        let lanesLeft: Int
    }

    /// What the lane of a number does on its thread, to its end; the fault that ended it, if any.
    typealias LaneBody = @Sendable (Int) -> Fault?

    /// Asks the lanes to stop.
    let stop: StopSignal
    /// How long they may take from then on.
    let drainTimeout: Duration
    /// Where it tells what it does.
    let log: Log
    /// Where events come in; signals are put in from outside.
    let events: Mailbox<Event>
    /// How soon after the first a signal is taken for the same one: whoever signals a process and
    /// then its group, as timeout(1) does, means one stop.
    var sameSignalWindow: Duration = .seconds(1)
    /// Called once, when the lanes are asked to stop.
    var whenStopping: @Sendable () -> Void = {}

    /// Starts the lanes and waits for their end.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - body: what each of them does.
    /// - Returns: success when all ended because they were asked to; else the code of the first
    ///   fault, or 75 when some had to be abandoned.
    func run(lanes count: Int, _ body: @escaping LaneBody) -> Ending {
        var outcome: ExitCode?
        var running = 0
        var deadline: DispatchTime?
        var lastOfSameSignal: DispatchTime?
        for index in 0..<count {
            guard start(index, body) else {
                log(.error, "thread_refused", "the system can't start a thread for a lane")
                outcome = .software
                break
            }
            running += 1
        }
        if outcome != nil { deadline = requestStop() }
        while running > 0 {
            switch events.take(until: deadline ?? .distantFuture) {
            case nil:
                log(
                    .warning, "drain_deadline_passed",
                    "lanes did not end in time; what they hold is delivered again",
                    ["lanes": LogValue(running)])
                return Ending(code: outcome ?? .drainDeadline, lanesLeft: running)
            case .signal(let number):
                if let lastOfSameSignal {
                    guard DispatchTime.now() > lastOfSameSignal else { continue }
                    log(.warning, "stopped_at_once", "a second signal came: stopping at once")
                    return Ending(code: outcome ?? .drainDeadline, lanesLeft: running)
                }
                lastOfSameSignal =
                    .now()
                    + .milliseconds(
                        Int(clamping: sameSignalWindow.wholeMilliseconds))
                log(
                    .info, "stop_requested", "a signal asks for the end: lanes finish their batch",
                    ["signal": LogValue(number)])
                if deadline == nil { deadline = requestStop() }
            case .laneEnded(let index, let fault):
                running -= 1
                if let code = exitCode(index, fault) { outcome = outcome ?? code }
                if deadline == nil { deadline = requestStop() }
            }
        }
        return Ending(code: outcome ?? .success, lanesLeft: 0)
    }

    private func start(_ index: Int, _ body: @escaping LaneBody) -> Bool {
        DetachedThread.start { [events] in
            events.put(.laneEnded(index: index, fault: body(index)))
        }
    }

    private func requestStop() -> DispatchTime {
        whenStopping()
        stop.request()
        return .now() + .milliseconds(Int(clamping: drainTimeout.wholeMilliseconds))
    }

    /// What a lane's end means for the process; nil if it ended as asked.
    private func exitCode(_ index: Int, _ fault: Fault?) -> ExitCode? {
        guard let fault else {
            guard !stop.isRequested else { return nil }
            log(.error, "lane_ended", "a lane ended unasked", ["lane": LogValue(index)])
            return .software
        }
        log(.error, "lane_failed", fault, ["lane": LogValue(index)])
        switch fault.disposition {
        case .stop(let code): return code
        case .fenced: return .fenced
        // A lane must not end with these: it handles them.
        case .retry, .poison: return .software
        }
    }
}
