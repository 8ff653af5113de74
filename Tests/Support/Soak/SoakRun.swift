import AttestTestKit
import Glibc
import Harness
import PostgresStore

/// One soak from its servers' start to its verdict.
struct SoakRun {
    private let options: SoakOptions
    private let folder: Folder
    private let authority: TestAuthority
    private let watch = SoakWatch()
    private let sender = SoakSender()
    private let started = ContinuousClock.now

    /// The mock broker is a test double with assertions of its own, which end it now and then; that
    /// says nothing about the workers, whose topics are gone with it.
    struct BrokerDied: Error, CustomStringConvertible {
        let description: String
    }

    /// How many worlds one soak has at the most, where the broker dies in each.
    static let worldsMax = 5
    /// How long the answers to all that was sent may take once nothing strikes any more.
    static let calmPatience: Duration = .seconds(240)
    /// How long before the first fault and after the last one handles are looked at in peace.
    static let calm: Duration = .seconds(10)

    init(_ options: SoakOptions) throws {
        self.options = options
        folder = try Folder("attest-soak-\(options.seed)")
        authority = TestAuthority(seed: options.seed)
    }

    /// Runs it.
    ///
    /// - Returns: whether the oracle found nothing.
    /// - Throws: when the scenery fails.
    func run() async throws -> Bool {
        if options.keepsFolder { folder.keep() }
        say(
            "soak: seed \(options.seed), \(options.minutes) minutes, \(options.rate) records a "
                + "second, \(options.workers) workers, \(options.partitions) partitions; logs in "
                + folder.path)
        let servers = try await SoakServers.start(options, authority: authority, folder: folder)
        defer {
            servers.proxy.close()
            servers.postgres.remove()
        }
        let fleet = SoakFleet(servers)
        let striker = SoakStriker(servers, fleet, options)
        let sampler = SoakSampler(servers)
        do {
            for _ in 0..<options.workers { try await fleet.start() }
            watch.start(bootstrapServers: servers.broker.bootstrapServers)
            sender.start(
                options, authority: authority, bootstrapServers: servers.broker.bootstrapServers,
                watch: watch)
            try await load(fleet, striker, sampler)
            try await settle(fleet, striker, sampler)
            try await judge(servers, fleet)
        } catch {
            folder.keep()
            watch.stop()
            sender.stop()
            let report = SoakReport(sight: watch.sight(), striker: striker, sampler: sampler)
            say(report.text(minutes: minutes))
            tellFindings()
            // What fails because of it is its consequence.
            try await Task.sleep(for: .seconds(1))
            guard let death = servers.broker.death, watch.sight().findings.isEmpty else {
                throw error
            }
            throw BrokerDied(description: "THE MOCK BROKER DIED with \(death)")
        }
        let report = SoakReport(sight: watch.sight(), striker: striker, sampler: sampler)
        say(report.text(minutes: minutes) + "\n" + report.logCounts(in: folder))
        tellFindings()
        let isGood = watch.sight().findings.isEmpty
        if !isGood { folder.keep() }
        say(
            isGood
                ? "SOAK PASSED: seed \(options.seed)"
                : "SOAK FAILED: seed \(options.seed), logs in \(folder.path)")
        return isGood
    }

    /// How long it has run.
    var minutes: Double { (ContinuousClock.now - started) / .seconds(60) }

    // MARK: - Phases

    /// Traffic and faults, until the time is over or something is found.
    private func load(
        _ fleet: SoakFleet, _ striker: SoakStriker, _ sampler: SoakSampler
    ) async throws {
        try await eventually("the first verdicts", within: .seconds(120)) {
            try checkScenery(striker.servers)
            return watch.sight().verdicts > 0
        }
        try await Task.sleep(for: Self.calm)
        let end = ContinuousClock.now + .seconds(options.minutes * 60)
        try await withThrowingTaskGroup { group in
            for area in FaultKind.Area.allCases {
                group.addTask { try await striker.run(area) }
            }
            group.addTask {
                defer { striker.stop() }
                try await attend(fleet, striker, sampler, until: end)
            }
            try await group.waitForAll()
        }
    }

    /// Looks after the fleet, samples and tells, until the end or the first finding.
    private func attend(
        _ fleet: SoakFleet, _ striker: SoakStriker, _ sampler: SoakSampler,
        until end: ContinuousClock.Instant
    ) async throws {
        let isShort = options.minutes < 20
        let sampleEach: Duration = isShort ? .seconds(15) : .seconds(60)
        let tellEach: Duration = isShort ? .seconds(10) : .seconds(30)
        var (nextSample, nextLine) = (ContinuousClock.now, ContinuousClock.now)
        while ContinuousClock.now < end, watch.sight().findings.isEmpty {
            try checkScenery(striker.servers)
            await lookForDead(fleet)
            if ContinuousClock.now >= nextSample {
                await sampler.sample(await fleet.members, minute: minutes)
                nextSample = .now + sampleEach
            }
            if ContinuousClock.now >= nextLine {
                let count = await fleet.count
                say(SoakReport.line(watch.sight(), striker, workers: count, minutes: minutes))
                nextLine = .now + tellEach
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Without faults: everything must be answered and committed now.
    private func settle(
        _ fleet: SoakFleet, _ striker: SoakStriker, _ sampler: SoakSampler
    ) async throws {
        try await striker.heal()
        sender.stop()
        var sight = watch.sight()
        let deadline = ContinuousClock.now + Self.calmPatience
        while sight.findings.isEmpty {
            try checkScenery(striker.servers)
            await lookForDead(fleet)
            sight = watch.sight()
            if case .success(let sent)? = sender.result, sight.records >= sent,
                sight.unanswered == 0, sight.isCommitted
            {
                break
            }
            guard ContinuousClock.now < deadline else {
                for subject in watch.unanswered(10) {
                    watch.report(OracleFinding(.answered, subject, "has no answer in time"))
                }
                guard sight.unanswered == 0 else { return }
                throw HarnessFailure("what is answered is not committed in time")
            }
            try await Task.sleep(for: .milliseconds(500))
        }
        try await Task.sleep(for: Self.calm)
        await sampler.sample(await fleet.members, minute: minutes)
        for problem in sampler.problems() { watch.report(OracleFinding(.leak, nil, problem)) }
    }

    /// Stops the workers and looks into the database.
    private func judge(_ servers: SoakServers, _ fleet: SoakFleet) async throws {
        guard watch.sight().findings.isEmpty else { return }
        try await fleet.stopAll()
        // What the last ones have published on their way out is read, too.
        let looks = watch.sight().wholeLooks
        try await eventually("two more looks at the topics", within: .seconds(30)) {
            watch.sight().wholeLooks > looks + 1
        }
        watch.stop()
        watch.judge(
            try await servers.database.storedVerdicts(),
            signCounts: try await servers.database.signCounts())
    }

    /// Tells the oracle of workers that are no longer there.
    private func lookForDead(_ fleet: SoakFleet) async {
        for (member, end, wasAsked) in await fleet.takeDead() {
            watch.ended(member.name, with: end, wasAsked: wasAsked, words: "\(member.process)")
        }
    }

    private func checkScenery(_ servers: SoakServers) throws {
        if let death = servers.broker.death { throw HarnessFailure("the broker: \(death)") }
        if let failure = watch.sight().failure { throw HarnessFailure("the watch: \(failure)") }
        if case .failure(let failure)? = sender.result { throw failure }
    }

    private func tellFindings() {
        for finding in watch.sight().findings.prefix(10) {
            say("FOUND \(finding)")
            guard let subject = finding.subject else { continue }
            say(watch.history(of: subject).joined(separator: "\n"))
        }
    }
}
