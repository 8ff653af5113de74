import Testing
import Wire
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct StretchTests {
        private func read(
            _ stretches: [TopicPartition: Range<Int64>], _ bench: Bench
        ) throws -> [TopicPartition: [Int64]] {
            let reader = try StretchReader(stretches, settings: bench.settings) { _ in }
            var found: [TopicPartition: [Int64]] = [:]
            while true {
                let records = try reader.next(recordsMax: 3)
                #expect(records.count <= 3)
                guard !records.isEmpty else { return found }
                for record in records {
                    found[record.partition, default: []].append(record.place.offset)
                }
            }
        }

        @Test func `a stretch is read once, to its end and no further`() throws {
            let bench = try Bench(partitions: 3)
            try bench.fill(0..<10)
            let stretches = [
                bench.partitions[0]: Int64(2)..<7, bench.partitions[1]: Int64(0)..<10,
                bench.partitions[2]: Int64(4)..<4,
            ]
            let found = try read(stretches, bench)
            #expect(found[bench.partitions[0]] == [2, 3, 4, 5, 6])
            #expect(found[bench.partitions[1]] == Array(0..<10))
            #expect(found[bench.partitions[2]] == nil)
            #expect(try read([:], bench).isEmpty)
        }

        /// The mock keeps 5 MiB of a partition.
        @Test func `records that are gone are told, not left out`() throws {
            let bench = try Bench(takesFaults: true)
            try bench.fill(0..<10, bytes: 900_000)
            let fault = #expect(throws: Fault.self) {
                try read([bench.partitions[0]: 0..<10], bench)
            }
            #expect(fault?.disposition == .stop(.incompatible))
            let inspector = try TopicInspector(settings: bench.settings) { _ in }
            let there = try inspector.stretches(of: bench.partitions, from: nil, to: nil)
            let stretch = try #require(there[bench.partitions[0]])
            #expect(stretch.lowerBound > 0)
            #expect(try read(there, bench)[bench.partitions[0]] == Array(stretch))
        }

        @Test func `an inspector tells where logs and group are, and moves the group`() throws {
            let bench = try Bench(partitions: 2, takesFaults: true)
            try bench.fill(0..<5)
            let inspector = try TopicInspector(settings: bench.settings) { _ in }
            #expect(try inspector.partitions(of: bench.topic) == bench.partitions)
            let stretches = try inspector.stretches(
                of: bench.partitions, from: .offset(2), to: .offset(99))
            #expect(stretches == [bench.partitions[0]: 2..<5, bench.partitions[1]: 2..<5])
            // The mock knows no such request; brokers of Kafka answer it.
            guard case .notAnswered = inspector.groupState() else {
                Issue.record("the mock broker describes no groups")
                return
            }
            for offset in [Int64(4), 1] {
                try inspector.commit([bench.partitions[1]: offset])
                let positions = try inspector.positions(of: bench.partitions)
                #expect(positions[bench.partitions[1]]?.committed == offset)
                #expect(positions[bench.partitions[0]]?.committed == nil)
            }
        }

        /// `rd_kafka_commit` would wait for a coordinator as long as there is none.
        @Test func `a move that nobody answers ends in time`() throws {
            let bench = try Bench(broker: try BrokerProcess([]))
            let inspector = try TopicInspector(settings: bench.settings) { _ in }
            _ = try inspector.positions(of: bench.partitions)
            try bench.broker.command("down")
            let fault = #expect(throws: Fault.self) {
                try inspector.commit(bench.all(at: 0), wait: .milliseconds(500))
            }
            #expect(fault?.disposition == .retry)
            #expect(fault?.operation == "move the group's offsets")
            // Or closing waits for it, too.
            try bench.broker.command("up")
        }

        @Test func `a topic that is not there is told as such`() throws {
            let bench = try Bench(takesFaults: true)
            try bench.broker.command("topic-error \(bench.topic) UNKNOWN_TOPIC_OR_PART")
            let inspector = try TopicInspector(settings: bench.settings) { _ in }
            let fault = #expect(throws: Fault.self) { try inspector.partitions(of: bench.topic) }
            #expect(fault?.disposition == .stop(.incompatible))
        }
    }
}
