import AppAttest
import AttestTestKit
import LibCrypto
import Testing
import Wire
import Worker

@Suite struct JudgeTests {
    /// What is judged of an honest assertion whose key is stored like this.
    private func reason(
        keyOf environment: AttestationEnvironment, appID: String = Scenario.appID,
        attestedBy authority: KeyAuthority = .apple
    ) throws -> Reason? {
        var device = Scenario.device(1)
        var scenario = Scenario()
        scenario.assert(&device, partition: 0)
        let stored = StoredKey(
            keyID: device.keyID, appID: appID, environment: environment,
            publicKey: device.publicKey, signCount: 0, subject: nil, status: .active,
            attestedBy: authority)
        var judge = try Judge(policy: Scenario.policy(), messageLimits: MessageLimits())
        let records = scenario.records.map { (record: $0, decoded: judge.decode($0)) }
        let judged = judge.judge(records, keys: [device.keyID: stored], now: Scenario.now)
        guard case .refused(let reason) = try #require(judged.first).claim else { return nil }
        return reason
    }

    /// Policy may have become stricter since, or another deployment shares the database.
    @Test func `a key of an environment that the app does not allow is refused`() throws {
        #expect(try reason(keyOf: .production) == nil)
        #expect(try reason(keyOf: .development) == .verification(.environmentMismatch))
    }

    /// Its app was simulated once and is a real one now: whoever held that root holds the key.
    @Test func `a key that another root attested is not one of the app's keys`() throws {
        #expect(try reason(keyOf: .production, attestedBy: .simulated) == .worker(.unknownKey))
    }

    @Test func `a key of an app that is no longer configured is refused`() throws {
        #expect(try reason(keyOf: .production, appID: "T.gone") == .worker(.unknownApp))
    }

    private func reason(timestamp: Int64?, bound: Duration) throws -> Reason? {
        var device = Scenario.device(1)
        var scenario = Scenario()
        scenario.assert(&device, partition: 0)
        let sent = try #require(scenario.records.first)
        let record = Record(
            place: sent.place, timestampMilliseconds: timestamp, key: sent.key, value: sent.value,
            headers: [])
        let policy = Policy(apps: [], maxRequestAge: bound, maxClockSkew: bound)
        var judge = Judge(policy: policy, messageLimits: MessageLimits())
        let judged = judge.judge(
            [(record: record, decoded: judge.decode(record))], keys: [:], now: Scenario.now)
        guard case .refused(let reason) = try #require(judged.first).claim else { return nil }
        return reason
    }

    @Test(
        arguments: [
            (nil, .requestTimeUnknown), (.min, .requestTooOld), (-1, .requestTooOld),
            (.max, .requestFromTheFuture),
        ] as [(Int64?, WorkerReason)])
    func `a record of no time, or of one far away, is refused`(
        timestamp: Int64?, expected: WorkerReason
    ) throws {
        #expect(try reason(timestamp: timestamp, bound: .seconds(300)) == .worker(expected))
    }

    /// A bound beyond what an instant can hold is no bound.
    @Test(arguments: [Int64.min, 0, .max])
    func `however far away, it is judged where policy allows it`(timestamp: Int64) throws {
        for seconds: Int64 in [.max, .max / 1000 + 1, .max / 1000] {
            let bound = Duration.seconds(seconds) + .milliseconds(900)
            #expect(try reason(timestamp: timestamp, bound: bound) == .worker(.unknownKey))
        }
    }
}
