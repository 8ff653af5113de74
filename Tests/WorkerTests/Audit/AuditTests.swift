import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import Testing
import Wire
import Worker

/// What is kept of decisions.
@Suite struct AuditTests {
    private func finish(_ world: LaneWorld, batch: Int, isAudited: Bool) throws {
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        var policy = try Scenario.policy()
        policy.document = "{\"apps\":[]}"
        #expect(
            world.runLane(batch: batch, member: member, policy: policy, isAudited: isAudited)
                == nil)
    }

    @Test(arguments: [1, 3, 100])
    func `each decision is kept once, in the transaction that stores its verdict`(
        batch: Int
    ) throws {
        let world = LaneWorld(.mixed())
        try finish(world, batch: batch, isAudited: true)
        let rows = world.database.rows
        #expect(rows.audit.count == rows.inbox.count)
        for entry in rows.audit {
            let stored = try #require(rows.inbox[entry.identity.storedBytes])
            let facts = try #require(AuditFacts(parsing: entry.facts))
            let verdict = try ReceivedVerdict(parsing: stored.entry.verdict)
            #expect(entry.contentDigest == stored.entry.contentDigest)
            #expect(facts.outcome == verdict.outcome)
            #expect(facts.reason == verdict.reason)
            #expect(facts.source?.offset == verdict.source.offset)
            #expect(facts.recordMilliseconds == Scenario.now.milliseconds)
        }
    }

    @Test func `the row is told as it was found`() throws {
        var scenario = Scenario()
        var device = Scenario.device(90)
        scenario.register(device, partition: 0, subject: "ann")
        let first = scenario.assert(&device, partition: 0)
        scenario.send(
            first, of: device, partition: 0, id: nil, answer: "counter_not_increasing")
        let world = LaneWorld(scenario)
        try finish(world, batch: 100, isAudited: true)
        let facts = world.database.rows.audit.map { AuditFacts(parsing: $0.facts) }
        #expect(facts.map { $0?.stored?.signCount } == [nil, 0, 1])
        #expect(facts.map { $0?.stored?.owner } == [nil, "unnamed", "unnamed"])
        #expect(facts.map { $0?.signCount } == [0, 1, 1])
    }

    @Test func `nothing of it tells who asked`() throws {
        var scenario = Scenario()
        let device = Scenario.device(91)
        scenario.register(device, partition: 0, subject: "ann@example.com")
        let world = LaneWorld(scenario)
        try finish(world, batch: 1, isAudited: true)
        let entry = try #require(world.database.rows.audit.first)
        let text = String(decoding: entry.facts, as: UTF8.self)
        #expect(!text.contains("ann"))
        #expect(!text.contains(device.keyID.text))
        #expect(!text.contains("request-1"))
        #expect(!text.contains(RequestIdentity(entry.identity.digest).verdictID.text))
    }

    @Test func `without the setting nothing is kept`() throws {
        let world = LaneWorld(.mixed())
        try finish(world, batch: 3, isAudited: false)
        #expect(world.database.rows.audit.isEmpty)
        #expect(!world.database.rows.inbox.isEmpty)
    }

    @Test func `a basis is told from every other one`() {
        let list = SHA256.hash([1])
        let bases = [
            AuditBasis(policy: "a", revocations: nil, workerVersion: "1"),
            AuditBasis(policy: "b", revocations: nil, workerVersion: "1"),
            AuditBasis(policy: "a", revocations: list, workerVersion: "1"),
            AuditBasis(policy: "a", revocations: nil, workerVersion: "2"),
            AuditBasis(policy: "a", revocations: nil, workerVersion: "1a"),
            AuditBasis(policy: "", revocations: nil, workerVersion: "1a"),
        ]
        #expect(Set(bases.map(\.digest)).count == bases.count)
        #expect(Set(bases.map(\.policyDigest)).count == 3)
    }

    @Test func `a policy's document is settings that describe the same policy`() throws {
        let text = """
            {apps: [{appId: "TEAM.one", environments: ["production", "development"]},
                    {appId: "TEAM.two", reattestation: "reject",
                     keysPerSubject: {max: 3, mode: "report"}}],
             worker: {maxRequestAge: "2d"}, postgres: {password: "secret"}}
            """
        func read(_ text: String) throws -> Settings {
            try SettingsReader.read(
                arguments: ["--config=f"], environment: [:], switches: [], required: [],
                moreRules: { _ in [] },
                readFile: { _ throws(SettingsReader.UnreadableFile) in Array(text.utf8) }
            ).settings
        }
        let settings = try read(text)
        let document = PolicyDocument.of(settings)
        #expect(!document.contains("secret"))
        let again = try read(document)
        #expect(again.apps == settings.apps)
        #expect(again.worker.maxRequestAge == settings.worker.maxRequestAge)
        #expect(PolicyDocument.of(again) == document)
    }
}
