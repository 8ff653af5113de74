import AppAttest
import FoundationEssentials
import Wire

/// A record of `requests.jsonl`.
struct FixtureRequest: Encodable, Sendable {
    /// What it is, in words.
    let story: String
    let requestId: String
    /// The record's key, as text.
    let key: String?
    /// The record's value, as text: to be sent byte for byte, as some of it breaks the rules.
    let value: String
    let headers: [String: String]
    /// The record's timestamp in milliseconds since 1970.
    let timestamp: Int64

    /// The line of a request.
    ///
    /// - Parameters:
    ///   - request: its bytes are UTF-8.
    ///   - instant: when it is sent.
    init(_ request: PlannedRequest, at instant: Instant) {
        story = request.kind.rawValue
        requestId = request.id
        key = request.key.map { String(decoding: $0, as: UTF8.self) }
        value = String(decoding: request.value ?? [], as: UTF8.self)
        headers = Dictionary(
            request.headers.map { ($0.name, String(decoding: $0.value ?? [], as: UTF8.self)) }
        ) { first, _ in first }
        timestamp = instant.milliseconds - request.age.microseconds / 1000
    }
}

/// A verdict of `verdicts.jsonl`: those of its fields that do not depend on where the record lies.
struct FixtureVerdict: Encodable, Sendable {
    let requestId: String
    let verdictId: String?
    let type: String
    let outcome: String
    /// Absent where it is accepted.
    let reason: String?
    /// Absent where the request names no readable key.
    let keyId: String?
    /// The app, where the verdict must name it; absent where it must not.
    let appId: String?
    /// The environment, where the verdict must name it.
    let environment: String?
    /// Where the verdict names the app: true, as no fixture is of a phone.
    let simulated: Bool?
    /// Where it is accepted.
    let signCount: UInt32?
    /// Where a registration is accepted.
    let reattested: Bool?

    /// What must come of a request; nil if that is no verdict.
    init?(_ request: PlannedRequest) {
        guard case .verdict(let expected) = request.expectation else { return nil }
        requestId = request.id
        verdictId = request.verdictID?.text
        type = expected.kind.rawValue
        outcome = expected.outcome.name
        reason = expected.outcome.reason?.code
        keyId = expected.keyID?.text
        appId = expected.appID
        environment = expected.environment
        simulated = expected.appID.map { _ in true }
        signCount = expected.outcome == .accepted ? expected.signCount : nil
        reattested = expected.reattested
    }
}

/// JSON Lines: an object a line.
enum JSONLines {
    /// The objects' lines, names sorted; nil if one can't be encoded.
    static func encode(_ values: [some Encodable]) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes: [UInt8] = []
        for value in values {
            guard let line = try? encoder.encode(value) else { return nil }
            bytes += Array(line) + [0x0A]
        }
        return bytes
    }
}
