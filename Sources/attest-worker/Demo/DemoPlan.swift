import AppAttest
import AttestTestKit
import Wire

/// All requests of a demo, in their order, each with what must come of it.
///
/// Everything follows from the options and the moment: no answer of a worker changes the plan.
/// Requests of one key follow each other on one partition, so what a device sent before decides
/// what its next request must get.
struct DemoPlan {
    /// The app whose devices these are.
    static let appID = "DEMO123456.com.example.wallet"

    /// Who signs the devices' attestations: the worker's trust anchor, in the demo only.
    let authority: TestAuthority
    /// When the devices are attested.
    let now: Instant
    let seed: UInt64
    /// The sign count that must be stored in the end, of each registered key.
    var signCounts: [KeyID: UInt32] = [:]
    var devices: [DemoDevice] = []
    /// Keys that must never be stored.
    var strangers: Set<KeyID> = []
    var requestCount = 0
    var random: DemoRandom
    var content: DemoContent
    /// What is still to be planned, the next one last.
    private var kinds: [DemoKind]

    /// Beyond the worker's default `maxRequestAge` of seven days.
    private static let tooOld: Duration = .seconds(8 * 86_400)
    /// Beyond the worker's default `maxClockSkew` of five minutes.
    private static let fromTheFuture: Duration = .seconds(-86_400)

    /// Plans as many registrations and other requests as the options say.
    ///
    /// - Parameters:
    ///   - options: checked numbers.
    ///   - now: when the devices are attested.
    init(_ options: DemoOptions, now: Instant) {
        seed = options.seed
        self.now = now
        authority = TestAuthority(seed: options.seed)
        random = DemoRandom(seed: options.seed)
        content = DemoContent(seed: options.seed)
        kinds = Self.kinds(options, &random)
    }

    /// The kinds in a random order, but for the first two: whoever comes later finds a key that is
    /// registered, and an assertion that was made.
    private static func kinds(_ options: DemoOptions, _ random: inout DemoRandom) -> [DemoKind] {
        let others = DemoKind.allCases.filter { $0 != .registration }
        let weighted = others.flatMap { [DemoKind](repeating: $0, count: $0.weight) }
        var kinds = [DemoKind](repeating: .registration, count: options.devices - 1)
        kinds += others.filter { $0 != .assertion }
        while kinds.count < options.requests - 2 {
            kinds.append(weighted.randomElement(using: &random) ?? .assertion)
        }
        kinds.shuffle(using: &random)
        return kinds + [.assertion, .registration]
    }

    /// How many requests are still to come.
    var remaining: Int {
        kinds.count
    }

    /// Makes the next request; nil after the last.
    mutating func next() -> DemoRequest? {
        guard let kind = kinds.popLast() else { return nil }
        requestCount += 1
        return switch kind {
        case .registration: register()
        case .assertion: assertHonestly()
        case .reattestation: attestAgain()
        case .repeated: repeatLast()
        case .replay: replay()
        case .reusedRequestID: reuseRequestID()
        case .forgedSignature:
            lie(kind, .signature(someSignatureLie()))
        case .wrongPayload: claimOtherPayload()
        case .otherAppAssertion:
            lie(kind, .assertedData(.otherApp))
        case .otherSubject: lie(kind, nil, subject: "somebody-else")
        case .tooOld: lie(kind, nil, age: Self.tooOld)
        case .fromTheFuture:
            lie(kind, nil, age: Self.fromTheFuture)
        case .unknownKey: assertWithUnknownKey()
        case .forgedChain: intrude(kind, .chain(.otherRoot))
        case .otherAppAttestation: intrude(kind, .attestedData(.otherApp))
        case .developmentKey: intrude(kind, .development)
        case .wrongChallenge: intrude(kind, .otherChallenge)
        case .expiredCertificate: intrude(kind, .expired)
        case .otherPlatform: DemoNonsense.otherPlatform(id: newID(), number: requestCount)
        case .malformed:
            DemoNonsense.malformed(
                id: newID(), number: requestCount, keyID: someDevice().simulated.keyID)
        case .garbage: DemoNonsense.garbage(id: newID(), number: requestCount)
        }
    }

    /// A request id that was not used before.
    func newID() -> String {
        let digits = String(requestCount)
        return "demo-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
