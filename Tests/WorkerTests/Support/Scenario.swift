import AppAttest
import AttestTestKit
import LibCrypto
import Wire
import Worker

/// What a request must be answered with.
struct Expectation: Hashable {
    var requestID: String
    var keyID: String
    /// `accepted`, `already consumed`, or the reason.
    var answer: String
    var signCount: UInt32?
}

/// Requests of which exactly one must be accepted, whichever.
struct Race: Hashable {
    var requestIDs: Set<String>
    /// What the others are answered.
    var loser: String
}

/// Records for a few partitions with the one right answer to each request.
struct Scenario {
    static let now = Instant(milliseconds: 1_790_000_000_000)
    static let appID = "1234567890.com.example.app"
    static let topic = "attest.requests.v1"
    static let authority = TestAuthority(seed: 1)

    private(set) var records: [Record] = []
    private(set) var expectations: [Expectation] = []
    private(set) var deadLetters = 0
    /// Requests that run for something which can be had once.
    var races: [Race] = []
    /// Keys that are registered before the first record.
    var knownKeys: [KeyID: KeyRegistration] = [:]
    /// How many records use the id of another request.
    var conflicts = 0
    /// For each record its request id, or `dead PARTITION OFFSET` where it can't be read.
    private(set) var names: [String] = []
    private var nextOffsets: [Int32: Int64] = [:]
    private var requests = 0

    static func policy(
        apps: [String] = [appID], rules: AppRules = AppRules(),
        isSimulated: Bool = false, judgesReceipts: Bool = false, tokens: AppTokens? = nil
    ) throws -> Policy {
        guard let anchor = TrustAnchor(der: authority.rootCertificate) else {
            throw ScenarioProblem(text: "the kit's root is no certificate")
        }
        return Policy(
            apps: apps.map {
                AppPolicy(
                    relyingParty: RelyingParty(
                        appID: $0, environments: [.production], trustAnchor: anchor),
                    rules: rules, isSimulated: isSimulated,
                    receiptAnchor: judgesReceipts
                        ? TrustAnchor(der: authority.receiptRootCertificate) : nil,
                    tokens: tokens)
            }, maxRequestAge: .seconds(7 * 86_400), maxClockSkew: .seconds(300))
    }

    static func device(_ seed: UInt64, appID: String = appID) -> SimulatedDevice {
        SimulatedDevice(seed: seed, appID: appID, authority: authority)
    }

    mutating func nextRequestID() -> String {
        requests += 1
        return "request-\(requests)"
    }

    /// Appends a record as it is; without `id` none can be read in it.
    mutating func append(
        _ value: [UInt8]?, key: [UInt8]? = nil, partition: Int32, id: String? = nil,
        timestamp: Int64? = Scenario.now.milliseconds
    ) {
        let offset = nextOffsets[partition, default: 0]
        nextOffsets[partition] = offset + 1
        names.append(id ?? "dead \(partition) \(offset)")
        records.append(
            Record(
                place: RecordPlace(topic: Self.topic, partition: partition, offset: offset),
                timestampMilliseconds: timestamp, key: key, value: value, headers: []))
    }

    /// The request id of a record of this scenario, as the oracle names it.
    func name(of record: Record) -> String? {
        zip(records, names).first { $0.0.place == record.place }?.1
    }

    /// Gives each record headers, by its number.
    mutating func addHeaders(_ headers: (Int) -> [Header]) {
        records = records.enumerated().map { number, record in
            Record(
                place: record.place, timestampMilliseconds: record.timestampMilliseconds,
                key: record.key, value: record.value, headers: headers(number))
        }
    }

    /// Appends a request in the plain dialect, and what must come of it.
    mutating func request(
        _ field: String, _ object: [UInt8], of device: SimulatedDevice, clientData: [UInt8],
        partition: Int32, id: String? = nil, subject: String? = nil,
        timestamp: Int64? = Scenario.now.milliseconds, answer: String?, signCount: UInt32? = nil
    ) {
        let id = id ?? nextRequestID()
        let keyID = Base64.encode(device.keyID.digest.bytes)
        var json =
            #"{"requestId":"\#(id)","keyId":"\#(keyID)","\#(field)":"\#(Base64.encode(object))""#
        json += #","clientData":"\#(Base64.encode(clientData))""#
        if let subject { json += #","subject":"\#(subject)""# }
        append(
            Array((json + "}").utf8), key: Array(keyID.utf8), partition: partition, id: id,
            timestamp: timestamp)
        guard let answer else { return }
        expectations.append(
            Expectation(requestID: id, keyID: keyID, answer: answer, signCount: signCount))
    }

    mutating func register(
        _ device: SimulatedDevice, partition: Int32, subject: String? = nil,
        receiptLie: ReceiptLie? = nil, answer: String = "accepted"
    ) {
        let challenge = Array("challenge \(requests)".utf8)
        let minted = device.attest(
            clientDataHash: ClientDataHash(hashing: challenge), at: Self.now,
            receiptLie: receiptLie)
        request(
            "attestation", minted.object, of: device, clientData: challenge, partition: partition,
            subject: subject, answer: answer)
    }

    /// An assertion with the device's next sign count; returns how to send it again.
    @discardableResult
    mutating func assert(
        _ device: inout SimulatedDevice, partition: Int32, answer: String = "accepted"
    ) -> SentAssertion {
        let sent = mint(&device)
        send(sent, of: device, partition: partition, id: sent.id, answer: answer)
        return sent
    }

    /// An assertion with the device's next sign count, not sent yet.
    mutating func mint(_ device: inout SimulatedDevice) -> SentAssertion {
        let payload = Array("payload \(requests)".utf8)
        let minted = device.assert(clientDataHash: ClientDataHash(hashing: payload))
        return SentAssertion(
            id: nextRequestID(), object: minted.object, payload: payload,
            signCount: minted.signCount)
    }

    /// Sends an assertion again: under its own id (a repetition) or a new one (a replay).
    mutating func send(
        _ sent: SentAssertion, of device: SimulatedDevice, partition: Int32, id: String?,
        answer: String?
    ) {
        request(
            "assertion", sent.object, of: device, clientData: sent.payload, partition: partition,
            id: id, subject: sent.subject, answer: answer,
            signCount: answer == "accepted" ? sent.signCount : nil)
    }

    /// Appends a request of no key, and what must come of it; nil where that is no one's business.
    mutating func serve(
        _ members: String, partition: Int32 = 0, id: String? = nil,
        timestamp: Int64 = Scenario.now.milliseconds, answer: String?
    ) {
        let id = id ?? nextRequestID()
        append(
            Array(#"{"requestId":"\#(id)",\#(members)}"#.utf8), partition: partition, id: id,
            timestamp: timestamp)
        guard let answer else { return }
        expectations.append(
            Expectation(requestID: id, keyID: "", answer: answer, signCount: nil))
    }

    /// Appends what can't be read.
    mutating func garbage(partition: Int32) {
        append(Array("no request".utf8), partition: partition)
        deadLetters += 1
    }

    /// One of everything: honest, replayed, repeated, forged, unknown, malformed, unreadable.
    static func mixed() -> Scenario {
        var scenario = Scenario()
        var first = device(11)
        var second = device(12)
        let stranger = device(13)
        scenario.register(first, partition: 0)
        let one = scenario.assert(&first, partition: 0)
        scenario.register(second, partition: 1)
        scenario.assert(&second, partition: 1)
        scenario.assert(&first, partition: 0)
        scenario.send(
            one, of: first, partition: 0, id: nil,
            answer: WorkerReason.counterNotIncreasing.rawValue)
        scenario.send(one, of: first, partition: 0, id: one.id, answer: nil)
        scenario.garbage(partition: 0)
        scenario.register(first, partition: 0)
        var forged = one
        forged.payload = Array("another payload".utf8)
        scenario.send(
            forged, of: second, partition: 1, id: nil,
            answer: RejectionCode.signatureInvalid.rawValue)
        scenario.send(
            one, of: stranger, partition: 1, id: nil, answer: WorkerReason.unknownKey.rawValue)
        scenario.assert(&second, partition: 1)
        scenario.assert(&first, partition: 0)
        return scenario
    }
}

/// An assertion that was sent, to be sent again.
struct SentAssertion {
    var id: String
    var object: [UInt8]
    var payload: [UInt8]
    var signCount: UInt32
    var subject: String?
}

struct ScenarioProblem: Error {
    var text: String
}
