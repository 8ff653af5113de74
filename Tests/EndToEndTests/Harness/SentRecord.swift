import AppAttest
import Wire

/// A record as a test puts it on the request topic.
struct SentRecord: Sendable {
    /// The record's key.
    var key: [UInt8]?
    /// The record's value.
    var value: [UInt8]?
    /// Its headers.
    var headers: [Header] = []
    /// When it says it was written; nil is now.
    var timestamp: Instant?
    /// Where it goes; nil lets the key decide.
    var partition: Int32?
}
