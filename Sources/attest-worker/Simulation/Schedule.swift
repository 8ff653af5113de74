/// When which request is sent.
protocol Schedule {
    /// Tells what is to be done now.
    ///
    /// - Parameter now: the present moment, not before that of an earlier call.
    /// - Returns: a request is handed out once, and must be sent.
    mutating func next(at now: ContinuousClock.Instant) -> ScheduledStep
}

/// What a schedule says.
enum ScheduledStep {
    /// Send this.
    case send(PlannedRequest)
    /// Ask again a little later.
    case later
    /// Everything was handed out.
    case done
}

/// Requests that are all sent as soon as they may be.
struct ImmediateSchedule: Schedule {
    private var rest: ArraySlice<PlannedRequest>

    init(_ requests: ArraySlice<PlannedRequest>) {
        rest = requests
    }

    mutating func next(at now: ContinuousClock.Instant) -> ScheduledStep {
        rest.popFirst().map(ScheduledStep.send) ?? .done
    }
}
