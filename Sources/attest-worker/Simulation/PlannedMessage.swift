import AppAttest
import AttestTestKit
import LibCrypto
import Wire

/// What a request's messages have in common, whatever object they carry.
///
/// Every fifth travels as a CloudEvent in binary mode, its id in a header. Every third belongs to a
/// trace, and of these every tenth to one that is recorded.
struct PlannedMessage {
    /// What the request is.
    let kind: PlannedKind
    /// The request id.
    let id: String
    /// The request's number in the plan.
    let number: Int
    /// The app whose devices these are.
    let appID: String
    /// The owner that the gateway names.
    var subject: String?
    /// How far behind the moment of sending its timestamp lies.
    var age: Duration = .zero
    /// Why its verdict must refuse it, where the app's policy has a reason of its own.
    var refusal: WorkerReason?

    /// The record that registers a key.
    ///
    /// - Parameters:
    ///   - attestation: the object and its key.
    ///   - content: what the gateway says was attested to.
    ///   - reattested: whether the verdict must tell of a known key; nil: it must not tell.
    /// - Returns: the record and what must come of it.
    func request(
        _ attestation: MintedAttestation, _ content: RegistrationContent, reattested: Bool? = nil
    ) -> PlannedRequest {
        let message = MintedRequest(
            registration: attestation, content, requestID: requestID, subject: subject)
        return request(
            message,
            ExpectedVerdict(
                kind: .registration, outcome: outcome, keyID: attestation.keyID,
                appID: provedAppID, signCount: 0, reattested: reattested))
    }

    /// The record that has an assertion judged.
    ///
    /// - Parameters:
    ///   - assertion: the object and its key.
    ///   - content: what the gateway says was signed.
    /// - Returns: the record and what must come of it.
    func request(_ assertion: MintedAssertion, _ content: AssertionContent) -> PlannedRequest {
        let message = MintedRequest(
            assertion: assertion, content, requestID: requestID, subject: subject)
        return request(
            message,
            ExpectedVerdict(
                kind: .assertion, outcome: outcome, keyID: assertion.keyID,
                appID: provedAppID, signCount: assertion.signCount))
    }

    private var outcome: Verdict.Outcome {
        refusal.map { .rejected(.worker($0)) } ?? kind.outcome
    }

    private var provedAppID: String? {
        kind.isAppProved ? appID : nil
    }

    private func request(
        _ message: MintedRequest, _ expected: ExpectedVerdict
    ) -> PlannedRequest {
        PlannedRequest(
            id: id, kind: kind, key: Array(message.recordKey.utf8), value: message.json,
            headers: headers(expected.kind), age: age, expectation: .verdict(expected))
    }

    private var isCloudEvent: Bool {
        number % 5 == 0
    }

    private var requestID: String? {
        isCloudEvent ? nil : id
    }

    private func headers(_ kind: RequestKind) -> [Header] {
        eventHeaders(kind)
            + (number % 3 == 0 ? [Header(name: "traceparent", text: traceparent)] : [])
    }

    /// The W3C trace context that a gateway would send along; another one for each request.
    private var traceparent: String {
        let digits = SHA256.hash(Array(id.utf8)).bytes.prefix(24).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        let (trace, span) = (digits.prefix(16).joined(), digits.dropFirst(16).joined())
        return "00-\(trace)-\(span)-0\(number % 30 == 0 ? 1 : 0)"
    }

    private func eventHeaders(_ kind: RequestKind) -> [Header] {
        guard isCloudEvent else { return [] }
        return [
            Header(name: "ce_specversion", text: "1.0"), Header(name: "ce_id", text: id),
            Header(name: "ce_source", text: "/gateways/simulated"),
            Header(name: "ce_type", text: "com.example.attest.\(kind.rawValue).requested.v1"),
            Header(name: "content-type", text: "application/json"),
        ]
    }
}
