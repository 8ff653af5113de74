import AppAttest
import AttestTestKit
import SeededNumbers

/// All that can be chosen about a device, its object and how it is judged, but for the lie.
struct Knobs {
    var shape = DeviceShape.iOS27
    var environment = AttestationEnvironment.production
    /// Nil: as the device has it by itself.
    var validationCategory: UInt32?
    /// Nil: as the device has it by itself.
    var bundleVersion: String?
    /// How long the code directory hash is; nil: as the device has it by itself.
    var codeDirectoryHashBytes: Int?
    /// How many bytes the app hands over: 32 as Apple's text says, or what else there may be.
    var clientDataHashBytes = 32
    /// When a device is attested, in seconds since 1970.
    var issued: Int64 = 1_790_000_000
    /// Seconds from then to the judgement.
    var delay: Int64 = 0
    var signCount: UInt32 = 1
    var condition = Condition.met

    /// Whether the object is judged under conditions that it meets, or which of them is another.
    enum Condition: CaseIterable {
        case met
        case bothEnvironments
        case otherEnvironment
        case otherRoot
        case otherApp
        case otherKeyID
        case otherKey
        case otherClientData
    }

    /// The values of each knob, as changes.
    typealias Values = [@Sendable (inout Knobs) -> Void]

    private static let shapes: Values = DeviceShape.allCases.map { shape in { $0.shape = shape } }
    private static let environments: Values = AttestationEnvironment.allCases.map { value in
        { $0.environment = value }
    }
    private static let categories: Values = [0, 1, 2, 3, 4, 5, 6, 10, 255, .max].map { value in
        { $0.validationCategory = value }
    }
    private static let bundleVersions: Values = [
        "1314", "", "1.2.3 (β)", String(repeating: "1", count: 23),
        String(repeating: "2", count: 256), String(repeating: "é", count: 129),
    ].map { value in { $0.bundleVersion = value } }
    private static let codeDirectoryHashes: Values = [0, 20, 32, 64, 65].map { value in
        { $0.codeDirectoryHashBytes = value }
    }
    private static let clientDataHashes: Values = [1, 20, 31, 32, 64, ClientDataHash.bytesMax]
        .map { value in { $0.clientDataHashBytes = value } }
    /// One moment of each era of credential certificates, the last one of the first intermediate,
    /// and one of the renewed one.
    private static let moments: Values = [
        1_597_276_800, 1_620_000_000, 1_700_000_000, 1_760_000_000, 1_790_000_000, 1_896_998_399,
        2_000_000_000,
    ].map { value in { $0.issued = value } }
    /// Around the borders of short lifetimes, and within and after long ones.
    private static let delays: Values = [
        0, -601, -86_401, -86_400, 86_400, 86_401, 172_799, 172_800, 172_801, 4_320_000,
        34_560_000,
    ].map { value in { $0.delay = value } }
    private static let signCounts: Values = [0, 1, 1 << 31, .max].map { value in
        { $0.signCount = value }
    }

    /// What an attestation depends on.
    static let ofAttestations = [
        shapes, environments, categories, bundleVersions, codeDirectoryHashes, clientDataHashes,
        moments, delays, conditions(except: .otherKey),
    ]
    /// What an assertion depends on.
    static let ofAssertions = [
        shapes, categories, bundleVersions, codeDirectoryHashes, clientDataHashes, signCounts,
        conditions(except: .otherKeyID, .bothEnvironments, .otherEnvironment, .otherRoot),
    ]

    /// Values that no verifier minds, whatever they stand together with.
    static let harmless: [Values] = [
        shapes, environments, categories, Array(bundleVersions.dropLast()), clientDataHashes,
        moments, signCounts,
        [Condition.met, .bothEnvironments].map { value in { $0.condition = value } },
    ]

    private static func conditions(except left: Condition...) -> Values {
        Condition.allCases.filter { !left.contains($0) }.map { value in { $0.condition = value } }
    }

    /// One of the values of each knob, by their numbers.
    init(_ row: some Sequence<Int>, of values: [Values]) {
        for (number, values) in zip(row, values) { values[number](&self) }
    }

    /// As the kit makes a device by itself, of one shape.
    init(_ shape: DeviceShape) {
        self.shape = shape
    }

    /// Any value of each knob.
    static func byChance(_ values: [Values], using random: inout SplitMix64) -> Knobs {
        Knobs(values.map { Int.random(in: $0.indices, using: &random) }, of: values)
    }
}
