/// Holds settings, topics, brokers, database and process against each other.
///
/// Each of them may be right by itself and wrong beside another: no one else looks at both. `check`
/// prints the findings; `run` logs them and does not start on an error. An error is what breaks a
/// guarantee or is bound to halt the worker; a warning is what costs something.
///
/// Pure: the facts come in as values.
package struct CrossChecks {
    /// What the operator set.
    let settings: Settings

    /// Checks of these settings.
    package init(_ settings: Settings) {
        self.settings = settings
    }

    /// What the settings say by themselves.
    package func ofSettings() -> [Finding] {
        [pauseBetweenPolls(), drain()]
    }

    /// What the database tells.
    package func ofDatabase(_ facts: DatabaseFacts, _ process: ProcessFacts) -> [Finding] {
        [durability(facts), sessions(facts, process)]
    }

    // MARK: - Settings

    /// How long the server's answer is waited for beyond its own statement timeout.
    package static let replyGrace: Duration = .seconds(5)
    /// How often a batch waits for the database between two polls: keys, locks, writes.
    private static let repliesBetweenPolls = 3

    /// A lane that waits for the database does not poll, and the group gives its partitions away.
    private func pauseBetweenPolls() -> Finding {
        let postgres = settings.postgres
        let longest =
            postgres.connectTimeout
            + (postgres.statementTimeout + Self.replyGrace) * Self.repliesBetweenPolls
        let found = "a batch may wait \(longest.written) for the database between two polls"
        let subject = "time between polls"
        guard longest >= settings.kafka.maxPollInterval else { return .fine(subject, found) }
        return Finding(
            .warning, subject, found: found,
            needed: "less than kafka.maxPollInterval (\(settings.kafka.maxPollInterval.written))",
            remedy: "lower postgres.statementTimeout or raise kafka.maxPollInterval")
    }

    /// A lane that is done waits for the others without polling; the process must be let live.
    private func drain() -> Finding {
        let limits = settings.worker.limits
        let longest =
            limits.stopTimeMax
            + (settings.traces.endpoint == nil ? .zero : Settings.Traces.stopTimeMax)
        let found = "a stop takes up to \(longest.written)"
        guard longest >= settings.kafka.maxPollInterval else {
            return .fine("stop", found + ": whoever stops the process must wait longer than that")
        }
        return Finding(
            .warning, "stop", found: found,
            needed: "less than kafka.maxPollInterval (\(settings.kafka.maxPollInterval.written))",
            remedy: "lower worker.drainTimeout, or the group takes partitions away meanwhile")
    }

    // MARK: - Database

    private func durability(_ facts: DatabaseFacts) -> Finding {
        let subject = "durability"
        let found =
            "synchronous_commit = \(facts.synchronousCommit), fsync = "
            + (facts.writesThrough ? "on" : "off")
        guard facts.synchronousCommit != "off" else {
            return Finding(
                settings.postgres.allowsAsynchronousCommit ? .warning : .error(.config), subject,
                found: found, needed: "any synchronous_commit but off",
                remedy: "set it for the role (ALTER ROLE … SET synchronous_commit = on): a crash"
                    + " would forget sign counts, and a replay would pass"
                    + " (postgres.allowAsynchronousCommit tolerates it)")
        }
        guard facts.writesThrough else {
            return Finding(
                .warning, subject, found: found, needed: "fsync = on",
                remedy: "switch it on: a power cut would damage the database or set it back")
        }
        return .fine(subject, found)
    }

    private func sessions(_ facts: DatabaseFacts, _ process: ProcessFacts) -> Finding {
        let found = "\(facts.sessionsFree) sessions are free on the server"
        guard facts.sessionsFree < process.lanes else { return .fine("sessions", found) }
        return Finding(
            .warning, "sessions", found: found, needed: "\(process.lanes), one for each lane",
            remedy: "raise max_connections, lower worker.lanes, or put a pooler in between"
                + " (postgres.pooled)")
    }
}

extension LaneLimits {
    /// How long a process may take from the signal to its end.
    package var stopTimeMax: Duration {
        drainTimeout + closeWait + .seconds(2)
    }
}
