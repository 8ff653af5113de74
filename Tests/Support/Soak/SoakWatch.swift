import Foundation
import Harness
import Synchronization
import Worker

/// Reads the topics all the time, on a thread of its own, into the oracle's ledger.
final class SoakWatch: Sendable {
    /// What is known at a moment.
    struct Sight: Sendable {
        var requests = 0
        var records = 0
        var verdicts = 0
        var deadLetters = 0
        var unanswered = 0
        /// Looks at which nothing was missing, so that committed offsets could be judged.
        var wholeLooks = 0
        /// Looks that the broker's state cut short.
        var cutLooks = 0
        var findings: [OracleFinding] = []
        var byReason: [String: Int] = [:]
        /// Whether the group has committed all there is.
        var isCommitted = false
        /// Why the watch itself has ended, if it has.
        var failure: String?
    }

    /// How long one look may read one topic.
    private static let patience: Duration = .seconds(5)
    /// How long the watch rests between two looks.
    private static let rest: TimeInterval = 0.25

    private let ledger = Mutex(OracleLedger())
    private let looks = Mutex((whole: 0, cut: 0, isCommitted: false))
    private let failure = Mutex<String?>(nil)
    private let isStopped = Mutex(false)

    /// Starts looking.
    func start(bootstrapServers: String) {
        Thread { [self] in
            do {
                try run(bootstrapServers: bootstrapServers)
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }.start()
    }

    /// Ends the thread after its present look.
    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// Tells the oracle of a request before it is sent.
    func plan(_ request: PlannedRequest) {
        ledger.withLock { $0.plan(request) }
    }

    /// Whether a request is answered.
    func isAnswered(_ id: String) -> Bool {
        ledger.withLock { $0.isAnswered(id) }
    }

    /// A worker process is no longer there.
    func ended(
        _ worker: String, with end: ChildProcess.End, wasAsked: Bool, words: String
    ) {
        ledger.withLock { $0.ended(worker, with: end, wasAsked: wasAsked, words: words) }
    }

    /// A finding of somebody else than the ledger.
    func report(_ finding: OracleFinding) {
        ledger.withLock { $0.report(finding) }
    }

    /// The last judgement, with what the database holds.
    func judge(_ stored: [StoredVerdict], signCounts: [String: UInt32]) {
        ledger.withLock { $0.stored(stored, signCounts: signCounts) }
    }

    /// Where a request's records and answers lie.
    func history(of subject: OracleSubject) -> [String] {
        ledger.withLock { $0.history(of: subject) }
    }

    /// Some requests without an answer.
    func unanswered(_ most: Int) -> [OracleSubject] {
        ledger.withLock { Array($0.unanswered.prefix(most)) }
    }

    /// What is known now.
    func sight() -> Sight {
        var sight = ledger.withLock { ledger in
            Sight(
                requests: ledger.requestCount, records: ledger.recordCount,
                verdicts: ledger.verdictCount, deadLetters: ledger.deadLetterCount,
                unanswered: ledger.unansweredRecordCount, findings: ledger.findings,
                byReason: ledger.verdictsByReason)
        }
        looks.withLock { looks in
            (sight.wholeLooks, sight.cutLooks) = (looks.whole, looks.cut)
            sight.isCommitted = looks.isCommitted
        }
        sight.failure = failure.withLock { $0 }
        return sight
    }

    private func run(bootstrapServers: String) throws {
        func follow(_ topic: String) throws -> TopicFollower {
            try TopicFollower(
                topic: topic, group: SoakServers.group, bootstrapServers: bootstrapServers)
        }
        let requests = try follow(SoakServers.requests)
        let verdicts = try follow(SoakServers.verdicts)
        let deadLetters = try follow(SoakServers.deadLetters)
        while !isStopped.withLock({ $0 }) {
            do {
                try look(requests, verdicts, deadLetters)
            } catch let fault as Fault where fault.disposition == .retry {
                looks.withLock { $0.cut += 1 }
            }
            Thread.sleep(forTimeInterval: Self.rest)
        }
    }

    /// Reads in the order that the ledger asks for.
    ///
    /// Requests are read last, so that no answer can be ahead of them; while they can't be read to
    /// their end, the answers wait. While answers can't, nothing is said of committed offsets.
    private func look(
        _ requests: TopicFollower, _ verdicts: TopicFollower, _ deadLetters: TopicFollower
    ) throws {
        let positions = try requests.positions()
        let hasVerdicts = try verdicts.readOn(within: Self.patience)
        let hasDeadLetters = try deadLetters.readOn(within: Self.patience)
        guard try requests.readOn(within: Self.patience) else {
            return looks.withLock { $0.cut += 1 }
        }
        let isWhole = hasVerdicts && hasDeadLetters
        let (asked, letters, answers) = (requests.take(), deadLetters.take(), verdicts.take())
        try ledger.withLock { ledger in
            for record in asked { ledger.sent(record) }
            for record in letters { ledger.deadLettered(record) }
            for record in answers { try ledger.published(record) }
            if isWhole { ledger.committed(positions) }
        }
        looks.withLock { looks in
            if isWhole { looks.whole += 1 } else { looks.cut += 1 }
            looks.isCommitted =
                isWhole && positions.count == requests.partitionCount
                && positions.values.allSatisfy { $0.high == 0 || $0.committed == $0.high }
        }
    }
}
