package import AppAttest
package import AttestTestKit
internal import Glibc
internal import SeededNumbers

/// A request that a test sends, with the verdict it must get.
package struct PlannedRequest: Sendable {
    /// The gateway's id; nil: the record's place is its identity.
    package let requestID: String?
    /// The key, as a verdict names it.
    package let keyID: String
    /// The sign count of an assertion that must be accepted.
    package let acceptedSignCount: UInt32?
    /// The verdict.
    package let expectation: Expectation
    /// The record.
    package let record: SentRecord

    /// A request from its parts.
    package init(
        requestID: String?, keyID: String, acceptedSignCount: UInt32?, expectation: Expectation,
        record: SentRecord
    ) {
        self.requestID = requestID
        self.keyID = keyID
        self.acceptedSignCount = acceptedSignCount
        self.expectation = expectation
        self.record = record
    }
}

/// Traffic of simulated devices, the same for the same seed: mostly honest, one key far busier than
/// the others, with replays, repetitions and forgeries in between.
package struct Load: Sendable {
    /// What is sent, in order; a repeated request stands there more than once.
    package private(set) var requests: [PlannedRequest] = []

    private var devices: [Device] = []
    private var random: SplitMix64
    private let name: String
    private let allHaveIDs: Bool
    private let authority: TestAuthority

    /// A device and what it has sent.
    private struct Device {
        var simulated: SimulatedDevice
        var isRegistered: Bool
        var sent: [PlannedRequest] = []
        /// Accepted assertions, each as it was made, for replays.
        var assertions: [(MintedAssertion, AssertionContent)] = []
    }

    /// The app all devices run.
    package static let appID = "TESTTEAM01.com.example.load"

    /// What a worker must be told of the app.
    package static func app(_ authority: TestAuthority) -> WorkerSettings.App {
        WorkerSettings.App(
            appId: appID, trustAnchor: certificatePEM(authority.rootCertificate), simulated: true)
    }

    /// Plans the traffic.
    ///
    /// - Parameters:
    ///   - name: what request ids begin with.
    ///   - seed: what everything follows from.
    ///   - deviceCount: how many devices register.
    ///   - assertionCount: how many assertions follow.
    ///   - authority: who signs the attestations.
    ///   - allHaveIDs: whether no gateway leaves the id out; needed where places recur, as a place
    ///     is the identity of a request without an id.
    package init(
        _ name: String, seed: UInt64, deviceCount: Int, assertionCount: Int,
        authority: TestAuthority, allHaveIDs: Bool = false
    ) {
        self.name = name
        self.allHaveIDs = allHaveIDs
        self.authority = authority
        random = SplitMix64(seed: seed)
        for number in 0...deviceCount {
            let shapes = DeviceShape.allCases
            let simulated = SimulatedDevice(
                seed: seed &* 1_000 &+ UInt64(number), appID: Load.appID,
                shape: shapes[number % shapes.count], authority: authority)
            // The last one never registers: it is unknown.
            devices.append(Device(simulated: simulated, isRegistered: number < deviceCount))
        }
        for place in devices.indices where devices[place].isRegistered { register(place) }
        for _ in 0..<assertionCount { assertSomething() }
    }

    // MARK: - Kinds of requests

    private mutating func register(_ place: Int) {
        let content = RegistrationContent.plain(clientData: Array("\(name) registers".utf8))
        let attestation = devices[place].simulated.attest(
            clientDataHash: content.clientDataHash, at: .now)
        let id = nextID
        let message = MintedRequest(registration: attestation, content, requestID: id)
        add(place, id, message, .accepted(reattested: false))
    }

    private mutating func assertSomething() {
        // Two requests of five come from one key.
        let place =
            Int.random(in: 0..<5, using: &random) < 2
            ? 0 : Int.random(in: devices.indices, using: &random)
        guard devices[place].isRegistered else { return assertHonestly(place) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: replay(place)
        case 8..<16: repeatRequest(place)
        case 16..<20: forge(place)
        default: assertHonestly(place)
        }
    }

    private mutating func assertHonestly(_ place: Int) {
        let content = nextContent
        let assertion = devices[place].simulated.assert(clientDataHash: content.clientDataHash)
        // A few gateways send no id.
        let lacksID = Int.random(in: 0..<20, using: &random) == 0 && !allHaveIDs
        let id = lacksID ? nil : nextID
        let message = MintedRequest(assertion: assertion, content, requestID: id)
        guard devices[place].isRegistered else {
            return add(place, id, message, .rejected("unknown_key"))
        }
        devices[place].assertions.append((assertion, content))
        add(place, id, message, .accepted(), signCount: assertion.signCount)
    }

    /// The same object under a new id.
    private mutating func replay(_ place: Int) {
        guard let old = devices[place].assertions.randomElement(using: &random) else {
            return assertHonestly(place)
        }
        let id = nextID
        let message = MintedRequest(assertion: old.0, old.1, requestID: id)
        add(place, id, message, .rejected("counter_not_increasing"))
    }

    /// The same record again, as a gateway does that heard nothing of its first try.
    private mutating func repeatRequest(_ place: Int) {
        let known = devices[place].sent.filter { $0.requestID != nil }
        guard let old = known.randomElement(using: &random) else { return assertHonestly(place) }
        requests.append(old)
    }

    private mutating func forge(_ place: Int) {
        let content = nextContent
        let device = devices[place].simulated
        let assertion = device.assert(
            clientDataHash: content.clientDataHash, signCount: device.signCount + 1,
            lie: .signature(.otherKey))
        let id = nextID
        let message = MintedRequest(assertion: assertion, content, requestID: id)
        add(place, id, message, .rejected("signature_invalid"))
    }

    // MARK: - Parts

    private var nextID: String { "\(name)-\(requests.count)" }

    private var nextContent: AssertionContent {
        .capgo(payload: "\(name) payload \(requests.count)")
    }

    private mutating func add(
        _ place: Int, _ id: String?, _ message: MintedRequest, _ expectation: Expectation,
        signCount: UInt32? = nil
    ) {
        let request = PlannedRequest(
            requestID: id, keyID: message.recordKey, acceptedSignCount: signCount,
            expectation: expectation,
            record: SentRecord(key: Array(message.recordKey.utf8), value: message.json))
        devices[place].sent.append(request)
        requests.append(request)
    }
}

extension Instant {
    /// This moment on the wall clock, in whole seconds.
    package static var now: Instant {
        Instant(seconds: Int64(time(nil)))
    }
}
