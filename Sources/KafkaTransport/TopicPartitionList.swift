internal import CRdkafka
internal import Worker

/// Owner of a list of partitions, with an offset and an error each, that librdkafka reads and
/// fills.
struct TopicPartitionList: ~Copyable {
    /// Valid as long as this value lives.
    let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    /// Partitions without offsets.
    init(_ partitions: some Sequence<TopicPartition>) {
        pointer = rd_kafka_topic_partition_list_new(0)
        for partition in partitions { add(partition) }
    }

    /// Partitions with an offset each.
    init(_ offsets: [TopicPartition: Int64]) {
        pointer = rd_kafka_topic_partition_list_new(Int32(clamping: offsets.count))
        for (partition, offset) in offsets { add(partition).pointee.offset = offset }
    }

    /// Whole topics, to subscribe to.
    init(topics: [String]) {
        pointer = rd_kafka_topic_partition_list_new(Int32(clamping: topics.count))
        for topic in topics {
            rd_kafka_topic_partition_list_add(pointer, topic, RD_KAFKA_PARTITION_UA)
        }
    }

    deinit {
        rd_kafka_topic_partition_list_destroy(pointer)
    }

    @discardableResult
    private func add(
        _ partition: TopicPartition
    ) -> UnsafeMutablePointer<rd_kafka_topic_partition_t> {
        rd_kafka_topic_partition_list_add(pointer, partition.topic, partition.partition)
    }

    /// What librdkafka left in the list.
    var entries: [PartitionEntry] {
        PartitionEntry.all(in: pointer)
    }
}

/// An element of a list of partitions, copied out.
struct PartitionEntry {
    /// Which partition.
    let partition: TopicPartition
    /// A position, or one of librdkafka's negative marks.
    let offset: Int64
    /// The partition's own error.
    let code: rd_kafka_resp_err_t

    /// All elements of a list that someone else owns.
    static func all(
        in list: UnsafePointer<rd_kafka_topic_partition_list_t>
    ) -> [PartitionEntry] {
        // `elems` is an array of `cnt` elements, as long as the list lives.
        UnsafeBufferPointer(start: list.pointee.elems, count: Int(list.pointee.cnt)).map {
            PartitionEntry(
                partition: TopicPartition(
                    topic: String(cString: $0.topic), partition: $0.partition),
                offset: $0.offset, code: $0.err)
        }
    }
}
