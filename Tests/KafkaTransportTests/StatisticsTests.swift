import Synchronization
import Testing
import Worker

@testable import KafkaTransport

@Suite struct StatisticsTextTests {
    @Test(arguments: ["", "{", "[]", "null", "{\"brokers\": 3}", "\u{0}", "{\"topics\": [1]}"])
    func `what is no statistics is refused`(json: String) {
        #expect(ClientStatistics(json: json) == nil)
    }

    @Test func `what is missing or not known is left out`() throws {
        #expect(ClientStatistics(json: "{}") == ClientStatistics())
        let told = try #require(
            ClientStatistics(
                json: """
                    {"msg_cnt": 7, "new_in_a_later_version": [], "brokers": {
                      "b": {"nodeid": 2, "nodename": "b:1", "state": "UP",
                        "rtt": {"cnt": 3, "p50": 1500, "p99": 9000}},
                      "a": {"nodeid": 1, "nodename": "a:1", "state": "TRY_CONNECT",
                        "rtt": {"cnt": 0, "p50": 0, "p99": 0}},
                      "GroupCoordinator": {"nodeid": 2, "nodename": "b:1", "state": "UP",
                        "source": "logical"},
                      "boot": {"nodeid": -1, "nodename": "c:1", "state": "UP"}},
                     "topics": {"t": {"partitions": {
                       "0": {"partition": 0, "fetch_state": "active", "hi_offset": 12,
                         "ls_offset": 11, "fetchq_cnt": 4, "fetchq_size": 400},
                       "1": {"partition": 1, "fetch_state": "active", "hi_offset": -1001,
                         "ls_offset": -1001},
                       "2": {"partition": 2, "fetch_state": "none", "hi_offset": 5},
                       "-1": {"partition": -1, "fetch_state": "active"}}}},
                     "cgrp": {"join_state": "steady", "rebalance_age": 2500}}
                    """))
        #expect(told.queuedRecords == 7)
        #expect(
            told.brokers == [
                .init(name: "a:1", isUp: false),
                .init(
                    name: "b:1", isUp: true,
                    roundTrips: ["50": .microseconds(1500), "99": .microseconds(9000)]),
            ])
        #expect(told.joinState == "steady")
        #expect(told.rebalanceAge == .milliseconds(2500))
        let place = { TopicPartition(topic: "t", partition: $0) }
        #expect(
            told.partitions == [
                place(0): .init(
                    highWatermark: 12, stableOffset: 11, queuedRecords: 4, queuedBytes: 400),
                place(1): .init(highWatermark: nil, stableOffset: nil),
            ])
    }
}

extension BrokerTests {
    @Suite(.serialized)
    struct StatisticsTests {
        private final class Taken: Sendable {
            private let last = Mutex<ClientStatistics?>(nil)

            @Sendable func take(_ told: ClientStatistics) {
                last.withLock { $0 = told }
            }

            var told: ClientStatistics? { last.withLock { $0 } }
        }

        @Test func `both clients tell of their brokers, and a source of its partitions`() throws {
            var bench = try Bench(partitions: 2)
            bench.settings.statisticsInterval = .milliseconds(200)
            try bench.fill(0..<5)
            let read = Taken()
            let written = Taken()
            let sink = try KafkaSink(
                settings: bench.settings, topics: [bench.topic], log: { _ in },
                observer: KafkaSinkObserver(statistics: written.take))
            let source = try KafkaSource(
                settings: bench.settings, log: { _ in }, statistics: read.take)
            try source.join()
            let deadline = Deadline(after: .seconds(20))
            func isTold() -> Bool {
                let partitions = read.told?.partitions ?? [:]
                return bench.partitions.allSatisfy { partitions[$0]?.highWatermark == 5 }
                    && partitions.values.allSatisfy { $0.stableOffset == 5 }
                    && read.told?.joinState == "steady"
                    && written.told?.brokers.contains(where: \.isUp) == true
            }
            while !isTold(), !deadline.isOver {
                _ = try source.poll(limits: Bench.limits, wait: .milliseconds(100))
                _ = try sink.reports(wait: .zero)
            }
            #expect(isTold(), "\(String(describing: read.told))")
            source.close()
            sink.close(wait: .zero)
        }
    }
}
