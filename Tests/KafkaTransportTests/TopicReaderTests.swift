import Testing
import Wire
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct TopicReaderTests {
        @Test func `a reader from the end sees exactly what is written after it was made`() throws {
            let bench = try Bench()
            try bench.fill(0..<3)
            let reader = try TopicReader(
                topic: bench.topic, from: .end, settings: bench.settings
            ) { _ in }
            try bench.fill(3..<5)
            var records: [Record] = []
            for _ in 0..<100 where records.count < 2 {
                records += try reader.read(recordsMax: 10, wait: .milliseconds(100))
            }
            #expect(records.map(\.place.offset) == [3, 4])
        }
    }
}
