/// Whether a process is well, and if not, in what.
///
/// Pure functions of a report, so that each rule can be tested by the clock.
package struct Health: Hashable, Sendable {
    /// What is wrong, a sentence each; empty if all is well.
    package let problems: [String]

    /// A finding: what is wrong, a sentence each.
    package init(problems: [String]) {
        self.problems = problems
    }

    /// Whether nothing is wrong.
    package var isWell: Bool { problems.isEmpty }

    /// Whether restarting the process could help: no lane has gone without a sign of life for
    /// longer than the stall timeout.
    ///
    /// It never depends on Kafka or PostgreSQL. A lane that sits out a fault polls on and is alive;
    /// restarts would not mend what it waits for, and would make the group share its partitions out
    /// again and again. A batch that never ends while the lane polls is for alerts to find
    /// (`lane_last_progress_timestamp_seconds`), as only a person can tell why.
    package static func liveness(_ report: WorkerReport) -> Health {
        Health(
            problems: report.lanes.filter { !$0.hasEnded }.compactMap { lane in
                let silence = report.monotonicNow - lane.activity.since
                guard silence > report.facts.stallTimeout else { return nil }
                return "lane \(lane.number) is stuck: \(lane.activity.name) has lasted "
                    + "\(silence.wholeMilliseconds / 1000) s"
            } + (report.state == .stopped ? ["no lane is left"] : []))
    }

    /// Whether the process does its work now: every lane is a member of its group, has a database
    /// that answers and brokers that it is connected to, and nobody has asked it to stop.
    ///
    /// A lane without partitions is ready.
    package static func readiness(_ report: WorkerReport) -> Health {
        var problems: [String] = []
        switch report.state {
        case .starting, .running: break
        case .draining: problems.append("the worker is draining")
        case .stopped: problems.append("the worker has stopped")
        }
        for lane in report.lanes { problems += lane.problems(at: report.monotonicNow) }
        return Health(problems: problems)
    }

    /// Whether all lanes have met the database and their group once.
    package static func startup(_ report: WorkerReport) -> Health {
        Health(
            problems: report.state != .starting
                ? []
                : report.lanes.flatMap { lane in
                    (lane.storeAnsweredAt == nil
                        ? ["lane \(lane.number) has not reached PostgreSQL yet"] : [])
                        + (lane.isMember
                            ? [] : ["lane \(lane.number) has not joined its group yet"])
                })
    }
}

extension LaneReport {
    /// What keeps the lane from its work.
    fileprivate func problems(at now: Duration) -> [String] {
        let name = "lane \(number)"
        guard !hasEnded else { return ["\(name) has ended"] }
        var problems: [String] = []
        if !isMember { problems.append("\(name) has not joined its group yet") }
        if let fault = storeFault {
            problems.append("\(name) has no database: \(fault)")
        } else if storeAnsweredAt == nil {
            problems.append("\(name) has not reached PostgreSQL yet")
        }
        for role in KafkaClientRole.allCases {
            // The producer connects to the brokers that it has something to send to.
            guard let told = statistics[role], !told.brokers.isEmpty,
                !told.brokers.contains(where: \.isUp)
            else { continue }
            problems.append("\(name): the \(role.rawValue) is connected to no broker")
        }
        if let trouble, storeFault == nil {
            let seconds = (now - trouble.since).wholeMilliseconds / 1000
            problems.append("\(name) has been blocked for \(seconds) s: \(trouble.fault)")
        }
        return problems
    }
}
