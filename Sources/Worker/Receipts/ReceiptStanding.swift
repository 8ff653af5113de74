package import AppAttest

/// What a decision must know of a key's receipt.
package struct ReceiptStanding: Hashable, Sendable {
    /// The latest day, counted from 1970 in UTC, on which a request of the key was accepted.
    package var seenOn: Int32
    /// The metric that Apple told last.
    package var metric: UInt32?
    /// When the receipt was made that told it.
    package var metricAsOf: Instant?

    /// A standing from its parts.
    package init(seenOn: Int32, metric: UInt32?, metricAsOf: Instant?) {
        self.seenOn = seenOn
        self.metric = metric
        self.metricAsOf = metricAsOf
    }
}

/// That a request of a key was accepted on a day on which none was before.
package struct Sighting: Hashable, Sendable {
    /// The day of the request's record, counted from 1970 in UTC.
    package var day: Int32
    /// When its receipt is due, should the key have been out of sight until now.
    package var due: Instant

    /// A sighting from its parts.
    package init(day: Int32, due: Instant) {
        self.day = day
        self.due = due
    }
}
