package import Wire

/// A partition of a topic.
package struct TopicPartition: Hashable, Sendable, Comparable {
    /// The topic's name.
    package let topic: String
    /// The partition's number, from 0.
    package let partition: Int32

    /// A partition from its parts.
    package init(topic: String, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }

    /// Equal by number and name; most pairs that differ do so by their numbers.
    package static func == (left: TopicPartition, right: TopicPartition) -> Bool {
        left.partition == right.partition && left.topic == right.topic
    }

    /// Feeds the number alone: topics are few, and names would be hashed several times a record.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(partition)
    }

    /// Orders by topic (bytes of UTF-8), then number: the order in which rows are locked.
    package static func < (left: TopicPartition, right: TopicPartition) -> Bool {
        left.topic == right.topic
            ? left.partition < right.partition
            : left.topic.utf8.lexicographicallyPrecedes(right.topic.utf8)
    }
}

/// A record of a request topic, copied out of the client library.
package struct Record: Hashable, Sendable {
    /// Where it lies.
    package let place: RecordPlace
    /// Milliseconds since 1970 as broker or gateway stamped it; nil where the record has none (-1).
    package let timestampMilliseconds: Int64?
    /// The record's key; nil is Kafka's null.
    package let key: [UInt8]?
    /// The record's value; nil is Kafka's null.
    package let value: [UInt8]?
    /// All headers, in order.
    package let headers: [Header]

    /// A record from its parts.
    package init(
        place: RecordPlace, timestampMilliseconds: Int64?, key: [UInt8]?, value: [UInt8]?,
        headers: [Header]
    ) {
        self.place = place
        self.timestampMilliseconds = timestampMilliseconds
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// The partition it lies in.
    package var partition: TopicPartition {
        TopicPartition(topic: place.topic, partition: place.partition)
    }
}

/// A record to be published: a verdict, a copy of one, or a dead letter.
package struct OutgoingRecord: Hashable, Sendable {
    /// The topic it goes to.
    package let topic: String
    /// The key; nil is Kafka's null, and then any partition may take it.
    package let key: [UInt8]?
    /// The value; nil is Kafka's null.
    package let value: [UInt8]?
    /// The headers, in order.
    package let headers: [Header]
    /// The partition it must go to; nil lets the key decide.
    package let partition: Int32?

    /// A record from its parts.
    package init(
        topic: String, key: [UInt8]?, value: [UInt8]?, headers: [Header], partition: Int32? = nil
    ) {
        self.topic = topic
        self.key = key
        self.value = value
        self.headers = headers
        self.partition = partition
    }
}
