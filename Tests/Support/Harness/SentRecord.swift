package import AppAttest
package import Wire

/// A record as a test puts it on the request topic.
package struct SentRecord: Sendable {
    /// The record's key.
    package var key: [UInt8]?
    /// The record's value.
    package var value: [UInt8]?
    /// Its headers.
    package var headers: [Header] = []
    /// When it says it was written; nil is now.
    package var timestamp: Instant?
    /// Where it goes; nil lets the key decide.
    package var partition: Int32?

    /// A record from its parts.
    package init(
        key: [UInt8]?, value: [UInt8]?, headers: [Header] = [], timestamp: Instant? = nil,
        partition: Int32? = nil
    ) {
        self.key = key
        self.value = value
        self.headers = headers
        self.timestamp = timestamp
        self.partition = partition
    }
}
