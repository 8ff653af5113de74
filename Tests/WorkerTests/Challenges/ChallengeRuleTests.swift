import AppAttest
import AttestTestKit
import LibCrypto
import Testing
import Wire
import Worker

/// Challenges that the workers see to: minted by one of the secrets, for this, in time, once.
@Suite struct ChallengeRuleTests {
    private var pure = PureDecision()

    init() {
        pure.rules.challenge = .signed
        pure.challenges = ChallengeSamples.policy
    }

    /// What one assertion is answered whose client data is that.
    private func answer(
        _ clientData: [UInt8], used: Set<Digest32> = [], field: String = "challenge"
    ) throws -> (verdict: ReceivedVerdict, once: [UsedOnce]) {
        var device = Scenario.device(301)
        var pure = pure
        pure.keys = [device.keyID: StoredKey(of: device)]
        pure.used = used
        pure.challenges?.field = field
        var scenario = Scenario()
        scenario.assert(&device, clientData: clientData)
        let (verdicts, writes) = try pure.run(scenario)
        return (try #require(verdicts.first), writes.once)
    }

    @Test func `a challenge is found as bytes, as text and in JSON`() throws {
        let challenge = ChallengeSamples.challenge(1)
        let text = Base64.encode(challenge.bytes)
        for clientData in [
            challenge.bytes, Array(text.utf8),
            Array(#"{"amount":5,"challenge":"\#(text)"}"#.utf8),
        ] {
            let (verdict, once) = try answer(clientData)
            #expect(verdict.outcome == "accepted")
            #expect(once == [UsedOnce(challenge)])
        }
        #expect(try answer(Array(#"{"nonce":"\#(text)"}"#.utf8), field: "nonce").once.count == 1)
    }

    @Test func `a challenge that can't be told is refused`() throws {
        let text = Base64.encode(ChallengeSamples.challenge(1).bytes)
        for json in [
            #"{"nonce":"\#(text)"}"#, #"{"challenge":"\#(text)","challenge":"\#(text)"}"#,
            #"{"challenge":["\#(text)"]}"#, #"{"challenge":"\#(text) "}"#, "hello", "[]",
        ] {
            let (verdict, once) = try answer(Array(json.utf8))
            #expect(verdict.reason == "challenge_unknown", "\(json)")
            #expect(verdict.action == "new_challenge")
            #expect(once.isEmpty)
        }
    }

    @Test(arguments: [
        (ChallengeSamples.challenge(1, purpose: .assertion), nil),
        (ChallengeSamples.challenge(1, secrets: ChallengeSamples.ring("old")), nil),
        (
            ChallengeSamples.challenge(1, secrets: ChallengeSamples.ring("other")),
            "challenge_unknown"
        ),
        (ChallengeSamples.challenge(1, appID: "1234567890.com.example.other"), "challenge_unknown"),
        (ChallengeSamples.challenge(1, purpose: .registration), "challenge_wrong_purpose"),
        (ChallengeSamples.challenge(1, expiresIn: 1), nil),
        (ChallengeSamples.challenge(1, expiresIn: 0), "challenge_expired"),
    ])
    func `a challenge is judged at the record's timestamp`(
        challenge: SignedChallenge, reason: String?
    ) throws {
        #expect(try answer(challenge.bytes).verdict.reason == reason)
        // The clock has nothing to do with it.
        var later = self
        later.pure.now = Instant(milliseconds: Scenario.now.milliseconds + 3_600_000)
        #expect(try later.answer(challenge.bytes).verdict.reason == reason)
    }

    @Test func `a challenge that was used before is refused, and not used again`() throws {
        let challenge = ChallengeSamples.challenge(1)
        let (verdict, once) = try answer(
            challenge.bytes, used: [UsedOnce(challenge).id])
        #expect(verdict.reason == "challenge_used")
        #expect(verdict.action == "new_challenge")
        #expect(verdict.retryable == false)
        #expect(once.isEmpty)
    }

    @Test func `two keys of one batch can't use the same challenge`() throws {
        var (first, second) = (Scenario.device(302), Scenario.device(303))
        let challenge = ChallengeSamples.challenge(2)
        var pure = pure
        pure.keys = [first.keyID: StoredKey(of: first), second.keyID: StoredKey(of: second)]
        var scenario = Scenario()
        scenario.assert(&first, clientData: challenge.bytes)
        scenario.assert(&second, clientData: challenge.bytes)
        let (verdicts, writes) = try pure.run(scenario)
        #expect(verdicts.map(\.reason) == [nil, "challenge_used"])
        #expect(writes.once == [UsedOnce(challenge)])
        #expect(writes.uses.keys.contains(first.keyID))
        #expect(!writes.uses.keys.contains(second.keyID))
    }

    @Test func `what is refused for another reason uses no challenge`() throws {
        var device = Scenario.device(304)
        let challenge = ChallengeSamples.challenge(3)
        var pure = pure
        pure.keys = [device.keyID: StoredKey(of: device, signCount: 9)]
        var scenario = Scenario()
        scenario.assert(&device, clientData: challenge.bytes)
        let (verdicts, writes) = try pure.run(scenario)
        #expect(verdicts.map(\.reason) == ["counter_not_increasing"])
        #expect(writes.once.isEmpty)
    }

    @Test func `a registration uses its challenge too`() throws {
        let device = Scenario.device(305)
        for (purpose, reason) in [
            (SignedChallenge.Purpose.any, nil), (.registration, nil),
            (.assertion, "challenge_wrong_purpose"),
        ] {
            let challenge = ChallengeSamples.challenge(4, purpose: purpose)
            var scenario = Scenario()
            scenario.register(device, clientData: challenge.bytes)
            let (verdicts, writes) = try pure.run(scenario)
            #expect(verdicts.map(\.reason) == [reason])
            #expect(writes.once == (reason == nil ? [UsedOnce(challenge)] : []))
        }
    }

    @Test func `an app whose gateway sees to challenges is not asked`() throws {
        var external = self
        external.pure.rules.challenge = .external
        let (verdict, once) = try external.answer([1, 2, 3])
        #expect(verdict.outcome == "accepted")
        #expect(once.isEmpty)
    }

    @Test func `without a secret nothing passes`() throws {
        var without = self
        without.pure.challenges = nil
        let verdict = try without.answer(ChallengeSamples.challenge(1).bytes).verdict
        #expect(verdict.reason == "challenge_unknown")
    }
}

/// Secrets, and challenges made with them.
enum ChallengeSamples {
    static func ring(_ names: String...) -> SecretKeyRing {
        let secrets = names.map { SHA256.hash(Array($0.utf8)).bytes }
        guard let first = secrets.first,
            let ring = SecretKeyRing(current: first, previous: Array(secrets.dropFirst()))
        else { preconditionFailure("the tests' secrets are of the right size") }
        return ring
    }

    static let policy = ChallengePolicy(
        secrets: ring("new", "old"), lifetime: .seconds(300), field: "challenge")

    static func challenge(
        _ number: UInt8, appID: String = Scenario.appID, purpose: SignedChallenge.Purpose = .any,
        expiresIn milliseconds: Int64 = 300_000, secrets: SecretKeyRing = ring("new")
    ) -> SignedChallenge {
        guard
            let challenge = SignedChallenge(
                appID: appID, purpose: purpose,
                expiry: Instant(milliseconds: Scenario.now.milliseconds + milliseconds),
                random: [UInt8](repeating: number, count: SignedChallenge.randomByteCount),
                secrets: secrets)
        else { preconditionFailure("sixteen bytes are what it takes") }
        return challenge
    }
}

extension Scenario {
    /// An assertion over this client data, for a test that looks at its verdict.
    mutating func assert(
        _ device: inout SimulatedDevice, clientData: [UInt8], partition: Int32 = 0
    ) {
        let minted = device.assert(clientDataHash: ClientDataHash(hashing: clientData))
        request(
            "assertion", minted.object, of: device, clientData: clientData, partition: partition,
            answer: nil)
    }

    /// A registration over this client data, for a test that looks at its verdict.
    mutating func register(
        _ device: SimulatedDevice, clientData: [UInt8], partition: Int32 = 0
    ) {
        let minted = device.attest(
            clientDataHash: ClientDataHash(hashing: clientData), at: Self.now)
        request(
            "attestation", minted.object, of: device, clientData: clientData,
            partition: partition, answer: nil)
    }
}
