import AppAttest
import AttestTestKit
import LibCrypto
import Testing
import Wire
import Worker

@Suite struct JudgeTests {
    /// What is judged of an honest assertion whose key is stored like this.
    private func reason(
        keyOf environment: AttestationEnvironment, appID: String = Scenario.appID
    ) throws -> Reason? {
        var device = Scenario.device(1)
        var scenario = Scenario()
        scenario.assert(&device, partition: 0)
        let stored = StoredKey(
            keyID: device.keyID, appID: appID, environment: environment,
            publicKey: device.publicKey, signCount: 0, subject: nil, status: .active)
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

    @Test func `a key of an app that is no longer configured is refused`() throws {
        #expect(try reason(keyOf: .production, appID: "T.gone") == .worker(.unknownApp))
    }
}
