package import Worker

/// One of the three questions that supervisors ask.
package enum HealthQuestion: Hashable, Sendable {
    /// Would a restart help?
    case liveness
    /// Does it do its work now?
    case readiness
    /// Has it begun to?
    case startup
}

/// What a process tells of itself over HTTP; asked on the server's thread.
package protocol OperationsSource: AnyObject, Sendable {
    /// What does not change while it runs.
    var facts: WorkerFacts { get }

    /// All metrics as text.
    func metrics(as format: MetricText.Format) -> [UInt8]

    /// How it stands, by a rule.
    func health(_ question: HealthQuestion) -> Health

    /// How it stands, as JSON for a person's eyes.
    var statusJSON: [UInt8] { get }

    /// The keys of its tokens as a JSON Web Key Set; nil where it makes none.
    var keySet: [UInt8]? { get }
}

extension WorkerObserver: OperationsSource {
    /// All metrics as text.
    package func metrics(as format: MetricText.Format) -> [UInt8] {
        MetricText.render(cells, as: format)
    }

    /// How the worker stands, by a rule.
    package func health(_ question: HealthQuestion) -> Health {
        switch question {
        case .liveness: Health.liveness(report)
        case .readiness: Health.readiness(report)
        case .startup: Health.startup(report)
        }
    }

    /// How the worker stands, as JSON.
    package var statusJSON: [UInt8] { StatusPage.json(report) }
}
