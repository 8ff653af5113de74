import AppAttest
import AttestTestKit
import Harness
import SeededNumbers

/// What gateways send, without an end, the same for the same seed: mostly honest, one key far
/// busier than the others; with duplicates in the same batch, in later ones, in other partitions
/// and on both sides of midnight; lies, conflicts and garbage in between.
struct SoakTraffic {
    /// The most devices; then known ones register again.
    static let devicesMax = 400
    /// How many requests of a device are remembered to be repeated.
    static let rememberedMax = 40
    /// The most requests that wait for the answer to another one.
    static let waitingMax = 200

    private var random: SplitMix64
    private let authority: TestAuthority
    private let partitions: Int32
    /// Whether requests of a device overtake each other, and are accepted all the same.
    private let hasWindow: Bool
    private var count = 0
    private var devices: [Device] = []
    private var strangers: [SimulatedDevice] = []
    /// Sent once so many requests were made.
    private var later: [(due: Int, request: PlannedRequest)] = []
    /// Sent once the request of this id is answered.
    private var waiting: [(id: String, requests: [PlannedRequest])] = []

    private struct Device {
        var simulated: SimulatedDevice
        var sent: [PlannedRequest] = []
        var assertions: [(MintedAssertion, AssertionContent)] = []
    }

    /// Traffic from its seed.
    ///
    /// - Parameters:
    ///   - seed: what everything follows from.
    ///   - partitions: how many there are.
    ///   - hasWindow: whether the app has a replay window.
    ///   - authority: who signs the attestations.
    init(seed: UInt64, partitions: Int, hasWindow: Bool = false, authority: TestAuthority) {
        self.authority = authority
        self.hasWindow = hasWindow
        self.partitions = Int32(clamping: partitions)
        random = SplitMix64(seed: seed)
        for _ in 0..<3 {
            strangers.append(
                SimulatedDevice(seed: random.next(), appID: Load.appID, authority: authority))
        }
    }

    /// What is sent next: one record or more.
    mutating func next() -> [PlannedRequest] {
        count += 1
        let due = later.filter { $0.due <= count }.map(\.request)
        later.removeAll { $0.due <= count }
        return due + make()
    }

    /// What has waited for an answer and may be sent now.
    ///
    /// The record of one key in another partition has no order with its neighbours there: only once
    /// it is answered, its answer is certain.
    mutating func released(_ isAnswered: (String) -> Bool) -> [PlannedRequest] {
        let free = waiting.filter { isAnswered($0.id) }
        waiting.removeAll { isAnswered($0.id) }
        return free.flatMap(\.requests)
    }

    /// How many requests still wait for an answer to another one.
    var waitingCount: Int { waiting.count }

    // MARK: - Kinds

    private mutating func make() -> [PlannedRequest] {
        guard devices.count >= 5 else { return [register()] }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<5: return replay(chooseDevice())
        case 5..<10: return twice(honest(chooseDevice()))
        case 10..<15: return repeatOld(chooseDevice())
        case 15..<18: return inAnotherPartition(chooseDevice())
        case 18: return twins()
        case 19..<21: return aroundMidnight(chooseDevice())
        case 21..<25: return [forged(chooseDevice())]
        case 25..<27: return [unknown()]
        case 27..<29: return [conflict(chooseDevice())]
        case 29..<31: return [honest(chooseDevice(), hasID: false)]
        case 31: return [malformed(chooseDevice())]
        case 32: return [garbage()]
        case 33..<35: return [devices.count < Self.devicesMax ? register() : registerAgain()]
        case 35: return [registerAgain()]
        case 36..<46 where hasWindow: return overtaken(chooseDevice())
        default: return [honest(chooseDevice())]
        }
    }

    /// A device; the first one is a quarter of the traffic.
    private mutating func chooseDevice() -> Int {
        Int.random(in: 0..<4, using: &random) == 0
            ? 0 : Int.random(in: devices.indices, using: &random)
    }

    private mutating func register() -> PlannedRequest {
        let shapes = DeviceShape.allCases
        let number = count
        var device = Device(
            simulated: SimulatedDevice(
                seed: random.next(), appID: Load.appID,
                shape: shapes[number % shapes.count], authority: authority))
        let request = registration(of: device.simulated, .accepted(reattested: false))
        device.sent.append(request)
        devices.append(device)
        return request
    }

    private mutating func registerAgain() -> PlannedRequest {
        let place = chooseDevice()
        return registration(of: devices[place].simulated, .accepted(reattested: true))
    }

    private mutating func registration(
        of device: SimulatedDevice, _ expectation: Expectation
    ) -> PlannedRequest {
        let content = RegistrationContent.plain(clientData: Array("challenge \(count)".utf8))
        let attestation = device.attest(clientDataHash: content.clientDataHash, at: .now)
        let message = MintedRequest(registration: attestation, content, requestID: id("r"))
        return planned(message, id("r"), expectation)
    }

    private mutating func honest(
        _ place: Int, hasID: Bool = true, at timestamp: Instant? = nil
    ) -> PlannedRequest {
        let content = AssertionContent.capgo(payload: "payload \(count)")
        let assertion = devices[place].simulated.assert(clientDataHash: content.clientDataHash)
        let id = hasID ? id("a") : nil
        let message = MintedRequest(assertion: assertion, content, requestID: id)
        var request = planned(message, id, .accepted(), signCount: assertion.signCount)
        if let timestamp { request = request.at(timestamp) }
        if hasID { remember(request, of: place) }
        devices[place].assertions.append((assertion, content))
        devices[place].assertions.trim(to: Self.rememberedMax)
        return request
    }

    /// An old object under a new id.
    private mutating func replay(_ place: Int) -> [PlannedRequest] {
        guard let old = devices[place].assertions.randomElement(using: &random) else {
            return [honest(place)]
        }
        let message = MintedRequest(assertion: old.0, old.1, requestID: id("replay"))
        return [
            planned(
                message, id("replay"),
                .rejected(hasWindow ? "counter_replayed" : "counter_not_increasing"))
        ]
    }

    /// Two honest requests, the second of which arrives first.
    private mutating func overtaken(_ place: Int) -> [PlannedRequest] {
        let late = honest(place)
        count += 1
        return [honest(place), late]
    }

    /// In the same batch, most likely.
    private func twice(_ request: PlannedRequest) -> [PlannedRequest] {
        [request, request]
    }

    /// In a later batch: an old request now, and a new one again in a while.
    private mutating func repeatOld(_ place: Int) -> [PlannedRequest] {
        let request = honest(place)
        later.append((count + Int.random(in: 20..<500, using: &random), request))
        return [request] + (devices[place].sent.randomElement(using: &random).map { [$0] } ?? [])
    }

    private mutating func inAnotherPartition(_ place: Int) -> [PlannedRequest] {
        let request = honest(place)
        guard let id = request.requestID, waiting.count < Self.waitingMax else { return [request] }
        let partition = Int32.random(in: 0..<partitions, using: &random)
        waiting.append((id, [request.inPartition(partition)]))
        return [request]
    }

    /// A key's only assertion, at the same time in two partitions.
    private mutating func twins() -> [PlannedRequest] {
        guard waiting.count < Self.waitingMax, partitions > 1 else { return [] }
        var device = SimulatedDevice(
            seed: random.next(), appID: Load.appID, authority: authority)
        let first = registration(of: device, .accepted(reattested: false))
        let content = AssertionContent.plain(clientData: Array("twin \(count)".utf8))
        let assertion = device.assert(clientDataHash: content.clientDataHash)
        let message = MintedRequest(assertion: assertion, content, requestID: id("twin"))
        let twin = planned(message, id("twin"), .accepted(), signCount: assertion.signCount)
        let partition = Int32.random(in: 0..<partitions, using: &random)
        waiting.append(
            (
                id("r"),
                [twin.inPartition(partition), twin.inPartition((partition + 1) % partitions)]
            ))
        return [first]
    }

    /// One second before a midnight (UTC) and, repeated, one second after it.
    private mutating func aroundMidnight(_ place: Int) -> [PlannedRequest] {
        let day: Int64 = 86_400
        let midnight = Instant.now.wholeSeconds / day * day
        let request = honest(place, at: Instant(seconds: midnight - 1))
        later.append((count + Int.random(in: 1..<300, using: &random), request))
        return [request, request.at(Instant(seconds: midnight + 1))]
    }

    private mutating func forged(_ place: Int) -> PlannedRequest {
        let content = AssertionContent.capgo(payload: "forged \(count)")
        let device = devices[place].simulated
        let assertion = device.assert(
            clientDataHash: content.clientDataHash, signCount: device.signCount + 1,
            lie: .signature(.otherKey))
        let message = MintedRequest(assertion: assertion, content, requestID: id("forged"))
        return planned(message, id("forged"), .rejected("signature_invalid"))
    }

    private mutating func unknown() -> PlannedRequest {
        let place = Int.random(in: strangers.indices, using: &random)
        let content = AssertionContent.capgo(payload: "unknown \(count)")
        let assertion = strangers[place].assert(clientDataHash: content.clientDataHash)
        let message = MintedRequest(assertion: assertion, content, requestID: id("unknown"))
        return planned(message, id("unknown"), .rejected("unknown_key"))
    }

    /// Other content under an id that was used before, for the same key.
    private mutating func conflict(_ place: Int) -> PlannedRequest {
        guard let old = devices[place].sent.randomElement(using: &random)?.requestID else {
            return honest(place)
        }
        let content = AssertionContent.capgo(payload: "conflict \(count)")
        let assertion = devices[place].simulated.assert(clientDataHash: content.clientDataHash)
        let message = MintedRequest(assertion: assertion, content, requestID: old)
        return planned(message, old, .rejected("request_id_conflict"))
    }

    private mutating func malformed(_ place: Int) -> PlannedRequest {
        let key = MintedRequest(
            assertion: devices[place].simulated.assert(
                clientDataHash: ClientDataHash(hashing: []), signCount: 1),
            .plain(clientData: []), requestID: nil
        ).recordKey
        let id = id("malformed")
        let json = #"{"assertion":"*","clientData":"","keyId":"\#(key)","requestId":"\#(id)"}"#
        return PlannedRequest(
            requestID: id, keyID: key, acceptedSignCount: nil,
            expectation: .rejected("malformed_message"),
            record: SentRecord(key: Array(key.utf8), value: Array(json.utf8)))
    }

    private mutating func garbage() -> PlannedRequest {
        PlannedRequest(
            requestID: nil, keyID: "", acceptedSignCount: nil,
            expectation: .deadLetter("not_a_json_object"),
            record: SentRecord(
                key: Array("garbage \(count)".utf8), value: Array("garbage \(count)".utf8)))
    }

    // MARK: - Parts

    private func id(_ kind: String) -> String { "\(kind)-\(count)" }

    private func planned(
        _ message: MintedRequest, _ id: String?, _ expectation: Expectation,
        signCount: UInt32? = nil
    ) -> PlannedRequest {
        PlannedRequest(
            requestID: id, keyID: message.recordKey, acceptedSignCount: signCount,
            expectation: expectation,
            record: SentRecord(key: Array(message.recordKey.utf8), value: message.json))
    }

    private mutating func remember(_ request: PlannedRequest, of place: Int) {
        devices[place].sent.append(request)
        devices[place].sent.trim(to: Self.rememberedMax)
    }
}

extension PlannedRequest {
    /// The same request, sent at another instant.
    fileprivate func at(_ timestamp: Instant) -> PlannedRequest {
        var record = record
        record.timestamp = timestamp
        return with(record)
    }

    /// The same request, sent to a partition.
    fileprivate func inPartition(_ partition: Int32) -> PlannedRequest {
        var record = record
        record.partition = partition
        return with(record)
    }

    private func with(_ record: SentRecord) -> PlannedRequest {
        PlannedRequest(
            requestID: requestID, keyID: keyID, acceptedSignCount: acceptedSignCount,
            expectation: expectation, record: record)
    }
}

extension Array {
    /// Drops the first ones until no more than so many are left.
    fileprivate mutating func trim(to most: Int) {
        if count > most { removeFirst(count - most) }
    }
}
