import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import SeededNumbers
import Wire
import Worker

/// A kind of record, as a part of a small batch.
enum MixPart: String, CaseIterable, Sendable {
    /// An honest assertion of one key.
    case first
    /// An honest assertion of another.
    case second
    /// The last assertion of the one key again, under its own id.
    case repeated
    /// The last assertion of the one key again, under a new id.
    case replayed
    /// The id of the last assertion of the one key with other content.
    case conflicting
    /// A request that can be answered and not be judged.
    case malformed
    /// A record in which no request can be read.
    case unreadable
    /// Two honest assertions of one key, the later one first; for an app with a replay window.
    case overtaken

    /// Those for an app without a replay window.
    static let strict = allCases.filter { $0 != .overtaken }
}

/// Makes scenarios of a few parts, over two keys that are registered before.
struct Mixer {
    /// The device of the one key.
    var first: SimulatedDevice { devices[0] }

    private let replayed: WorkerReason

    private let devices = [Scenario.device(71), Scenario.device(72)]
    private let known: [KeyID: KeyRegistration]

    /// Registers the two keys, once for all scenarios.
    init(policy: Policy) throws {
        let isStrict = policy.apps.values.allSatisfy { $0.rules.replayWindow == 0 }
        replayed = isStrict ? .counterNotIncreasing : .counterReplayed
        var scenario = Scenario()
        for device in devices { scenario.register(device, partition: 0) }
        let world = LaneWorld(scenario)
        guard world.finish(batch: 2, policy: policy) == nil, world.database.rows.keys.count == 2
        else { throw ScenarioProblem(text: "the two keys can't be registered") }
        known = world.database.rows.keys
    }

    /// The scenario of these parts, in one partition.
    ///
    /// What is repeated, replayed or in conflict before any assertion of the one key is sent as an
    /// assertion: there is nothing else it could be.
    func scenario(_ parts: [MixPart]) -> Scenario {
        var scenario = Scenario()
        scenario.knownKeys = known
        var (one, two) = (devices[0], devices[1])
        var last: SentAssertion?
        for part in parts {
            switch (part, last) {
            case (.second, _): scenario.assert(&two, partition: 0)
            case (.malformed, _): malformed(in: &scenario, of: one)
            case (.unreadable, _): scenario.garbage(partition: 0)
            case (.overtaken, _):
                let late = scenario.mint(&one)
                last = scenario.assert(&one, partition: 0)
                scenario.send(late, of: one, partition: 0, id: late.id, answer: "accepted")
            case (.first, _), (_, nil): last = scenario.assert(&one, partition: 0)
            case (.repeated, let sent?):
                scenario.send(sent, of: one, partition: 0, id: sent.id, answer: nil)
            case (.replayed, let sent?):
                scenario.send(
                    sent, of: one, partition: 0, id: nil,
                    answer: replayed.rawValue)
            case (.conflicting, let sent?):
                let other = Array("other \(scenario.records.count)".utf8)
                let minted = one.assert(
                    clientDataHash: ClientDataHash(hashing: other), signCount: 99)
                scenario.request(
                    "assertion", minted.object, of: one, clientData: other, partition: 0,
                    id: sent.id, answer: nil)
                scenario.conflicts += 1
            }
        }
        return scenario
    }

    private func malformed(in scenario: inout Scenario, of device: SimulatedDevice) {
        scenario.request(
            "assertion", Array("no assertion".utf8), of: device, clientData: [1], partition: 0,
            answer: RejectionCode.malformedCBOR.rawValue)
    }

    /// All sequences of so many parts.
    static func sequences(
        of count: Int, _ parts: [MixPart] = MixPart.strict
    ) -> [[MixPart]] {
        (0..<count).reduce([[]]) { sequences, _ in
            sequences.flatMap { sequence in parts.map { sequence + [$0] } }
        }
    }
}
