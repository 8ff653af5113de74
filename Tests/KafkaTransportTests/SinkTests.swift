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
            #expect(try sink.reports(wait: .zero).isEmpty)
        }

        /// The hashes are Kafka's own test vectors of murmur2.
        ///
        /// Source: Apache Kafka, UtilsTest.testMurmur2.
        @Test(
            arguments: [
                ("21", -973_932_308), ("foobar", -790_332_482),
                ("a-little-bit-long-string", -985_981_536),
                ("a-little-bit-longer-string", -1_486_304_829),
                ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ] as [(String, Int32)])
        func `a key lies where clients in Java look for it`(key: String, hash: Int32) throws {
            let bench = try Bench(partitions: 7)
            let sink = try bench.sink()
            let record = OutgoingRecord(
                topic: bench.topic, key: Array(key.utf8), value: [1], headers: [])
            try sink.enqueue([(1, record)])
            #expect(try sink.awaitReports(1).map(\.result) == [.delivered])
            #expect(try bench.allRecords().map(\.place.partition) == [(hash & 0x7FFF_FFFF) % 7])
        }

        @Test func `a record that is too large is refused, those beside it arrive`() throws {
            let bench = try Bench()
            let sink = try bench.sink()
            try sink.enqueue([
                (1, bench.record(1)), (2, bench.record(2, bytes: 5_000_000)), (3, bench.record(3)),
            ])
            let reports = try sink.awaitReports(3)
            #expect(
                Set(reports) == [
                    DeliveryReport(ticket: 1, result: .delivered),
                    DeliveryReport(ticket: 2, result: .refused(code: "MSG_SIZE_TOO_LARGE")),
                    DeliveryReport(ticket: 3, result: .delivered),
                ])
            #expect(try bench.allRecords().map(\.value?.count) == [4, 4])
        }

        @Test func `a refusal by the broker ends that record alone`() throws {
            let bench = try Bench(takesFaults: true)
            let sink = try bench.sink()
            try bench.broker.command("errors Produce MSG_SIZE_TOO_LARGE 1")
            try sink.enqueue([(1, bench.record(1))])
            let refused = DeliveryReport.Result.refused(code: "MSG_SIZE_TOO_LARGE")
            #expect(try sink.awaitReports(1).map(\.result) == [refused])
            try sink.enqueue([(2, bench.record(2))])
            #expect(try sink.awaitReports(1).map(\.result) == [.delivered])
        }

        @Test func `a topic that is missing for a moment is no refusal`() throws {
            let bench = try Bench(takesFaults: true)
            let sink = try bench.sink()
            try bench.broker.command("errors Produce UNKNOWN_TOPIC_OR_PART 1")
            try sink.enqueue([(1, bench.record(1))])
            let report = try #require(try sink.awaitReports(1).first)
            if report.result != .delivered {
                #expect(report.result == .failed(code: "UNKNOWN_TOPIC_OR_PART"))
                try sink.deliver([(1, bench.record(1))])
            }
            #expect(try bench.allRecords().map(\.key) == [bench.record(1).key])
        }

        @Test func `a topic that stays missing is a refusal in the end`() throws {
            let bench = try Bench(takesFaults: true)
            try bench.broker.command("topic-error absent UNKNOWN_TOPIC_OR_PART")
            var settings = bench.settings
            settings.properties = ["topic.metadata.propagation.max.ms": "0"]
            let sink = try KafkaSink(
                settings: settings, topics: ["absent"], missingTopicPatience: .seconds(1)
            ) { _ in }
            let record = OutgoingRecord(topic: "absent", key: nil, value: [1], headers: [])
            var results: [DeliveryReport.Result] = []
            for ticket in UInt64(1)...4 {
                try sink.enqueue([(ticket, record)])
                results += try sink.awaitReports(1).map(\.result)
                _ = try sink.reports(wait: .milliseconds(500))
            }
            let code = "_UNKNOWN_TOPIC"
            #expect(results.first == .failed(code: code))
            #expect(results.last == .refused(code: code))
        }

        @Test func `a record goes to the partition it names, and is refused without one`() throws {
            let bench = try Bench(partitions: 3)
            let sink = try bench.sink()
            func record(_ partition: Int32?) -> OutgoingRecord {
                OutgoingRecord(
                    topic: bench.topic, key: [1], value: [1], headers: [], partition: partition)
            }
            try sink.enqueue([(1, record(nil))])
            #expect(try sink.awaitReports(1).map(\.result) == [.delivered])
            let home = try #require(try bench.allRecords().first).place.partition
            let other = (home + 1) % 3
            try sink.enqueue([(2, record(other)), (3, record(99)), (4, record(nil))])
            let reports = try sink.awaitReports(3).sorted { $0.ticket < $1.ticket }
            let refused = DeliveryReport.Result.refused(code: "_UNKNOWN_PARTITION")
            #expect(reports.map(\.result) == [.delivered, refused, .delivered])
            let places = try bench.allRecords().map(\.place.partition)
            #expect(places.sorted() == [home, home, other].sorted())
        }

        @Test func `a missing right is told, also of what follows`() throws {
            let bench = try Bench(takesFaults: true)
            let sink = try bench.sink()
            try bench.broker.command("errors Produce TOPIC_AUTHORIZATION_FAILED 1")
            let forbidden = DeliveryReport.Result.forbidden(code: "TOPIC_AUTHORIZATION_FAILED")
            try sink.enqueue([(1, bench.record(1))])
            #expect(try sink.awaitReports(1).map(\.result) == [forbidden])
            // librdkafka remembers it, and refuses the next one at once.
            try sink.enqueue([(2, bench.record(2))])
            #expect(
                try sink.awaitReports(1) == [DeliveryReport(ticket: 2, result: forbidden)])
        }

        @Test func `errors that pass are not told, and the order stays`() throws {
            let bench = try Bench(takesFaults: true)
            let sink = try bench.sink()
            try bench.broker.command("errors Produce NOT_LEADER_FOR_PARTITION 2")
            for number in 0..<20 { try sink.enqueue([(UInt64(number), bench.record(number))]) }
            #expect(try sink.awaitReports(20).allSatisfy { $0.result == .delivered })
            #expect(try bench.allRecords().map(\.key) == (0..<20).map { bench.record($0).key })
        }

        @Test func `what is on its way waits for a broker that is away`() throws {
            let broker = try BrokerProcess([])
            let bench = try Bench(broker: broker)
            let sink = try bench.sink()
            try broker.command("down")
            try sink.enqueue((0..<10).map { (UInt64($0), bench.record($0)) })
            #expect(try sink.reports(wait: .seconds(2)).isEmpty)
            try broker.command("up")
            #expect(try sink.awaitReports(10).filter { $0.result == .delivered }.count == 10)
            #expect(try bench.allRecords().map(\.key) == (0..<10).map { bench.record($0).key })
        }

        @Test func `a full queue is told, and none of that call is reported`() throws {
            let broker = try BrokerProcess([])
            let bench = try Bench(broker: broker)
            var settings = bench.settings
            settings.properties = ["queue.buffering.max.messages": "10"]
            let sink = try KafkaSink(settings: settings, topics: [bench.topic]) { _ in }
            try broker.command("down")
            try sink.enqueue((0..<8).map { (UInt64($0), bench.record($0)) })
            let fault = #expect(throws: Fault.self) {
                try sink.enqueue((8..<16).map { (UInt64($0), bench.record($0)) })
            }
            #expect(fault?.disposition == .retry)
            #expect(fault?.code == "_QUEUE_FULL")
            try broker.command("up")
            #expect(try sink.awaitReports(8).map(\.ticket).sorted() == Array(0..<8))
            #expect(try sink.reports(wait: .milliseconds(300)).isEmpty)
            try sink.enqueue((8..<16).map { (UInt64($0), bench.record($0)) })
            #expect(try sink.awaitReports(8).map(\.ticket).sorted() == Array(8..<16))
        }

        @Test func `a broken producer is made anew, and all unreported may be sent again`() throws {
            let bench = try Bench(takesFaults: true)
            let sink = try bench.sink()
            try sink.enqueue([(1, bench.record(1))])
            #expect(try sink.awaitReports(1).map(\.ticket) == [1])
            try bench.broker.command("errors Produce OUT_OF_ORDER_SEQUENCE_NUMBER 1")
            try sink.enqueue([(2, bench.record(2))])
            let fault = #expect(throws: Fault.self) {
                for _ in 0..<50 {
                    let reports = try sink.reports(wait: .milliseconds(100))
                    #expect(!reports.contains { $0.result == .delivered })
                }
            }
            #expect(fault?.disposition == .retry)
            try sink.enqueue([(2, bench.record(2))])
            #expect(try sink.awaitReports(1) == [DeliveryReport(ticket: 2, result: .delivered)])
        }

        @Test func `closing waits for what is on its way`() throws {
            let bench = try Bench()
            let sink = try bench.sink()
            try sink.enqueue((0..<10).map { (UInt64($0), bench.record($0)) })
            sink.close(wait: .seconds(5))
            sink.close(wait: .seconds(5))
            #expect(try bench.allRecords().count == 10)
            #expect(throws: Fault.self) { try sink.enqueue([(11, bench.record(11))]) }
        }

        @Test func `closing does not wait longer than told`() throws {
            var settings = KafkaSettings(
                bootstrapServers: "127.0.0.1:1", groupID: "group", requestTopics: ["requests"])
            settings.properties = ["reconnect.backoff.max.ms": "200"]
            let sink = try KafkaSink(settings: settings, topics: []) { _ in }
            let record = OutgoingRecord(topic: "verdicts", key: nil, value: [1], headers: [])
            try sink.enqueue([(1, record)])
            let duration = ContinuousClock().measure { sink.close(wait: .milliseconds(300)) }
            #expect(duration < .seconds(2))
        }
    }
}

extension KafkaSink {
    /// Enqueues records as a lane does: those that fail once more, until all are delivered.
    func deliver(
        _ records: [(ticket: UInt64, record: OutgoingRecord)],
        within patience: Duration = .seconds(10)
    ) throws {
        let deadline = Deadline(after: patience)
        var left = records
        while !left.isEmpty, !deadline.isOver {
            try enqueue(left)
            let reports = try awaitReports(left.count, within: .seconds(3))
            let delivered = Set(reports.filter { $0.result == .delivered }.map(\.ticket))
            left.removeAll { delivered.contains($0.ticket) }
            if !left.isEmpty { _ = try self.reports(wait: .milliseconds(200)) }
        }
        #expect(left.isEmpty)
    }

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
