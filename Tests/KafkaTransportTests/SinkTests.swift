import Testing
import Wire
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct SinkTests {
        @Test func `records are reported as delivered and lie in the order given`() throws {
            let bench = try Bench()
            let sink = try bench.sink()
            try sink.enqueue((0..<100).map { (UInt64($0), bench.record($0)) })
            let reports = try sink.awaitReports(100)
            #expect(reports.map(\.ticket).sorted() == Array(0..<100))
            #expect(reports.allSatisfy { $0.result == .delivered })
            #expect(try bench.allRecords().map(\.key) == (0..<100).map { bench.record($0).key })
        }
    }
}

extension KafkaSink {
    /// Collects so many reports.
    func awaitReports(
        _ count: Int, within patience: Duration = .seconds(10)
    ) throws -> [DeliveryReport] {
        var reports: [DeliveryReport] = []
        let deadline = Deadline(after: patience)
        while reports.count < count, !deadline.isOver {
            reports += try self.reports(wait: .milliseconds(100))
        }
        return reports
    }
}
