import Harness
import Testing
import Worker

/// The judge of a world under load: reads its topics and its database into an ``OracleLedger``.
final class Oracle {
    private var world: World
    private var ledger = OracleLedger()
    private var requestsTold = 0
    private var verdictsTold = 0
    private var deadLettersTold = 0
    private var findingsTold = 0

    /// Where the inbox is looked at; the world's own database unless another took its place.
    var database: Database

    init(_ world: World, _ load: Load) {
        self.world = world
        database = world.database
        plan(load)
    }

    /// Tells of a further load that will be sent.
    func plan(_ load: Load) {
        for request in load.requests { ledger.plan(request) }
    }

    /// How many verdicts there were by their reason; accepted ones under "accepted".
    var verdictsByReason: [String: Int] { ledger.verdictsByReason }

    /// Waits until each request on the topic is answered; call it when all are sent.
    func waitUntilAnswered(within limit: Duration, _ workers: [ChildProcess]) async throws {
        var missing: [OracleSubject] = []
        try await eventually(
            "\(world.name): \(missing.count) of \(ledger.requestCount) requests have no verdict, "
                + "such as \(missing.prefix(3)); \(workers)", within: limit
        ) {
            try await look()
            missing = ledger.unanswered
            return missing.isEmpty
        }
        tellFindings()
        try await waitUntilCommitted(workers)
    }

    /// Waits until the group has committed all there is.
    ///
    /// The mock broker refuses commits while the group rebalances: what was refused is answered
    /// and committed once more by the next owner, so it is done as long as workers are there.
    private func waitUntilCommitted(_ workers: [ChildProcess]) async throws {
        try await eventually(
            "\(world.name): what is answered shall be committed; \(workers)", within: .seconds(90)
        ) {
            try await world.requests.positions().values.allSatisfy {
                $0.high == 0 || $0.committed == $0.high
            }
        }
    }

    /// Checks that every committed record has its verdict, at this moment.
    func expectNothingAhead() async throws {
        try await look()
        tellFindings()
    }

    /// Goes on with another world: the same group and database, a new cluster or new topics.
    ///
    /// What was told of the former one stands; its loads must have been answered.
    func move(to world: World, _ load: Load) {
        self.world = world
        plan(load)
        (requestsTold, verdictsTold, deadLettersTold) = (0, 0, 0)
    }

    /// From now on what was answered may be stale: the inbox has lost all it held, by retention.
    func forgetDecided() {
        ledger.forgetDecided()
    }

    /// Checks everything, after the last request was answered.
    func expectEverythingRight() async throws {
        try await look()
        ledger.stored(
            try await database.storedVerdicts(),
            signCounts: try await database.signCounts())
        tellFindings()
        print(
            "\(world.name): \(ledger.recordCount) records, \(ledger.requestCount) requests, "
                + "\(ledger.verdictCount) verdicts, \(ledger.deadLetterCount) dead letters")
    }

    /// Checks that the group has committed all there is: after a clean stop.
    func expectAllCommitted() async throws {
        for (partition, position) in try await world.requests.positions() where position.high > 0 {
            #expect(
                position.committed == position.high,
                "\(world.name)[\(partition.partition)]: finished, not committed")
        }
    }

    // MARK: - Parts

    /// Reads on, in the order that the ledger asks for.
    private func look() async throws {
        let positions = try await world.requests.positions()
        let verdicts = try await world.verdicts.readOn()
        let deadLetters = try await world.deadLetters.readOn()
        let requests = try await world.requests.readOn()
        for record in requests.dropFirst(requestsTold) { ledger.sent(record) }
        for record in deadLetters.dropFirst(deadLettersTold) { ledger.deadLettered(record) }
        for record in verdicts.dropFirst(verdictsTold) { try ledger.published(record) }
        ledger.committed(positions)
        (requestsTold, verdictsTold) = (requests.count, verdicts.count)
        deadLettersTold = deadLetters.count
    }

    private func tellFindings() {
        for finding in ledger.findings.dropFirst(findingsTold) {
            let history = finding.subject.map(ledger.history(of:)) ?? []
            Issue.record("\(world.name): \(finding)\n\(history.joined(separator: "\n"))")
        }
        findingsTold = ledger.findings.count
    }
}
