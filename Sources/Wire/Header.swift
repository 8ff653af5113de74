/// A header of a Kafka record.
///
/// Names may repeat; a value may be null or not be text.
package struct Header: Hashable, Sendable {
    /// The header's name.
    package let name: String
    /// The header's bytes; nil is Kafka's null.
    package let value: [UInt8]?

    /// A header as it is on the record.
    package init(name: String, value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    /// A header whose value is text, sent as UTF-8.
    package init(name: String, text: String) {
        self.init(name: name, value: Array(text.utf8))
    }
}
