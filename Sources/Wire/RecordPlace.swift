/// Where a record lies: topic, partition and offset.
package struct RecordPlace: Hashable, Sendable {
    /// The topic's name.
    package let topic: String
    /// The partition's number, from 0.
    package let partition: Int32
    /// The offset, from 0.
    package let offset: Int64

    /// A place from its parts.
    package init(topic: String, partition: Int32, offset: Int64) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }
}
