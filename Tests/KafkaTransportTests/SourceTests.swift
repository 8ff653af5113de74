import Testing
import Wire
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct SourceTests {
        @Test func `an assignment may be taken later, each partition at its own offset`() throws {
            let bench = try Bench(partitions: 2)
            try bench.fill(0..<10)
            let source = try bench.source()
            #expect(try source.awaitChange() == .assigned(bench.partitions))
            try source.start([:])
            #expect(try source.take(1, within: .seconds(1)).isEmpty)
            let positions = try source.positions(of: bench.partitions)
            let expected = LogPosition(committed: nil, low: 0, high: 10)
            #expect(positions == [bench.partitions[0]: expected, bench.partitions[1]: expected])

            try source.start([bench.partitions[0]: 3])
            #expect(try source.take(7).offsets(of: bench.partitions[0]) == Array(3..<10))
            try source.start([bench.partitions[1]: 8])
            let rest = try source.take(2)
            #expect(rest.offsets(of: bench.partitions[1]) == [8, 9])
            #expect(rest.count == 2, "what was handed out before must not come again")
        }

        @Test func `keys, values, headers and timestamps arrive byte for byte`() throws {
            let bench = try Bench()
            let records = [
                OutgoingRecord(
                    topic: bench.topic, key: [0, 255], value: [],
                    headers: [
                        Header(name: "a", text: "1"), Header(name: "a", value: nil),
                        Header(name: "b", value: []),
                    ]),
                OutgoingRecord(topic: bench.topic, key: nil, value: nil, headers: []),
                OutgoingRecord(topic: bench.topic, key: [], value: [0], headers: []),
            ]
            let writer = try TopicWriter(settings: bench.settings) { _ in }
            for record in records { try writer.write(record, timestampMilliseconds: 1_234) }
            try writer.flush(wait: .seconds(5))
            let read = try bench.allRecords()
            #expect(read.map(\.key) == records.map(\.key))
            #expect(read.map(\.value) == records.map(\.value))
            #expect(read.map(\.headers) == records.map(\.headers))
            #expect(read.map(\.timestampMilliseconds) == [1_234, 1_234, 1_234])
        }
    }
}
