import AppAttest
import AttestTestKit
import LibCrypto
import Testing
import Wire
import Worker

/// A judgement and a decision as pure functions: one batch, one partition, no lane.
struct PureDecision {
    /// The rules of the app.
    var rules = AppRules()
    /// What is stored of keys.
    var keys: [KeyID: StoredKey] = [:]
    /// How challenges are minted and taken.
    var challenges: ChallengePolicy?
    /// How artifacts are made and taken.
    var artifacts: ArtifactPolicy?
    /// How tokens are made and taken.
    var tokens: TokenPolicy?
    /// The app's tokens.
    var appTokens: AppTokens?
    /// What was used before that may be used once.
    var used: Set<Digest32> = []
    /// What was decided before.
    var inbox: [RequestIdentity: InboxEntry] = [:]
    /// The clock.
    var now = Scenario.now

    /// What a scenario's records are answered, and what is to be stored.
    func run(_ scenario: Scenario) throws -> (verdicts: [ReceivedVerdict], writes: BatchWrites) {
        var policy = try Scenario.policy(rules: rules, tokens: appTokens)
        policy.challenges = challenges
        policy.artifacts = artifacts
        policy.tokens = tokens
        var judge = Judge(policy: policy, messageLimits: MessageLimits())
        let records = scenario.records.map { (record: $0, decoded: judge.decode($0)) }
        let judged = judge.judge(records, keys: keys, now: now)
        let partition = TopicPartition(topic: Scenario.topic, partition: 0)
        let row = Progress(
            epoch: 1, nextOffset: 0, publishedOffset: 0, lastTimestampMilliseconds: 0)
        var state = BatchState(progress: [partition: row], keys: keys)
        state.used = used
        state.inbox = inbox
        let (writes, decided) = Decision.decide(
            judged,
            owned: [partition: OwnedPartition(epoch: 1, nextOffset: 0, publishedOffset: 0)],
            state: state, policy: policy)
        let verdicts = try decided.answers.map { answer in
            guard case .verdict(let bytes, _, _) = answer else {
                throw ScenarioProblem(text: "no verdict but \(answer)")
            }
            return try ReceivedVerdict(parsing: bytes)
        }
        return (verdicts, try #require(writes))
    }

    /// What the one request of a scenario is answered.
    func verdict(_ scenario: Scenario) throws -> ReceivedVerdict {
        try #require(try run(scenario).verdicts.first)
    }
}

extension StoredKey {
    /// A device's row, as a registration some days ago left it.
    init(of device: SimulatedDevice, signCount: UInt32 = 0, daysAgo days: Int32 = 0) {
        let day = Day(number: Day(Scenario.now).number - days)
        self.init(
            keyID: device.keyID, appID: device.appID, environment: device.environment,
            publicKey: device.publicKey, signCount: signCount, subject: nil, status: .active,
            attestedBy: .apple, attestedOn: day, lastUsedOn: day)
    }
}
