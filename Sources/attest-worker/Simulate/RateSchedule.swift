import AppAttest
import Worker

/// Requests of simulated devices at a rate, until their time is over.
///
/// The first device registers and asserts; then every other request registers a device until all
/// are; all else is assertions and lies.
struct RateSchedule: Schedule {
    private(set) var plan: RequestPlan
    private let options: SimulateOptions
    private let stop: StopSignal
    private let wall: () -> Instant
    private var start: ContinuousClock.Instant?
    /// How many requests were handed out.
    private(set) var handedOut: Int64 = 0

    /// A schedule that starts when it is first asked.
    ///
    /// - Parameters:
    ///   - plan: makes the requests; nothing is registered yet.
    ///   - options: rate, duration, number of devices and lies.
    ///   - stop: ends it before its time.
    ///   - wall: the wall clock: devices are attested when they register.
    init(
        _ plan: RequestPlan, _ options: SimulateOptions, stop: StopSignal,
        wall: @escaping () -> Instant
    ) {
        self.plan = plan
        self.options = options
        self.stop = stop
        self.wall = wall
    }

    mutating func next(at now: ContinuousClock.Instant) -> ScheduledStep {
        let start = start ?? now
        self.start = start
        let elapsed = start.duration(to: now)
        guard elapsed < options.duration, !stop.isRequested else { return .done }
        // Whole numbers: at most 7 days in microseconds times 5,000, far below 2⁶³.
        let due = 1 + elapsed.microseconds * Int64(options.rate) / 1_000_000
        guard handedOut < due else { return .later }
        handedOut += 1
        plan.now = wall()
        return .send(plan.request(nextKind()))
    }

    private mutating func nextKind() -> PlannedKind {
        switch handedOut {
        case 1: return .registration
        case 2: return .assertion
        default: break
        }
        if plan.devices.count < options.devices, handedOut % 2 == 1 { return .registration }
        return options.lies?.next(&plan.random) ?? .assertion
    }
}
