internal import FoundationEssentials
package import Worker

/// Takes what a client tells of itself, on the thread that uses the client.
package typealias KafkaStatisticsTaker = @Sendable (ClientStatistics) -> Void

/// What a sink tells of its client.
package struct KafkaSinkObserver: Sendable {
    /// Takes its statistics.
    package var statistics: KafkaStatisticsTaker
    /// Called when the producer broke and was made anew.
    package var recreated: @Sendable () -> Void

    /// An observer; what is left out is dropped.
    package init(
        statistics: @escaping KafkaStatisticsTaker = { _ in },
        recreated: @escaping @Sendable () -> Void = {}
    ) {
        self.statistics = statistics
        self.recreated = recreated
    }
}

extension ClientStatistics {
    /// The most bytes of a text that is looked at: beyond it lie thousands of partitions.
    static let jsonBytesMax = 16 << 20

    /// Reads librdkafka's statistics.
    ///
    /// What is missing, as in another version of the library, is left out; -1 and -1001 stand for
    /// what is not known. Nil for what is no such text at all.
    ///
    /// Source: librdkafka, STATISTICS.md.
    init?(json: String) {
        let data = Data(json.utf8)
        guard data.count <= Self.jsonBytesMax,
            let read = try? JSONDecoder().decode(StatisticsText.self, from: data)
        else { return nil }
        self.init()
        // Bootstrap addresses are told a second time, under negative ids, and so is the group's
        // coordinator, as a broker of its own with the id of the one that it is.
        let told = (read.brokers ?? [:]).values
            .filter { ($0.nodeid ?? -1) >= 0 && $0.source != "logical" }
        brokers = told.map { broker in
            Broker(
                name: broker.nodename ?? "", isUp: broker.state == "UP",
                roundTrips: broker.rtt?.durations ?? [:])
        }
        brokers.sort { $0.name < $1.name }
        queuedRecords = read.msg_cnt ?? 0
        queuedBytes = read.msg_size ?? 0
        joinState = read.cgrp?.join_state
        rebalanceAge = read.cgrp?.rebalance_age.map { .milliseconds($0) }
        for (topic, read) in read.topics ?? [:] {
            for partition in (read.partitions ?? [:]).values {
                // Only what is fetched has a broker whose answers tell its watermarks.
                guard let number = partition.partition, number >= 0,
                    partition.fetch_state == "active"
                else { continue }
                partitions[TopicPartition(topic: topic, partition: number)] = Partition(
                    highWatermark: partition.hi_offset.flatMap { $0 < 0 ? nil : $0 },
                    stableOffset: partition.ls_offset.flatMap { $0 < 0 ? nil : $0 },
                    queuedRecords: partition.fetchq_cnt ?? 0,
                    queuedBytes: partition.fetchq_size ?? 0)
            }
        }
    }
}

/// The parts of the text that are told on, by librdkafka's names.
private struct StatisticsText: Decodable {
    struct Broker: Decodable {
        var nodeid: Int?
        var nodename: String?
        var state: String?
        var source: String?
        var rtt: RoundTrips?
    }

    /// Microseconds.
    struct RoundTrips: Decodable {
        var p50: Int64?
        var p99: Int64?
        var cnt: Int64?

        /// Empty where there were none in the interval.
        var durations: [String: Duration] {
            guard let cnt, cnt > 0, let p50, let p99 else { return [:] }
            return ["50": .microseconds(p50), "99": .microseconds(p99)]
        }
    }

    struct Topic: Decodable {
        var partitions: [String: Partition]?
    }

    struct Partition: Decodable {
        var partition: Int32?
        var fetch_state: String?
        var hi_offset: Int64?
        var ls_offset: Int64?
        var fetchq_cnt: Int?
        var fetchq_size: Int?
    }

    struct Group: Decodable {
        var join_state: String?
        var rebalance_age: Int64?
    }

    var msg_cnt: Int?
    var msg_size: Int?
    var brokers: [String: Broker]?
    var topics: [String: Topic]?
    var cgrp: Group?
}
