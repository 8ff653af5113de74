import AppAttest
import AttestTestKit
import FoundationEssentials
import LibCrypto
import RecordedVectors
import Testing
import Wire
import Worker

/// The policies on bytes that devices made.
///
/// More of them may lie in a folder beside the repository; the tests run over what is there.
@Suite struct RecordedPolicyTests {
    private static let attestations = try? RecordedVectors.all(.attestation).filter {
        $0.expected.outcome == "accept"
    }

    /// What the worker answers to a recorded attestation of an app with these rules.
    private func verdict(
        _ vector: RecordedVector, _ rules: AppRules
    ) throws -> ReceivedVerdict {
        let appID = try #require(vector.appID)
        let policy = Policy(
            apps: [
                AppPolicy(
                    relyingParty: RelyingParty(
                        appID: appID, environments: Set(AttestationEnvironment.allCases)),
                    rules: rules)
            ], maxRequestAge: .seconds(300), maxClockSkew: .seconds(300))
        let instant = Instant(milliseconds: try #require(try vector.validationMilliseconds()))
        let object = Base64.encode(Array(try #require(vector.attestation)))
        let keyID = Base64.encode(Array(try #require(vector.keyID)))
        let hash = Base64.encode(Array(try #require(vector.clientDataHash)))
        let json = #"{"attestation":"\#(object)","clientDataHash":"\#(hash)","keyId":"\#(keyID)"}"#
        let record = Record(
            place: RecordPlace(topic: Scenario.topic, partition: 0, offset: 0),
            timestampMilliseconds: instant.milliseconds, key: nil, value: Array(json.utf8),
            headers: [])
        var judge = Judge(policy: policy, messageLimits: MessageLimits())
        let judged = judge.judge([(record, judge.decode(record))], keys: [:], now: instant)
        let partition = TopicPartition(topic: Scenario.topic, partition: 0)
        let row = Progress(
            epoch: 1, nextOffset: 0, publishedOffset: 0, lastTimestampMilliseconds: 0)
        let decided = Decision.decide(
            judged,
            owned: [partition: OwnedPartition(epoch: 1, nextOffset: 0, publishedOffset: 0)],
            state: BatchState(progress: [partition: row]), policy: policy
        ).result
        guard case .verdict(let bytes, _, _) = decided.answers.first else {
            throw ScenarioProblem(text: "no verdict")
        }
        return try ReceivedVerdict(parsing: bytes)
    }

    @Test func `policies say of recorded attestations what their bytes tell`() throws {
        let attestations = try #require(Self.attestations)
        #expect(attestations.count > 20)
        var required = AppRules()
        required.validationCategories.presence = .required
        var store = AppRules()
        store.validationCategories.allow = [.number(4)]
        var phones = AppRules()
        phones.platforms.allow = [.iOS]
        for vector in attestations {
            let plain = try verdict(vector, AppRules())
            #expect(plain.outcome == "accepted", "\(vector)")
            // A hash that is not 32 bytes can't be sent, and no vector has one.
            let category = plain.validationCategory
            let isAnnounced = plain.extensionsAnnounced == true
            #expect(
                try verdict(vector, required).reason
                    == (isAnnounced ? nil : "validation_category_missing"), "\(vector)")
            #expect(
                try verdict(vector, store).reason
                    == (category == nil || category == 4
                        ? nil : "validation_category_not_allowed"),
                "\(vector)")
            #expect(
                try verdict(vector, phones).reason
                    == (plain.platform == "macosx" ? "platform_not_allowed" : nil), "\(vector)")
        }
        #expect(attestations.contains { $0.name.contains("ios-27") })
    }
}
