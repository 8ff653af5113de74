/// The limits of a lane, each with its reason.
package struct LaneLimits: Hashable, Sendable {
    /// How much one batch holds.
    ///
    /// A batch is what has come meanwhile, so it is small while there is little to do, and grows
    /// with the load; beyond 500 records PostgreSQL gains little and latency grows.
    package var batch = BatchLimits(recordsMax: 500, bytesMax: 1_048_576)
    /// How long an idle poll waits for a first record before the lane looks around.
    package var idleWait: Duration = .milliseconds(500)
    /// How long one wait for delivery reports lasts before the membership is tended to.
    package var reportWait: Duration = .milliseconds(250)
    /// How much longer than for the verdicts the lane waits for the copies that gateways asked for.
    package var replyWait: Duration = .milliseconds(500)
    /// How long the lane waits for delivery reports before it tells so, again and again.
    package var silenceMax: Duration = .seconds(10)
    /// How long a stop may take: what is not done by then is delivered again.
    package var drainTimeout: Duration = .seconds(20)
    /// How long the producer may take to close.
    package var closeWait: Duration = .seconds(5)
    /// How many dead letters in a row halt the worker; 0 switches the guard off.
    ///
    /// A flood of them means that the topic or the schema is wrong, not the records.
    package var deadLettersInARowMax = 1000
    /// How many inbox rows one pruning deletes.
    package var pruneRowsMax = 1000
    /// How long a lane waits after a pruning that found less than that.
    package var pruneInterval: Duration = .seconds(60)
    /// How often an idle lane asks whether the database would decide: readiness rests on it.
    package var probeInterval: Duration = .seconds(5)
    /// How often a lane without a database asks the broker how far its partitions have grown.
    package var lookInterval: Duration = .seconds(10)

    /// The defaults.
    package init() {}
}
