import AppAttest
import AttestTestKit
import Foundation
import LibCrypto
import SeededNumbers

/// Mints objects whose every knob is set by chance.
struct CaseMaker {
    private var random: SplitMix64
    private var made = 0
    private let authorities = [TestAuthority(seed: 1), TestAuthority(seed: 2)]
    private static let appIDs = ["TEAM123456.com.example.app", "TEAM123456.com.example.app.beta"]

    /// From the first attestations that were ever made to the end of the intermediate.
    private static let issueSeconds: Range<Int64> = 1_597_276_800..<1_899_500_000
    /// Seconds from the issue of an attestation to its judgement: mostly soon, and around the
    /// borders of short lifetimes and within or after long ones.
    private static let delays: [Int64] = [
        0, 0, 0, 1, -599, -601, -86_401, -86_400, -86_399, 86_399, 86_400, 86_401, 172_799,
        172_800, 172_801, 4_320_000, 16_588_800, 34_560_000,
    ]

    /// Under which conditions an object is minted and judged.
    enum Conditions {
        /// Under which it is accepted, if it neither lies nor is changed.
        case met
        /// Any of a device's knobs, any moment; and now and then a condition it does not meet.
        case byChance
    }

    /// The same seed gives the same cases.
    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// An attestation, with one place of it changed afterwards if asked for.
    mutating func attestation(
        lie: AttestationLie?, isChanged: Bool = false, _ conditions: Conditions
    ) -> DifferentialCase {
        let device = device(conditions)
        let hash = clientDataHash()
        let issued = Int64.random(in: Self.issueSeconds, using: &random)
        let attestation = device.attest(
            clientDataHash: hash, at: Instant(seconds: issued), lie: lie)
        var made = judged(device, attestation.keyID, hash, attestation.object, .attestation)
        made.at = issued
        if conditions == .byChance {
            made.at += element(of: Self.delays)
            breakCondition(&made)
        }
        finish(&made, "\(device.shape)", lie.map { "\($0)" }, isChanged)
        return made
    }

    /// An assertion, with one place of it changed afterwards if asked for.
    mutating func assertion(
        lie: AssertionLie?, isChanged: Bool = false, _ conditions: Conditions
    ) -> DifferentialCase {
        let device = device(conditions)
        let hash = clientDataHash()
        let assertion = device.assert(
            clientDataHash: hash, signCount: .random(in: 0 ... .max, using: &random), lie: lie)
        var made = judged(device, assertion.keyID, hash, assertion.object, .assertion)
        if conditions == .byChance { breakCondition(&made) }
        finish(&made, "\(device.shape)", lie.map { "\($0)" }, isChanged)
        return made
    }

    private mutating func device(_ conditions: Conditions) -> SimulatedDevice {
        var device = SimulatedDevice(
            seed: .random(in: 0..<1000, using: &random), appID: Self.appIDs[0],
            environment: element(of: AttestationEnvironment.allCases),
            shape: element(of: DeviceShape.allCases), authority: authorities[0])
        guard conditions == .byChance else { return device }
        device.validationCategory = element(of: [0, 1, 2, 3, 4, 5, 6, 10, 255, .max])
        device.bundleVersion = element(of: [
            "1314", "", "1.2.3 (β)", String(repeating: "1", count: 23),
            String(repeating: "2", count: 256), String(repeating: "é", count: 129),
        ])
        device.codeDirectoryHash = random.bytes(
            element(of: [0, 20, 32, 32, 32, 64, 65]))
        return device
    }

    /// A hash as Apple's text says, or what else an app may have handed over.
    private mutating func clientDataHash() -> ClientDataHash {
        let count = element(of: [32, 32, 32, 1, 20, 31, 64, ClientDataHash.bytesMax])
        return ClientDataHash(exactly: random.bytes(count)) ?? ClientDataHash(hashing: [])
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

    /// Makes a condition another than the object's, one time in four.
    private mutating func breakCondition(_ made: inout DifferentialCase) {
        if isOneIn(4) { made.environments = AttestationEnvironment.allCases.map(\.rawValue) }
        switch Int.random(in: 0..<24, using: &random) {
        case 0: made.environments = [element(of: AttestationEnvironment.allCases).rawValue]
        case 1: made.root = Data(authorities[1].rootCertificate)
        case 2: made.appID = Self.appIDs[1]
        case 3: made.keyID = Data(random.bytes(32))
        case 4: made.clientDataHash = Data(random.bytes(32))
        case 5:
            let other = SimulatedDevice(
                seed: 1000, appID: made.appID, authority: authorities[0])
            made.publicKey = Data(other.publicKey)
        default: break
        }
    }

    /// Changes the object's bytes if asked for, and names the case.
    private mutating func finish(
        _ made: inout DifferentialCase, _ shape: String, _ lie: String?, _ isChanged: Bool
    ) {
        var words = ["\(made.kind)", shape, lie ?? "honest"]
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

    /// - Precondition: there is an element.
    private mutating func element<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
