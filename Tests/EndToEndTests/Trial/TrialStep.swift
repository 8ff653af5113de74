import Glibc
import Harness
import Testing

/// Something by which an operator learns of what is broken.
struct TrialSign {
    /// How it stands in the transcript.
    let name: String
    /// Whether it shows now.
    let shows: (TrialFleet) throws -> Bool

    /// An alert fires, of each of these workers, or of the fleet.
    static func alert(_ name: String, of workers: [Int] = []) -> TrialSign {
        TrialSign(name: "alert \(name)\(text(workers))") { fleet in
            guard let prometheus = fleet.prometheus else { return true }
            let firing = try prometheus.firing()
            guard !workers.isEmpty else { return firing.contains { $0.name == name } }
            return workers.allSatisfy {
                firing.contains(Prometheus.Alert(name, instance: fleet.addresses[$0]))
            }
        }
    }

    /// A probe of each of these workers answers so.
    static func probe(
        _ path: String, _ status: Int, _ words: String = "", of workers: [Int]
    ) -> TrialSign {
        TrialSign(name: "\(path) \(status) \(words)\(text(workers))") { fleet in
            workers.allSatisfy { number in
                guard let answer = fleet.probe(path, of: number) else { return false }
                return answer.status == status && answer.body.contains(words)
            }
        }
    }

    /// A metric of each of these workers has a value like this.
    static func metric(
        _ name: String, _ labels: [String: String] = [:], of workers: [Int],
        is condition: @escaping (Double) -> Bool
    ) -> TrialSign {
        let label = labels.first.map { "{\($0.key)=\($0.value)}" } ?? ""
        return TrialSign(name: "metric \(name)\(label)\(text(workers))") { fleet in
            workers.allSatisfy { fleet.metric(name, labels, of: $0).map(condition) ?? false }
        }
    }

    /// Each of these workers has told of this in its log since the step began.
    static func log(_ event: String, of workers: [Int]) -> TrialSign {
        var before: [Int]?
        return TrialSign(name: "log \(event)\(text(workers))") { fleet in
            let counts = workers.map { fleet.workers[$0].count(of: event) }
            let first = before ?? counts
            before = first
            return zip(first, counts).allSatisfy { $0 < $1 }
        }
    }

    private static func text(_ workers: [Int]) -> String {
        workers.isEmpty ? "" : " of " + workers.map { ["A", "B", "C"][$0] }.joined()
    }
}

/// What is broken, by what it must be noticed, and how it is mended.
struct TrialStep {
    /// How it stands in the transcript.
    let name: String
    /// Whether requests can be sent meanwhile.
    var hasTraffic = true
    /// Breaks it.
    let harm: (TrialFleet) async throws -> Void
    /// All of these must show.
    let signs: [TrialSign]
    /// Those whose liveness must hold all the time.
    let alive: [Int]
    /// Mends it; nil where the next step goes on from here.
    let mend: ((TrialFleet) async throws -> Void)?

    /// Alerts that nothing in the trial may raise.
    static let neverFire: Set = [
        "AttestNoWorkers", "AttestCanary", "AttestRestarting", "AttestLostCommits",
        "AttestRebalanceStorm", "AttestFencingStorm", "AttestDeadLetters",
        "AttestRequestIdConflicts", "AttestKeyMismatches", "AttestStaleRequests",
        "AttestRequestsOutOfTime",
    ]
    /// Alerts that the trial's own world raises: its app is simulated, and its devices lie.
    static let mayStay: Set = ["AttestSimulatedApps", "AttestReplays", "AttestRefusals"]

    /// Breaks, waits for all signs, mends, and waits until all is well and silent again.
    ///
    /// - Returns: lines for the transcript: what showed after how many seconds.
    func run(on fleet: TrialFleet) async throws -> [String] {
        var missing = signs
        // Logs count from here.
        for sign in signs { _ = try sign.shows(fleet) }
        let start = ContinuousClock.now
        try await harm(fleet)
        var told: [String] = []
        try await eventually(
            "\(name): \(missing.map(\.name)) must show; \(fleet.workers)", within: .seconds(60)
        ) {
            if hasTraffic { try fleet.sendSome() }
            try look(at: fleet)
            for sign in missing where try sign.shows(fleet) {
                told.append("    \(seconds(since: start))  \(sign.name)")
                missing.removeAll { $0.name == sign.name }
            }
            try await Task.sleep(for: .milliseconds(150))
            return missing.isEmpty
        }
        guard let mend else { return [name] + told }
        let repaired = ContinuousClock.now
        try await mend(fleet)
        try await waitUntilWell(fleet)
        return [name] + told + ["    \(seconds(since: repaired))  after it was mended: all is well"]
    }

    private func waitUntilWell(_ fleet: TrialFleet) async throws {
        var staying: Set<String> = []
        try await eventually(
            "\(name): all must be well again, \(staying) fire; \(fleet.workers)",
            within: .seconds(60)
        ) {
            try look(at: fleet)
            staying = try fleet.firing()
            try fleet.sendSome(2)
            try await Task.sleep(for: .milliseconds(150))
            return staying.isEmpty && fleet.isWell
        }
    }

    /// What must hold at every moment.
    private func look(at fleet: TrialFleet) throws {
        for number in alive {
            #expect(fleet.probe("/livez", of: number)?.status == 200, "\(name)")
        }
        let wrong = try Set((fleet.prometheus?.firing() ?? []).map(\.name))
            .intersection(Self.neverFire)
        #expect(wrong.isEmpty, "\(name)")
    }
}

private func seconds(since start: ContinuousClock.Instant) -> String {
    let tenths = (ContinuousClock.now - start) / .milliseconds(100)
    let text = "\(Double(Int(tenths)) / 10) s"
    return String(repeating: " ", count: max(0, 7 - text.count)) + text
}
