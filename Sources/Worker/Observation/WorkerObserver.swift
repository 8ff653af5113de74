package import AppAttest
internal import Synchronization

/// The libraries a process runs with, as each tells its own version.
package struct LibraryVersions: Hashable, Sendable {
    /// The compiler the program was built with.
    package var swift: String
    /// The Kafka client.
    package var librdkafka: String
    /// The PostgreSQL client.
    package var libpq: String
    /// The cryptography.
    package var openssl: String

    /// Versions from their parts.
    package init(swift: String, librdkafka: String, libpq: String, openssl: String) {
        self.swift = swift
        self.librdkafka = librdkafka
        self.libpq = libpq
        self.openssl = openssl
    }
}

/// What is known of a process that does not change while it runs.
package struct WorkerFacts: Sendable {
    /// The version and the name of this instance.
    package var identity: WorkerIdentity
    /// The libraries it runs with.
    package var libraries: LibraryVersions
    /// The consumer group.
    package var groupID: String
    /// When it started, by the wall clock.
    package var startedAt: Instant
    /// The ids of the configured apps.
    package var appIDs: [String]
    /// Those of them that are marked as simulated.
    package var simulatedAppIDs: [String]
    /// After so long without a sign of life a lane is taken for stuck.
    package var stallTimeout: Duration

    /// Facts from their parts.
    package init(
        identity: WorkerIdentity, libraries: LibraryVersions, groupID: String, startedAt: Instant,
        appIDs: [String], simulatedAppIDs: [String], stallTimeout: Duration
    ) {
        self.identity = identity
        self.libraries = libraries
        self.groupID = groupID
        self.startedAt = startedAt
        self.appIDs = appIDs
        self.simulatedAppIDs = simulatedAppIDs
        self.stallTimeout = stallTimeout
    }
}

/// Where the process is on its way.
package enum WorkerState: String, Hashable, Sendable, CaseIterable {
    /// Not all lanes have met the database and the group.
    case starting
    /// All have.
    case running
    /// It was asked to stop; lanes finish what they hold.
    case draining
    /// No lane is left.
    case stopped
}

/// All that is told of a process, put together when someone asks.
package final class WorkerObserver: Sendable {
    /// What does not change.
    package let facts: WorkerFacts
    /// Its lanes', by their numbers.
    package let lanes: [LaneObserver]
    private let stop: StopSignal
    private let clock: LaneClock
    private let hasStarted = Atomic(false)
    private let figures: @Sendable () -> ProcessFigures

    /// An observer of lanes that have not begun.
    ///
    /// - Parameters:
    ///   - facts: what does not change.
    ///   - laneCount: how many lanes there are.
    ///   - clock: times everything.
    ///   - stop: tells that the lanes were asked to end.
    ///   - figures: what only the system can tell of the process; called at each scrape.
    package init(
        facts: WorkerFacts, laneCount: Int, clock: LaneClock, stop: StopSignal,
        figures: @escaping @Sendable () -> ProcessFigures = { ProcessFigures() }
    ) {
        self.facts = facts
        self.clock = clock
        self.stop = stop
        self.figures = figures
        lanes = (0..<laneCount).map { LaneObserver(lane: $0, clock: clock) }
    }

    /// How the process stands.
    package var report: WorkerReport {
        let lanes = lanes.map(\.report)
        if !hasStarted.load(ordering: .relaxed), lanes.allSatisfy(\.hasStarted) {
            hasStarted.store(true, ordering: .relaxed)
        }
        let state: WorkerState =
            if lanes.allSatisfy(\.hasEnded) {
                .stopped
            } else if stop.isRequested {
                .draining
            } else {
                hasStarted.load(ordering: .relaxed) ? .running : .starting
            }
        return WorkerReport(
            facts: facts, state: state, lanes: lanes, now: clock.wall(),
            monotonicNow: clock.monotonic())
    }

    /// All metrics.
    package var cells: MetricCells {
        var cells = report.cells
        cells.merge(figures().cells)
        return cells
    }
}

/// How a process stands at one moment.
package struct WorkerReport: Sendable {
    /// What does not change.
    package let facts: WorkerFacts
    /// Where it is on its way.
    package let state: WorkerState
    /// Its lanes.
    package let lanes: [LaneReport]
    /// The moment, by the wall clock.
    package let now: Instant
    /// The moment, by the monotonic clock.
    package let monotonicNow: Duration
}

extension LaneReport {
    /// Whether it has met both the database and its group.
    fileprivate var hasStarted: Bool {
        storeAnsweredAt != nil && isMember
    }
}
