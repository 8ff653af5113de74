import AppAttest
import AttestTestKit
import Testing
import Wire
import Worker

/// What a lane answers to attestations with good, bad and missing receipts.
@Suite struct ReceiptPolicyTests {
    private static let lies: [ReceiptLie?] = [
        nil, .content(.old), .content(.otherClientDataHash), .signature(.contentChanged),
        .signature(.none),
    ]
    private static let codes: [RejectionCode?] = lies.map { $0?.rejection }

    private func rules(_ rule: ReceiptRule) -> AppRules {
        var rules = AppRules()
        rules.receipt = rule
        return rules
    }

    /// The verdicts on one registration for each lie.
    private func verdicts(
        _ rules: AppRules, answers: [String], judgesReceipts: Bool = true
    ) throws -> [ReceivedVerdict] {
        var scenario = Scenario()
        for (number, lie) in Self.lies.enumerated() {
            scenario.register(
                Scenario.device(UInt64(70 + number)), partition: 0, receiptLie: lie,
                answer: answers[number])
        }
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy(rules: rules, judgesReceipts: judgesReceipts)
        #expect(world.finish(batch: 10, policy: policy) == nil)
        try world.checkOracle("receipts")
        return try world.verdicts()
    }

    @Test func `an invalid receipt is told by default, and refuses nothing`() throws {
        #expect(AppRules().receipt == .ifValid)
        let verdicts = try verdicts(
            AppRules(), answers: Self.codes.map { _ in "accepted" })
        #expect(verdicts.map(\.receipt) == Self.codes.map { $0 == nil ? "valid" : "invalid" })
        #expect(verdicts.map(\.receiptReason) == Self.codes.map { $0?.rawValue })
    }

    @Test func `a required receipt that is invalid or missing refuses with its reason`() throws {
        let verdicts = try verdicts(
            rules(.required), answers: Self.codes.map { $0?.rawValue ?? "accepted" })
        #expect(verdicts.map(\.reason) == Self.codes.map { $0?.rawValue })
        #expect(verdicts.map(\.receiptReason) == Self.codes.map { $0?.rawValue })
        #expect(
            verdicts.map(\.reason)
                == [
                    nil, "receipt_too_old", "receipt_client_hash", "receipt_signature",
                    "receipt_missing",
                ])
        #expect(verdicts.dropFirst().allSatisfy { $0.retryable == false })
    }

    @Test func `an ignored receipt is not told`() throws {
        let verdicts = try verdicts(
            rules(.ignored), answers: Self.codes.map { _ in "accepted" })
        #expect(verdicts.allSatisfy { $0.receipt == nil && $0.receiptReason == nil })
    }

    /// A simulated app without a root of receipts.
    @Test func `without a root none is told, and none that is required is taken`() throws {
        let ifValid = try verdicts(
            AppRules(), answers: Self.codes.map { _ in "accepted" }, judgesReceipts: false)
        #expect(ifValid.allSatisfy { $0.receipt == nil })
        let required = try verdicts(
            rules(.required), answers: Self.codes.map { _ in "receipt_missing" },
            judgesReceipts: false)
        #expect(required.allSatisfy { $0.outcome == "rejected" })
    }

    @Test func `the age is the policy's, and counts from the record's timestamp`() throws {
        var rules = rules(.required)
        rules.receiptMaxAge = .seconds(600)
        let verdicts = try verdicts(
            rules,
            answers: Self.codes.map {
                $0 == .receiptTooOld ? "accepted" : $0?.rawValue ?? "accepted"
            })
        #expect(verdicts[1].receipt == "valid")
    }
}
