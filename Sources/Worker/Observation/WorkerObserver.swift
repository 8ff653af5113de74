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
    /// After so long without a sign of life a lane is taken for stuck.
    package var stallTimeout: Duration

    /// Facts from their parts.
    package init(
        identity: WorkerIdentity, libraries: LibraryVersions, groupID: String, startedAt: Instant,
        stallTimeout: Duration
    ) {
        self.identity = identity
        self.libraries = libraries
        self.groupID = groupID
        self.startedAt = startedAt
        self.stallTimeout = stallTimeout
    }
}

/// How often the settings were read again.
package struct SettingsReloads: Hashable, Sendable {
    /// How often what was read was taken over.
    package var done = 0
    /// How often it had a problem, and nothing was taken over.
    package var failed = 0
    /// Whether the last one had a problem.
    package var hasLastFailed = false

    /// Not at all yet.
    package init() {}
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
    private let policy: Live<Policy>
    private let reloads: Live<SettingsReloads>
    private let stop: StopSignal
    private let clock: LaneClock
    private let hasStarted = Atomic(false)
    private let figures: @Sendable () -> ProcessFigures

    /// An observer of lanes that have not begun.
    ///
    /// - Parameters:
    ///   - facts: what does not change.
    ///   - laneCount: how many lanes there are.
    ///   - policy: what the lanes judge against: its apps are told of.
    ///   - reloads: how often the settings were read again.
    ///   - clock: times everything.
    ///   - stop: tells that the lanes were asked to end.
    ///   - figures: what only the system can tell of the process; called at each scrape.
    package init(
        facts: WorkerFacts, laneCount: Int, policy: Live<Policy>,
        reloads: Live<SettingsReloads> = Live(SettingsReloads()), clock: LaneClock,
        stop: StopSignal,
        figures: @escaping @Sendable () -> ProcessFigures = { ProcessFigures() }
    ) {
        self.facts = facts
        self.policy = policy
        self.reloads = reloads
        self.clock = clock
        self.stop = stop
        self.figures = figures
        lanes = (0..<laneCount).map { LaneObserver(lane: $0, clock: clock) }
    }

    /// The public halves of the keys of tokens, a JSON Web Key Set; nil where there are no tokens.
    package var keySet: [UInt8]? {
        policy.value.tokens?.keySet
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
        let apps = policy.value.apps.values.sorted {
            $0.relyingParty.appID < $1.relyingParty.appID
        }
        return WorkerReport(
            facts: facts, appIDs: apps.map(\.relyingParty.appID),
            simulatedAppIDs: apps.filter(\.isSimulated).map(\.relyingParty.appID),
            reloads: reloads.value, state: state, lanes: lanes, now: clock.wall(),
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
    /// The ids of the apps it judges.
    package let appIDs: [String]
    /// Those of them that are marked as simulated.
    package let simulatedAppIDs: [String]
    /// How often its settings were read again.
    package let reloads: SettingsReloads
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
