import AttestTestKit
import Harness
import Testing

extension EndToEndTests {
    /// Offsets are set back beyond what the inbox remembers.
    @Suite struct RetentionTests {
        @Test func `a rewind beyond the inbox's retention is stale, and changes nothing`()
            async throws
        {
            let authority = TestAuthority(seed: 80)
            let world = try await World("forgotten", apps: [Load.app(authority)])
            let first = Load(
                "old", seed: 80, deviceCount: 5, assertionCount: 150, authority: authority,
                allHaveIDs: true)
            let second = Load(
                "new", seed: 81, deviceCount: 5, assertionCount: 100, authority: authority)
            let oracle = Oracle(world, first)
            oracle.plan(second)
            let worker = try await world.startWorker()
            try await world.send(first, oracle, [worker], within: .seconds(60))
            try await stop([worker])
            try await oracle.expectEverythingRight()

            // Months later: the worker itself deletes what is past the retention of 30 days.
            try await world.database.query("UPDATE attest.inbox SET decided_on = decided_on - 90")
            let next = try await world.startWorker()
            try await eventually("the inbox is pruned; \(next)", within: .seconds(60)) {
                try await world.database.query("SELECT count(*) FROM attest.inbox") == [["0"]]
            }
            oracle.forgetDecided()
            let topic = try #require(world.settings.kafka.topics.requests.first)
            let (group, servers) = (world.name, world.broker.bootstrapServers)
            let rewound = try await blocking {
                try GroupRewinder.rewind(
                    group: group, topic: topic, bootstrapServers: servers, records: .max / 2)
            }
            #expect(!rewound.isEmpty && rewound.values.allSatisfy { $0 == 0 })
            try await world.send(second, oracle, [next], within: .seconds(90))
            #expect(oracle.verdictsByReason["stale_request", default: 0] > 0)
            try await stop([next])
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }
    }
}
