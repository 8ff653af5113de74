import Testing
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct SourceFaultTests {
        @Test func `errors while joining and fetching pass by themselves`() throws {
            let bench = try Bench(takesFaults: true)
            try bench.fill(0..<100)
            try bench.broker.command("errors JoinGroup NOT_COORDINATOR 1")
            let source = try bench.source()
            try source.join()
            try bench.broker.command("errors Fetch NOT_LEADER_FOR_PARTITION 2")
            #expect(try source.take(100).offsets(of: bench.partitions[0]) == Array(0..<100))
        }

        @Test func `a refused commit tells what to do`() throws {
            let bench = try Bench(takesFaults: true)
            let source = try bench.source()
            try source.join()
            let cases: [(error: String, disposition: Disposition)] = [
                ("COORDINATOR_LOAD_IN_PROGRESS", .retry),
                ("OFFSET_METADATA_TOO_LARGE", .stop(.incompatible)),
                ("GROUP_AUTHORIZATION_FAILED", .stop(.noPermission)),
                ("REBALANCE_IN_PROGRESS", .fenced),
                ("ILLEGAL_GENERATION", .fenced),
            ]
            for (error, disposition) in cases {
                // More of them than librdkafka tries by itself.
                try bench.broker.command("errors OffsetCommit \(error) 20")
                let fault = #expect(throws: Fault.self) {
                    try source.commit([bench.partitions[0]: 1])
                }
                #expect(fault?.disposition == disposition, "\(error)")
                #expect(fault?.code == error)
                try bench.broker.command("clear OffsetCommit")
            }
            // The last one told that the generation is over.
            #expect(try source.awaitChange() == .lost(bench.partitions))
        }

        @Test func `a broker that is away is waited for without a fault`() throws {
            let broker = try BrokerProcess([])
            let bench = try Bench(broker: broker)
            try bench.fill(0..<10)
            let lines = Lines()
            let source = try bench.source(log: lines.add)
            try source.join()
            #expect(try source.take(10).count == 10)
            try broker.command("down")
            #expect(try source.take(1, within: .seconds(1)).isEmpty)
            try broker.command("up")
            try bench.fill(10..<20)
            #expect(try source.take(10).offsets(of: bench.partitions[0]) == Array(10..<20))
            #expect(lines.all.contains { $0.facility == "_TRANSPORT" })

            // Away for longer than the session lasts. A commit must not hold the lane up until the
            // broker is back: nobody would poll meanwhile, nor tell that the lane is alive.
            try broker.command("down")
            let start = ContinuousClock.now
            let refusal = #expect(throws: Fault.self) {
                try source.commit([bench.partitions[0]: 20])
            }
            #expect(ContinuousClock.now - start < .seconds(30))
            #expect(refusal?.disposition == .retry || refusal?.disposition == .fenced)
            let fault = #expect(throws: Fault.self) {
                _ = try source.positions(of: bench.partitions)
            }
            #expect(fault?.disposition == .retry)
            #expect(try source.awaitChange() == .lost(bench.partitions))
            try source.stop(bench.partitions)
            try broker.command("up")
            #expect(try source.awaitChange() == .assigned(bench.partitions))
            try source.start([bench.partitions[0]: 15])
            #expect(try source.take(5).offsets(of: bench.partitions[0]) == Array(15..<20))
        }

        @Test func `a commit that nobody answers is given up in time`() throws {
            let broker = try BrokerProcess([])
            let bench = try Bench(broker: broker)
            let source = try bench.source()
            try source.join()
            try source.commit([bench.partitions[0]: 1])
            source.commitPatience = .milliseconds(300)
            try broker.command("down")
            let start = ContinuousClock.now
            for _ in 0..<3 {
                let fault = #expect(throws: Fault.self) {
                    try source.commit([bench.partitions[0]: 2])
                }
                #expect(fault?.disposition == .retry, "\(String(describing: fault))")
            }
            #expect(ContinuousClock.now - start < .seconds(10))
            try broker.command("up")
            source.commitPatience = .seconds(20)
            try source.commit([bench.partitions[0]: 3])
            #expect(try source.positions(of: bench.partitions).values.first?.committed == 3)
        }

        @Test func `a static member that was put out stops, whatever it does next`() throws {
            let bench = try Bench(takesFaults: true)
            var settings = bench.settings
            settings.groupInstanceID = "pod-1"
            let source = try KafkaSource(settings: settings) { _ in }
            try source.join()
            try bench.broker.command("errors Heartbeat FENCED_INSTANCE_ID 1")
            let fault = #expect(throws: Fault.self) { _ = try source.take(1) }
            #expect(fault?.disposition == .stop(.fenced))
            let later = #expect(throws: Fault.self) { try source.commit([bench.partitions[0]: 1]) }
            #expect(later?.disposition == .stop(.fenced))
        }

        @Test func `a partition without a leader hides no other's position`() throws {
            let bench = try Bench(partitions: 2, takesFaults: true)
            try bench.fill(0..<5)
            let source = try bench.source()
            try source.join()
            try bench.broker.command("leader \(bench.topic) 1 none")
            let positions = try source.positions(of: bench.partitions)
            #expect(
                positions == [bench.partitions[0]: LogPosition(committed: nil, low: 0, high: 5)])
            try bench.broker.command("leader \(bench.topic) 1 1")
            #expect(try source.positions(of: bench.partitions).count == 2)
        }

        @Test func `a session that the group refuses stops`() throws {
            let bench = try Bench(takesFaults: true)
            try bench.broker.command("errors JoinGroup INVALID_SESSION_TIMEOUT 5")
            let source = try bench.source()
            let fault = #expect(throws: Fault.self) { _ = try source.take(1) }
            #expect(fault?.disposition == .stop(.config))
            try bench.broker.command("clear JoinGroup")
        }

        @Test func `a missing right stops`() throws {
            let bench = try Bench(takesFaults: true)
            try bench.broker.command("errors JoinGroup GROUP_AUTHORIZATION_FAILED 5")
            let source = try bench.source()
            let fault = #expect(throws: Fault.self) { _ = try source.take(1) }
            #expect(fault?.disposition == .stop(.noPermission))
            try bench.broker.command("clear JoinGroup")
        }
    }
}
