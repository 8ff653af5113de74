import Glibc
import Testing
import Wire
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct TopicWriterTests {
        @Test func `a writer tells of a failed record at a later one, unasked`() throws {
            let bench = try Bench(takesFaults: true)
            let writer = try TopicWriter(settings: bench.settings) { _ in }
            try writer.write(bench.record(1))
            try writer.flush(wait: .seconds(10))
            try bench.broker.command("errors Produce MSG_SIZE_TOO_LARGE 1")
            let fault = #expect(throws: Fault.self) {
                // Few enough that a full queue doesn't make it look for reports.
                for _ in 0..<5_000 {
                    try writer.write(bench.record(2))
                    usleep(1_000)
                }
            }
            #expect(fault?.code == "MSG_SIZE_TOO_LARGE")
        }
    }
}
