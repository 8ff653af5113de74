/// What became of one record handed to a ``VerdictSink``.
package struct DeliveryReport: Hashable, Sendable {
    /// How it ended.
    package enum Result: Hashable, Sendable {
        /// All in-sync replicas have it.
        case delivered
        /// The broker will never take it as it is: too large, or its topic is gone.
        case refused(code: String)
        /// This worker may not write to its topic.
        case forbidden(code: String)
        /// It did not get there, and may be sent again.
        case failed(code: String)
    }

    /// The number under which it was enqueued.
    package let ticket: UInt64
    /// How it ended.
    package let result: Result

    /// A report from its parts.
    package init(ticket: UInt64, result: Result) {
        self.ticket = ticket
        self.result = result
    }
}

/// The verdict and dead-letter topics.
package protocol VerdictSink: AnyObject {
    /// Hands over records in order. They are on their way, not delivered.
    ///
    /// - Parameter records: each with a ticket that its report will carry.
    /// - Throws: `.retry` when the local queue is full or the client broke and was made anew; then
    ///   none of these records will be reported, and all that were unreported before may be
    ///   enqueued again.
    func enqueue(_ records: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault)

    /// Waits for delivery reports, for at most `wait`.
    ///
    /// - Returns: reports in any order; empty when the time ran out.
    /// - Throws: `.retry` when the client broke and was made anew (an idempotent producer turned
    ///   fatal): every unreported record must be enqueued again. `.stop` when it can't be.
    func reports(wait: Duration) throws(Fault) -> [DeliveryReport]

    /// Waits for what is on its way, at most so long, and closes. Idempotent.
    func close(wait: Duration)
}
