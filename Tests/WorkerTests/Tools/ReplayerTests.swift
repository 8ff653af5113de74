import AttestTestKit
import KeyStoreSuite
import LibCrypto
import Testing
import Wire
import Worker

@Suite struct ReplayerTests {
    private func replayer(_ world: LaneWorld) -> Replayer<InMemoryKeyStore> {
        Replayer(
            store: InMemoryKeyStore(world.database), verdictTopic: "verdicts", groupID: "group",
            messageLimits: MessageLimits())
    }

    @Test func `what is replayed equals what was published, but for the mark`() throws {
        let world = LaneWorld(Scenario.mixed())
        #expect(world.finish(batch: 4, policy: try Scenario.policy()) == nil)
        var published: [String: OutgoingRecord] = [:]
        for record in world.kafka.published where record.topic == "verdicts" {
            let verdict = try ReceivedVerdict(parsing: record.value ?? [])
            if published[verdict.verdictId] == nil { published[verdict.verdictId] = record }
        }
        let before = world.database.rows
        let findings = try replayer(world).find(world.scenario.records)
        #expect(findings.count == world.scenario.records.count)
        var replayed: Set<String> = []
        for case .verdict(let record) in findings {
            let id = try ReceivedVerdict(parsing: record.value ?? []).verdictId
            replayed.insert(id)
            let first = try #require(published[id])
            #expect(record.key == first.key)
            #expect(record.value == first.value)
            #expect(
                record.headers == first.headers + [Header(name: "attest-redelivered", text: "1")])
        }
        #expect(replayed == Set(published.keys))
        #expect(findings.count { $0 == .unreadable } == world.scenario.deadLetters)
        #expect(!findings.contains(.notDecided))
        #expect(world.database.rows == before, "a replay changes nothing")
    }

    @Test func `what the inbox does not know is left alone`() throws {
        let world = LaneWorld(Scenario.mixed())
        let findings = try replayer(world).find(world.scenario.records)
        #expect(Set(findings) == [.notDecided, .unreadable])
        #expect(world.database.rows.progress.isEmpty)
    }

    @Test func `another content under a decided id is a conflict, not its verdict`() throws {
        let world = LaneWorld(Scenario.mixed())
        #expect(world.finish(batch: 4, policy: try Scenario.policy()) == nil)
        world.database.change { rows in
            for (id, row) in rows.inbox {
                rows.inbox[id]?.entry = InboxEntry(
                    identity: row.entry.identity, contentDigest: SHA256.hash([0]),
                    verdict: row.entry.verdict)
            }
        }
        let findings = try replayer(world).find(world.scenario.records)
        #expect(Set(findings) == [.conflict, .unreadable])
    }
}
