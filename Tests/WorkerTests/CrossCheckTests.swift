import Testing

@testable import Worker

@Suite struct CrossCheckTests {
    /// A cluster in which all is well with the default settings.
    static let wellConfigured: [String: String] = [
        "cleanup.policy": "delete", "retention.ms": "604800000", "max.message.bytes": "1048588",
        "min.insync.replicas": "2", "unclean.leader.election.enable": "false",
    ]

    static let broken = Finding.Weight.error(.incompatible)

    var settings = Settings()
    var process = ProcessFacts(lanes: 2, memoryBytesMax: 8 << 30)

    /// Findings after a change of one topic, that of the broker, or both.
    func findings(
        _ topic: String = "attest.requests.v1", _ changes: [String: String] = [:],
        broker: [String: String] = ["offsets.retention.minutes": "10080"], brokerCount: Int = 3
    ) -> [Finding] {
        var topics: [String: ClusterFacts.Topic] = [:]
        for name in settings.kafka.topics.all {
            var values = Self.wellConfigured
            if name == "attest.dead-letters.v1" { values["max.message.bytes"] = "1100000" }
            if name == topic { values.merge(changes) { $1 } }
            topics[name] = .init(partitions: 6, configuration: .known(values))
        }
        let facts = ClusterFacts(
            brokerCount: brokerCount, broker: .known(broker), topics: topics)
        return CrossChecks(settings).ofCluster(facts, process)
    }

    func wrong(_ findings: [Finding]) -> [Finding] {
        findings.filter { $0.weight != .fine }
    }

    @Test func `a cluster as it shall be gives no warning`() {
        #expect(wrong(findings()) == [])
        #expect(wrong(CrossChecks(settings).ofSettings()) == [])
    }

    @Test(arguments: [
        ("attest.requests.v1", "cleanup.policy", "compact,delete", broken),
        ("attest.verdicts.v1", "cleanup.policy", "compact", broken),
        ("attest.dead-letters.v1", "cleanup.policy", "compact", broken),
        // With the offsets' 7 days, 23 days are all that 30 days in the inbox allow.
        ("attest.requests.v1", "retention.ms", "1987200001", .warning),
        ("attest.requests.v1", "retention.ms", "-1", .warning),
        ("attest.requests.v1", "unclean.leader.election.enable", "true", .warning),
        ("attest.verdicts.v1", "min.insync.replicas", "1", .warning),
        ("attest.verdicts.v1", "max.message.bytes", "16383", broken),
        ("attest.dead-letters.v1", "max.message.bytes", "1048587", broken),
        ("attest.dead-letters.v1", "max.message.bytes", "1064971", .warning),
    ])
    func `a topic's wrong configuration is found`(
        topic: String, name: String, value: String, weight: Finding.Weight
    ) throws {
        let wrong = wrong(findings(topic, [name: value]))
        #expect(wrong.map(\.weight) == [weight], "\(wrong)")
        let finding = try #require(wrong.first)
        #expect(finding.subject == "\(name) of \(topic)")
        #expect(!finding.found.isEmpty && !finding.needed.isEmpty && !finding.remedy.isEmpty)
    }

    @Test(arguments: [
        ("attest.requests.v1", "retention.ms", "1987200000"),
        ("attest.verdicts.v1", "retention.ms", "-1"),
        ("attest.verdicts.v1", "max.message.bytes", "16384"),
        ("attest.dead-letters.v1", "max.message.bytes", "1064972"),
    ])
    func `the last value that fits is fine`(topic: String, name: String, value: String) {
        #expect(wrong(findings(topic, [name: value])) == [])
    }

    @Test func `offsets that are kept longer need a longer inbox`() {
        let wrong = wrong(findings(broker: ["offsets.retention.minutes": "43200"]))
        #expect(wrong.map(\.subject) == ["retention.ms of attest.requests.v1"])
        #expect(wrong.first?.found == "7d, and offsets are kept for 30d")
        #expect(wrong.first?.needed == "postgres.inboxRetention of at least 37d, not 30d")
    }

    @Test func `a producer that can't send a large dead letter is found`() {
        // Its topic takes them, but 4 MiB are all that the producer sends.
        let size = ["max.message.bytes": "5242880"]
        let wrong = wrong(findings("attest.requests.v1", size))
        #expect(
            wrong.map(\.subject) == [
                "max.message.bytes of attest.dead-letters.v1",
                "message.max.bytes of kafka.properties",
            ])
        #expect(wrong.map(\.weight) == [.error(.incompatible), .error(.config)])
    }

    @Test func `a property of the producer counts`() {
        var tests = self
        tests.settings.kafka.properties = ["message.max.bytes": "1048588"]
        let wrong = tests.wrong(tests.findings())
        #expect(wrong.map(\.subject) == ["message.max.bytes of kafka.properties"])
        #expect(wrong.map(\.weight) == [.warning])
    }

    @Test(arguments: [
        ("group.min.session.timeout.ms", "60000"), ("group.max.session.timeout.ms", "30000"),
    ])
    func `a session timeout that brokers refuse is found`(name: String, value: String) {
        let wrong = wrong(
            findings(broker: [name: value, "offsets.retention.minutes": "10080"]))
        #expect(wrong.map(\.weight) == [.error(.config)])
        #expect(wrong.map(\.subject) == ["kafka.sessionTimeout"])
    }

    @Test func `memory, lanes and partitions are held against each other`() {
        var tests = self
        tests.settings.worker.memoryBudget = 4 << 30
        tests.settings.kafka.prefetchBytesMax = 64 << 20
        // 12 × 64 MiB ahead, 6 × 1 MiB on the way, 12 × 3 MiB in batches.
        tests.process = ProcessFacts(lanes: 12, memoryBytesMax: 809 << 20)
        let wrong = tests.wrong(tests.findings())
        #expect(wrong.map(\.subject) == ["lanes", "memory"])
        #expect(wrong.last?.needed.hasPrefix("810 MiB") == true, "\(wrong)")
        tests.process = ProcessFacts(lanes: 6, memoryBytesMax: 810 << 20)
        #expect(tests.wrong(tests.findings()) == [])
        tests.process = ProcessFacts(lanes: 6, memoryBytesMax: nil)
        #expect(tests.wrong(tests.findings()) == [])
    }

    @Test func `the memory budget lowers what is fetched ahead, and tells when it can't be kept`() {
        var tests = self
        // 6 lanes fetch 25 MiB ahead each, and not 64: see MemoryPlanTests.
        tests.settings.worker.memoryBudget = 256 << 20
        tests.process = ProcessFacts(lanes: 6, memoryBytesMax: 256 << 20)
        #expect(tests.wrong(tests.findings()) == [])
        tests.settings.worker.memoryBudget = 41 << 20
        let wrong = tests.wrong(tests.findings())
        #expect(wrong.map(\.subject) == ["worker.memoryBudget"])
        #expect(wrong.first?.needed.hasPrefix("42 MiB for 6 lanes") == true, "\(wrong)")
    }

    @Test func `request topics of different size are found`() {
        var settings = Settings()
        settings.kafka.topics.requests = ["a", "b"]
        let topic = { ClusterFacts.Topic(partitions: $0, configuration: .known([:])) }
        let facts = ClusterFacts(
            brokerCount: 1, broker: .known([:]), topics: ["a": topic(3), "b": topic(4)])
        let wrong = wrong(CrossChecks(settings).ofCluster(facts, process))
        #expect(wrong.map(\.found) == ["3, 4"])
    }

    @Test func `what can't be looked up is told once for each reason`() {
        let silent = ClusterFacts.Topic(
            partitions: 1, configuration: .notAnswered(code: "_UNSUPPORTED_FEATURE"))
        let facts = ClusterFacts(
            brokerCount: 1, broker: .notAnswered(code: "_TIMED_OUT"),
            topics: ["attest.requests.v1": silent, "attest.verdicts.v1": silent])
        let process = ProcessFacts(lanes: 1, memoryBytesMax: nil)
        let wrong = wrong(CrossChecks(settings).ofCluster(facts, process))
        #expect(
            wrong.map(\.subject) == [
                "configuration of the brokers",
                "configuration of attest.requests.v1, attest.verdicts.v1",
            ])
        #expect(wrong.allSatisfy { $0.weight == .warning })
    }

    @Test func `a batch that may outlast the poll interval is found`() {
        var tests = self
        tests.settings.kafka.maxPollInterval = .seconds(60)
        tests.settings.postgres.statementTimeout = .seconds(15)
        tests.settings.worker.limits.drainTimeout = .seconds(53)
        let wrong = wrong(CrossChecks(tests.settings).ofSettings())
        #expect(wrong.map(\.subject) == ["time between polls", "stop"])
        #expect(wrong.first?.found.contains("1m5s") == false)
        #expect(wrong.first?.found.contains("65s") == true, "\(wrong)")
        tests.settings.postgres.statementTimeout = .seconds(13)
        tests.settings.worker.limits.drainTimeout = .seconds(52)
        #expect(tests.wrong(CrossChecks(tests.settings).ofSettings()) == [])
    }

    @Test(arguments: [
        ("off", true, false, Finding.Weight.error(.config)), ("off", true, true, .warning),
        ("on", false, false, .warning), ("local", true, false, .fine),
        ("remote_apply", true, false, .fine),
    ])
    func `a database that forgets commits is found`(
        commit: String, writesThrough: Bool, isTolerated: Bool, weight: Finding.Weight
    ) {
        var settings = Settings()
        settings.postgres.allowsAsynchronousCommit = isTolerated
        let facts = DatabaseFacts(
            synchronousCommit: commit, writesThrough: writesThrough, sessionsFree: 2)
        let findings = CrossChecks(settings).ofDatabase(facts, process)
        #expect(findings.map(\.weight) == [weight, .fine])
    }

    @Test func `too few sessions are found`() {
        let facts = DatabaseFacts(
            synchronousCommit: "on", writesThrough: true, sessionsFree: 1)
        let findings = CrossChecks(settings).ofDatabase(facts, process)
        #expect(findings.map(\.weight) == [.fine, .warning])
    }
}
