import AppAttest
import AttestTestKit
import SeededNumbers
import Wire

/// Makes requests of simulated devices, each with what must come of it.
///
/// Everything follows from the settings, the order of calls and the moment: no answer of a worker
/// changes the plan. Requests of one key follow each other on one partition, so what a device sent
/// before decides what its next request must get.
struct RequestPlan {
    let settings: PlanSettings
    /// When the next device is attested.
    var now: Instant
    /// The sign count that must be stored in the end, of each registered key.
    var signCounts: [KeyID: UInt32] = [:]
    var devices: [PlannedDevice] = []
    /// Keys that must never be stored; of very many only the first.
    var strangers: Set<KeyID> = []
    var strangerCount: UInt64 = 0
    var requestCount = 0
    var random: SplitMix64
    var content: PlannedContent
    var chooser: DeviceChooser

    /// More strangers are not remembered.
    static let strangersMax = 100_000
    /// Beyond the worker's default `maxRequestAge` of seven days.
    private static let tooOld: Duration = .seconds(8 * 86_400)
    /// Beyond the worker's default `maxClockSkew` of five minutes.
    private static let fromTheFuture: Duration = .seconds(-86_400)

    /// A plan in which nothing is registered yet.
    ///
    /// - Parameters:
    ///   - settings: what the devices have in common.
    ///   - now: when the devices are attested.
    init(_ settings: PlanSettings, now: Instant) {
        self.settings = settings
        self.now = now
        random = SplitMix64(seed: settings.seed)
        content = PlannedContent(seed: settings.seed, dialects: settings.dialects)
        chooser = DeviceChooser(skew: settings.skew)
    }

    /// Makes a request of a kind.
    ///
    /// All kinds but registrations and those of strangers need a registered device, and some an
    /// assertion: begin with one of each.
    mutating func request(_ kind: PlannedKind) -> PlannedRequest {
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
        case .otherPlatform: PlannedNonsense.otherPlatform(id: newID(), number: requestCount)
        case .malformed:
            PlannedNonsense.malformed(
                id: newID(), number: requestCount, keyID: someDevice().simulated.keyID)
        case .garbage: PlannedNonsense.garbage(id: newID(), number: requestCount)
        }
    }

    /// A request id that was not used before.
    func newID() -> String {
        let digits = String(requestCount)
        return settings.idPrefix + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
