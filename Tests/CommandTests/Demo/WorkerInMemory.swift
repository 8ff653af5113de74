import AppAttest
import AttestTestKit
import LibCrypto
import Testing
import Wire
import Worker

@testable import attest_worker

/// What a lane would answer to planned requests, without a broker or a database: one partition,
/// one batch.
struct WorkerInMemory {
    /// The answer to one record.
    enum Answer {
        case verdict(Record)
        case deadLetter(Record)
    }

    /// When the records are sent and judged.
    static let now = Instant(milliseconds: 1_796_000_000_000)

    /// Answers a plan's requests in their order.
    static func answers(
        to requests: [PlannedRequest], of plan: RequestPlan, appID: String = DemoPlan.appID
    ) throws -> [Answer] {
        let anchor = try #require(TrustAnchor(der: plan.settings.authority.rootCertificate))
        let policy = Policy(
            apps: [
                AppPolicy(
                    relyingParty: RelyingParty(
                        appID: appID, environments: [.production], trustAnchor: anchor),
                    isSimulated: true)
            ],
            maxRequestAge: .seconds(7 * 86_400), maxClockSkew: .seconds(300))
        var judge = Judge(policy: policy, messageLimits: MessageLimits())
        let records = requests.enumerated().map { record($0.element, offset: Int64($0.offset)) }
        let judged = judge.judge(records.map { ($0, judge.decode($0)) }, keys: [:], now: now)
        let partition = TopicPartition(topic: "requests", partition: 0)
        let progress = Progress(
            epoch: 1, nextOffset: 0, publishedOffset: 0, lastTimestampMilliseconds: 0)
        let decided = Decision.decide(
            judged,
            owned: [partition: OwnedPartition(epoch: 1, nextOffset: 0, publishedOffset: 0)],
            state: BatchState(progress: [partition: progress]), policy: policy
        ).result
        return try zip(judged, decided.answers).map { judged, answer in
            switch answer {
            case .verdict(let bytes, let id, let isRepeat):
                let message = VerdictMessage.record(
                    verdict: bytes, verdictID: id, keyID: judged.keyID,
                    requestHeaders: judged.record.headers,
                    trace: RequestTrace(
                        headers: judged.record.headers, value: nil, limits: MessageLimits()),
                    isRedelivered: isRepeat, consumerGroup: "group")
                return .verdict(
                    answered(message.key, message.value, message.headers, judged.record.place))
            case .deadLetter(let cause):
                let letter = DeadLetter(
                    key: judged.record.key, value: judged.record.value,
                    headers: judged.record.headers,
                    origin: DeadLetter.Origin(
                        place: judged.record.place, timestampMilliseconds: nil,
                        consumerGroup: "group"), cause: cause)
                return .deadLetter(
                    answered(letter.key, letter.value, letter.headers, judged.record.place))
            case .nothing:
                throw NothingAnswered()
            }
        }
    }

    struct NothingAnswered: Error {}

    private static func record(_ request: PlannedRequest, offset: Int64) -> Record {
        Record(
            place: RecordPlace(topic: "requests", partition: 0, offset: offset),
            timestampMilliseconds: now.milliseconds - request.age.microseconds / 1000,
            key: request.key, value: request.value, headers: request.headers)
    }

    private static func answered(
        _ key: [UInt8]?, _ value: [UInt8]?, _ headers: [Header], _ place: RecordPlace
    ) -> Record {
        Record(
            place: place, timestampMilliseconds: nil, key: key, value: value, headers: headers)
    }
}

/// A plan of few devices, and all its requests.
struct SmallDemo: Sendable {
    let plan: DemoPlan
    let requests: [PlannedRequest]

    /// The one that most tests look at: minting takes a moment.
    static let shared = SmallDemo()

    init(devices: Int = 6, requests: Int = 120, seed: UInt64 = 7) {
        var options = DemoOptions()
        options.devices = devices
        options.requests = requests
        options.seed = seed
        var plan = DemoPlan(options, now: WorkerInMemory.now)
        var all: [PlannedRequest] = []
        while let request = plan.next() { all.append(request) }
        self.plan = plan
        self.requests = all
    }

    /// What a worker in memory answers.
    func answers() throws -> [WorkerInMemory.Answer] {
        try WorkerInMemory.answers(to: requests, of: plan.plan)
    }
}

extension Tally {
    /// Takes an answer of a worker in memory.
    mutating func received(_ answer: WorkerInMemory.Answer, at time: Duration) {
        switch answer {
        case .verdict(let record): receivedVerdict(record, at: time)
        case .deadLetter(let record): receivedDeadLetter(record, at: time)
        }
    }
}
