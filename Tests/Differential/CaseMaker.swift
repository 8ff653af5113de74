import AppAttest
import AttestTestKit
import Foundation
import LibCrypto
import SeededNumbers

/// Mints objects with all that a verifier needs to judge them.
struct CaseMaker {
    private var random: SplitMix64
    private var made = 0
    private let authorities = [TestAuthority(seed: 1), TestAuthority(seed: 2)]
    private static let appIDs = ["TEAM123456.com.example.app", "TEAM123456.com.example.app.beta"]

    /// The same seed gives the same cases.
    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// An attestation, with one place of it changed afterwards if asked for.
    mutating func attestation(
        lie: AttestationLie?, _ knobs: Knobs, isChanged: Bool = false
    ) -> DifferentialCase {
        let device = device(knobs)
        let hash = clientDataHash(knobs)
        let attestation = device.attest(
            clientDataHash: hash, at: Instant(seconds: knobs.issued), lie: lie)
        var made = judged(device, attestation.keyID, hash, attestation.object, .attestation)
        made.at = knobs.issued + knobs.delay
        breakCondition(knobs.condition, of: &made)
        finish(&made, knobs, lie.map { "\($0)" }, isChanged)
        return made
    }

    /// An assertion, with one place of it changed afterwards if asked for.
    mutating func assertion(
        lie: AssertionLie?, _ knobs: Knobs, isChanged: Bool = false
    ) -> DifferentialCase {
        let device = device(knobs)
        let hash = clientDataHash(knobs)
        let assertion = device.assert(
            clientDataHash: hash, signCount: knobs.signCount, lie: lie)
        var made = judged(device, assertion.keyID, hash, assertion.object, .assertion)
        breakCondition(knobs.condition, of: &made)
        finish(&made, knobs, lie.map { "\($0)" }, isChanged)
        return made
    }

    /// Any knobs that attestations depend on.
    mutating func attestationKnobs() -> Knobs {
        .byChance(Knobs.ofAttestations, using: &random)
    }

    /// Any knobs that assertions depend on.
    mutating func assertionKnobs() -> Knobs {
        .byChance(Knobs.ofAssertions, using: &random)
    }

    /// Numbers of values, so that every two values of different knobs come together.
    mutating func pairs(lies: Int, _ values: [Knobs.Values]) -> [[Int]] {
        AllPairs.rows([lies] + values.map(\.count), using: &random)
    }

    private mutating func device(_ knobs: Knobs) -> SimulatedDevice {
        var device = SimulatedDevice(
            seed: .random(in: 0..<1000, using: &random), appID: Self.appIDs[0],
            environment: knobs.environment, shape: knobs.shape, authority: authorities[0])
        device.validationCategory = knobs.validationCategory ?? device.validationCategory
        device.bundleVersion = knobs.bundleVersion ?? device.bundleVersion
        if let count = knobs.codeDirectoryHashBytes {
            device.codeDirectoryHash = random.bytes(count)
        }
        return device
    }

    private mutating func clientDataHash(_ knobs: Knobs) -> ClientDataHash {
        ClientDataHash(exactly: random.bytes(knobs.clientDataHashBytes))
            ?? ClientDataHash(hashing: [])
    }

    /// The case of an object under conditions that it meets.
    private func judged(
        _ device: SimulatedDevice, _ keyID: KeyID, _ hash: ClientDataHash, _ object: [UInt8],
        _ kind: DifferentialCase.Kind
    ) -> DifferentialCase {
        DifferentialCase(
            id: "", kind: kind, appID: device.appID,
            environments: [device.environment.rawValue], root: Data(authorities[0].rootCertificate),
            keyID: Data(keyID.digest.bytes), publicKey: Data(device.publicKey),
            clientDataHash: Data(hash.bytes), object: Data(object), at: 0)
    }

    /// Makes a condition another than the object's.
    private mutating func breakCondition(
        _ condition: Knobs.Condition, of made: inout DifferentialCase
    ) {
        let environments = AttestationEnvironment.allCases.map(\.rawValue)
        switch condition {
        case .met: break
        case .bothEnvironments: made.environments = environments
        case .otherEnvironment:
            made.environments = environments.filter { !made.environments.contains($0) }
        case .otherRoot: made.root = Data(authorities[1].rootCertificate)
        case .otherApp: made.appID = Self.appIDs[1]
        case .otherKeyID: made.keyID = Data(random.bytes(32))
        case .otherClientData: made.clientDataHash = Data(random.bytes(32))
        case .otherKey:
            let other = SimulatedDevice(
                seed: 1000, appID: made.appID, authority: authorities[0])
            made.publicKey = Data(other.publicKey)
        }
    }

    /// Changes the object's bytes if asked for, and names the case.
    private mutating func finish(
        _ made: inout DifferentialCase, _ knobs: Knobs, _ lie: String?, _ isChanged: Bool
    ) {
        var words = ["\(made.kind)", "\(knobs.shape)", lie ?? "honest", "\(knobs.condition)"]
        if isChanged, !made.object.isEmpty {
            words.append(change(&made.object))
        }
        self.made += 1
        made.id = "\(self.made): " + words.joined(separator: ", ")
    }

    /// Changes one place, as often near the end, where authenticator data is, as anywhere.
    private mutating func change(_ object: inout Data) -> String {
        var bytes = Array(object)
        let end = bytes.count
        let start = isOneIn(2) ? 0 : max(0, end - 200)
        let place = Int.random(in: start..<end, using: &random)
        let name: String
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            bytes.removeSubrange(place...)
            name = "cut to \(place) bytes"
        case 1:
            bytes.remove(at: place)
            name = "byte \(place) removed"
        case 2:
            bytes.insert(.random(in: 0 ... .max, using: &random), at: place)
            name = "byte \(place) inserted"
        default:
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            bytes[place] ^= bit
            name = "byte \(place) changed by \(bit)"
        }
        object = Data(bytes)
        return name
    }

    private mutating func isOneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }
}
