import AppAttest
import AttestTestKit
import Testing
import Wire
import Worker

/// How old a request, an attestation and the last use of a key may be.
@Suite struct FreshnessTests {
    private func reason(
        _ rules: AppRules, _ key: StoredKey, _ device: SimulatedDevice,
        now: Instant = Scenario.now
    ) throws -> ReceivedVerdict {
        var device = device
        var scenario = Scenario()
        scenario.assert(&device, partition: 0)
        return try PureDecision(rules: rules, keys: [key.keyID: key], now: now).verdict(scenario)
    }

    @Test(arguments: [
        (Int64(-61_000), "request_from_the_future"), (-60_000, nil), (0, nil), (3_600_000, nil),
        (3_600_001, "request_too_old"),
    ])
    func `an app may want fresher requests than the worker takes`(
        age: Int64, reason expected: String?
    ) throws {
        var rules = AppRules()
        rules.requestTime.maxAge = .seconds(3600)
        rules.requestTime.maxSkew = .seconds(60)
        let device = Scenario.device(95)
        let now = Instant(milliseconds: Scenario.now.milliseconds + age)
        let key = StoredKey(of: device)
        #expect(try reason(rules, key, device, now: now).reason == expected)
        #expect(try reason(AppRules(), key, device, now: now).reason == nil)
        rules.requestTime.mode = .report
        let reported = try reason(rules, key, device, now: now)
        #expect(reported.outcome == "accepted")
        #expect(reported.wouldReject == expected.map { [$0] })
    }

    @Test(arguments: [(Int32(90), false), (91, true)])
    func `an assertion long after the attestation asks for another one`(
        days: Int32, isTooOld: Bool
    ) throws {
        var rules = AppRules()
        rules.attestationAge.maxDays = 90
        let device = Scenario.device(96)
        var key = StoredKey(of: device, daysAgo: days)
        key.lastUsedOn = Day(Scenario.now)
        let verdict = try reason(rules, key, device)
        #expect(verdict.reason == (isTooOld ? "attestation_too_old" : nil))
        #expect(verdict.action == (isTooOld ? "reattest" : nil))
        #expect(verdict.retryable == (isTooOld ? true : nil))
        rules.attestationAge.mode = .report
        let reported = try reason(rules, key, device)
        #expect(reported.action == nil)
        #expect(reported.wouldReject == (isTooOld ? ["attestation_too_old"] : nil))
    }

    @Test(arguments: [(Int32(30), false), (31, true)])
    func `a key that lay idle asks for an attestation`(days: Int32, isIdle: Bool) throws {
        var rules = AppRules()
        rules.idleTime.maxDays = 30
        let device = Scenario.device(97)
        var key = StoredKey(of: device, daysAgo: days)
        let verdict = try reason(rules, key, device)
        #expect(verdict.reason == (isIdle ? "key_idle" : nil))
        #expect(verdict.action == (isIdle ? "reattest" : nil))
        // Nothing is known of a key that an earlier version stored: it is not locked out.
        key.lastUsedOn = nil
        #expect(try reason(rules, key, device).reason == nil)
    }

    @Test func `attesting again makes an old key fresh, in the same batch and after it`() throws {
        var rules = AppRules()
        rules.attestationAge.maxDays = 90
        rules.idleTime.maxDays = 30
        var device = Scenario.device(98)
        let key = StoredKey(of: device, signCount: 4, daysAgo: 400)
        var scenario = Scenario()
        scenario.assert(&device, partition: 0)
        scenario.register(device, partition: 0)
        for _ in 1...4 { scenario.assert(&device, partition: 0) }
        let (verdicts, writes) = try PureDecision(rules: rules, keys: [key.keyID: key])
            .run(scenario)
        #expect(
            verdicts.map { $0.reason ?? $0.outcome } == [
                "counter_not_increasing", "accepted", "counter_not_increasing",
                "counter_not_increasing", "counter_not_increasing", "accepted",
            ])
        let today = Day(Scenario.now)
        #expect(
            writes.uses == [
                key.keyID: KeyUse(signCount: 5, usedOn: today, attestedOn: today)
            ])
    }

    @Test func `an assertion writes its day, and never an earlier one`() throws {
        var device = Scenario.device(99)
        var scenario = Scenario()
        scenario.assert(&device, partition: 0)
        var key = StoredKey(of: device, daysAgo: 3)
        let today = Day(Scenario.now)
        func written() throws -> KeyUse? {
            try PureDecision(keys: [key.keyID: key]).run(scenario).writes.uses[key.keyID]
        }
        #expect(try written() == KeyUse(signCount: 1, usedOn: today))
        key.lastUsedOn = Day(number: today.number + 1)
        #expect(try written() == KeyUse(signCount: 1, usedOn: key.lastUsedOn))
    }

    @Test(arguments: [
        (Int64(0), Int32(0)), (-1, -1), (86_399_999, 0), (86_400_000, 1), (-86_400_000, -1),
        (-86_400_001, -2), (.max, .max), (.min, .min),
    ])
    func `a day is that in UTC, before 1970 too`(milliseconds: Int64, number: Int32) {
        #expect(Day(Instant(milliseconds: milliseconds)).number == number)
    }
}
