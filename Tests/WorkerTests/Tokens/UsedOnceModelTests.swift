import AppAttest
import AttestTestKit
import SampleKeys
import SeededNumbers
import Testing
import Wire

@testable import Worker

/// Challenges and tokens that serve once, through the lane, against a model that decides one
/// request after the other.
@Suite struct UsedOnceModelTests {
    private static let tokens = TokenSamples.policy(SampleKeys.rsa)

    /// What a reader of the contract would write down.
    private struct Model {
        var usedChallenges: Set<UInt8> = []
        var consumed: Set<String> = []

        mutating func answer(_ challenge: Challenge) -> String {
            if let fault = challenge.fault { return fault }
            return usedChallenges.insert(challenge.number).inserted
                ? "accepted" : "challenge_used"
        }

        mutating func answer(_ token: Token) -> String {
            if let fault = token.fault { return fault }
            return consumed.insert(token.id).inserted ? "accepted" : "already consumed"
        }
    }

    private struct Challenge {
        let number: UInt8
        let bytes: [UInt8]
        let fault: String?
    }

    private struct Token {
        let id: String
        let text: String
        let fault: String?
    }

    /// Few of each, so that each is tried again and again.
    private static let challenges: [Challenge] =
        (0..<4).map {
            Challenge(number: $0, bytes: ChallengeSamples.challenge($0).bytes, fault: nil)
        } + [
            Challenge(
                number: 4, bytes: ChallengeSamples.challenge(4, purpose: .registration).bytes,
                fault: "challenge_wrong_purpose"),
            Challenge(
                number: 5, bytes: ChallengeSamples.challenge(5, expiresIn: 0).bytes,
                fault: "challenge_expired"),
            Challenge(number: 6, bytes: [1, 2, 3], fault: "challenge_unknown"),
        ]

    private static let allTokens: [Token] =
        (0..<4).map { number -> Token in
            let id = "token \(number)"
            return Token(id: id, text: TokenSamples.token(id, by: tokens), fault: nil)
        } + [
            Token(
                id: "", text: TokenSamples.token(nil, by: tokens), fault: "token_not_limited_use"),
            Token(
                id: "late", text: TokenSamples.token("late", by: tokens, expiresIn: -1),
                fault: "token_expired"),
            Token(
                id: "other", text: TokenSamples.token("other", by: tokens) { $0.subject = "x" },
                fault: "token_invalid"),
        ]

    /// Requests drawn from a seed: assertions with challenges, tokens to be consumed, and
    /// earlier requests once more, all in one partition: their order is theirs.
    private func scenario(
        _ random: inout SplitMix64, requests: Int = 40
    ) throws -> Scenario {
        var scenario = Scenario()
        var model = Model()
        var devices = (541...543).map { Scenario.device(UInt64($0)) }
        for (number, device) in devices.enumerated() {
            let content = ChallengeSamples.challenge(UInt8(100 + number)).bytes
            let minted = device.attest(
                clientDataHash: ClientDataHash(hashing: content), at: Scenario.now)
            scenario.request(
                "attestation", minted.object, of: device, clientData: content, partition: 0,
                answer: "accepted")
        }
        for _ in 0..<requests {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let index = Int.random(in: 0..<devices.count, using: &random)
                let challenge = try #require(Self.challenges.randomElement(using: &random))
                let minted = devices[index].assert(
                    clientDataHash: ClientDataHash(hashing: challenge.bytes))
                let answer = model.answer(challenge)
                scenario.request(
                    "assertion", minted.object, of: devices[index], clientData: challenge.bytes,
                    partition: 0, answer: answer,
                    signCount: answer == "accepted" ? minted.signCount : nil)
            case 5...8:
                let token = try #require(Self.allTokens.randomElement(using: &random))
                scenario.serve(
                    #""type":"consume","token":"\#(token.text)""#, answer: model.answer(token))
            default:
                let again = try #require(scenario.records.randomElement(using: &random))
                scenario.append(again.value, partition: 0, id: scenario.name(of: again))
            }
        }
        return scenario
    }

    @Test(arguments: 1...16)
    func `whatever the batches, challenges and tokens serve once`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let scenario = try scenario(&random)
        let policy = try TokenSamples.fullPolicy(Self.tokens)
        for batch in [1, 2, 7, 100] {
            let world = LaneWorld(scenario)
            #expect(world.finish(batch: batch, policy: policy) == nil)
            try world.checkOracle("seed \(seed), batch \(batch)")
        }
    }

    /// Each point at which a lane may die, with another that takes over.
    @Test(arguments: [2, 100])
    func `a death uses nothing up for nobody`(batch: Int) throws {
        let death = Fault(
            operation: "any", code: "died", disposition: .stop(.software), message: "it dies here")
        var random = SplitMix64(seed: 77)
        let scenario = try scenario(&random, requests: 14)
        let policy = try TokenSamples.fullPolicy(Self.tokens)
        var point = 0
        while true {
            let world = LaneWorld(scenario)
            let member = world.kafka.join()
            world.kafka.assign(world.partitions, to: member)
            var passed = 0
            let end = world.runLane(batch: batch, member: member, policy: policy) {
                (_) throws(Fault) in
                passed += 1
                if passed == point + 1 { throw death }
            }
            if end != nil { #expect(world.finish(batch: batch, policy: policy) == nil) }
            try world.checkOracle("batch \(batch), point \(point)")
            guard passed > point else { break }
            point += 1
        }
        #expect(point > 10, "the enumeration covers the run")
    }

    /// Two lanes on two partitions, in every order of their effects.
    @Test func `one of two lanes has the token, and one the challenge, in any order`() throws {
        var scenario = Scenario()
        let token = TokenSamples.token("raced", by: Self.tokens)
        let challenge = ChallengeSamples.challenge(9).bytes
        for partition in Int32(0)...1 {
            scenario.serve(
                #""type":"consume","token":"\#(token)""#, partition: partition,
                id: "consume \(partition)", answer: nil)
        }
        scenario.races = [
            Race(requestIDs: ["consume 0", "consume 1"], loser: "already consumed")
        ]
        try explore(scenario, "a token")

        var other = Scenario()
        for partition in Int32(0)...1 {
            let device = Scenario.device(UInt64(550 + partition))
            let minted = device.attest(
                clientDataHash: ClientDataHash(hashing: challenge), at: Scenario.now)
            other.request(
                "attestation", minted.object, of: device, clientData: challenge,
                partition: partition, id: "register \(partition)", answer: nil)
        }
        other.races = [
            Race(requestIDs: ["register 0", "register 1"], loser: "challenge_used")
        ]
        try explore(other, "a challenge")
    }

    private func explore(_ scenario: Scenario, _ name: String) throws {
        let policy = try TokenSamples.fullPolicy(Self.tokens)
        let counts = try Explorer.explore(
            Encounter(
                name: name, scenario: scenario, batches: [1, 1], firstOwners: [0: 0, 1: 1],
                turns: []), policy: policy)
        #expect(counts.ends > 0)
        #expect(counts.deepEnds == 0, "the interleavings are gone through to their ends")
    }
}
