import AppAttest
import AttestTestKit
import FoundationEssentials
import Harness
import Wire

/// A phone whose app uses App Check, and does as Firebase's SDK does.
///
/// It keeps key and artifact, sends snake_case names, forgets both and begins anew when an
/// attestation is answered 403, stays away for a day after 400 and 404, and backs off after every
/// other error. Time is the test's.
///
/// Source: google/app-check, GACAppAttestProvider, GACAppCheckBackoffWrapper.
struct AppCheckPhone {
    /// What came of one request for a token.
    enum Outcome: Hashable {
        /// A token.
        case token(String)
        /// An error with this HTTP status.
        case refused(Int)
        /// Nothing was asked: it is too early.
        case stayedAway
    }

    /// The JSON of App Check's answers.
    struct Body: Decodable {
        struct Token: Decodable {
            var token: String
            var ttl: String
        }

        var challenge: String?
        var ttl: String?
        var artifact: String?
        var appCheckToken: Token?
        var token: String?
        var attestationToken: String?
        var alreadyConsumed: Bool?
    }

    /// `projects/…/apps/…`, as the app's configuration says.
    var resource: String
    /// Where it sends to, `127.0.0.1:port`.
    var gateway: String
    /// What its requests have beside the body.
    var headers: [String]
    /// What its next attestation lies about.
    var lie: AttestationLie?
    /// How often it made a key.
    private(set) var keysMade = 0
    /// What the keychain holds beside the key: given by the server.
    private(set) var artifact: [UInt8]?
    /// Until when it asks for nothing.
    private(set) var awayUntil: Duration = .zero

    private let appID: String
    private let authority: TestAuthority
    private let seed: UInt64
    private var device: SimulatedDevice
    private var failures = 0

    init(seed: UInt64, appID: String, authority: TestAuthority, resource: String, gateway: String) {
        self.seed = seed
        self.appID = appID
        self.authority = authority
        self.resource = resource
        self.gateway = gateway
        headers = ["X-Goog-Api-Key: \(GatewayWorld.apiKey)", "X-Ios-Bundle-Identifier: x.y"]
        device = SimulatedDevice(seed: seed, appID: appID, authority: authority)
    }

    /// Gets a token: by an assertion where there is an artifact, else by an attestation.
    mutating func token(at now: Duration, isLimited: Bool = false) async throws -> Outcome {
        guard now >= awayUntil else { return .stayedAway }
        do throws(Refused) {
            let token =
                artifact == nil
                ? try await attestedToken(isLimited, mayBeginAnew: true)
                : try await assertedToken(isLimited)
            failures = 0
            return .token(token)
        } catch {
            if let failure = error.failure { throw failure }
            failures += 1
            awayUntil = now + pause(after: error.status)
            return .refused(error.status)
        }
    }

    /// A day for what only the app's developer can mend; else 2^n seconds, at most four hours.
    private func pause(after status: Int) -> Duration {
        [400, 404].contains(status)
            ? .seconds(86_400) : .seconds(min(14_400, 1 << min(failures, 14)))
    }

    // MARK: The contract

    struct Refused: Error {
        var status = 0
        /// The test itself failed.
        var failure: HarnessFailure?
    }

    mutating func challenge() async throws(Refused) -> [UInt8] {
        let body = try await post("generateAppAttestChallenge", "")
        guard let challenge = body.challenge.flatMap({ Base64.decode($0) }), body.ttl == "300s"
        else { throw Refused(failure: HarnessFailure("no challenge: \(body)")) }
        return challenge
    }

    private mutating func attestedToken(
        _ isLimited: Bool, mayBeginAnew: Bool
    ) async throws(Refused) -> String {
        let challenge = try await challenge()
        do throws(Refused) {
            let body = try await post(
                "exchangeAppAttestAttestation", attestation(over: challenge, isLimited))
            guard let token = body.appCheckToken, token.ttl.hasSuffix("s"),
                let artifact = body.artifact.flatMap({ Base64.decode($0) })
            else { throw Refused(failure: HarnessFailure("no token: \(body)")) }
            self.artifact = artifact
            return token.token
        } catch {
            guard error.status == 403, mayBeginAnew else { throw error }
            forget()
            return try await attestedToken(isLimited, mayBeginAnew: false)
        }
    }

    /// The body of an attestation of its key.
    mutating func attestation(over challenge: [UInt8], _ isLimited: Bool = false) -> String {
        let attested = device.attest(
            clientDataHash: ClientDataHash(hashing: challenge), at: .now, lie: lie)
        lie = nil
        return #"{"attestation_statement":"\#(Base64.encode(attested.object))","#
            + #""challenge":"\#(Base64.encode(challenge))","#
            + #""key_id":"\#(device.keyID.text)","limited_use":\#(isLimited)}"#
    }

    private mutating func assertedToken(_ isLimited: Bool) async throws(Refused) -> String {
        let challenge = try await challenge()
        let body = try await post(
            "exchangeAppAttestAssertion", assertion(over: challenge, isLimited))
        guard let token = body.token, body.ttl != nil, body.artifact == nil else {
            throw Refused(failure: HarnessFailure("no token: \(body)"))
        }
        return token
    }

    /// The body of an assertion by its key.
    mutating func assertion(over challenge: [UInt8], _ isLimited: Bool = false) -> String {
        let artifact = artifact ?? []
        let asserted = device.assert(clientData: artifact + challenge)
        return #"{"artifact":"\#(Base64.encode(artifact))","#
            + #""assertion":"\#(Base64.encode(asserted.object))","#
            + #""challenge":"\#(Base64.encode(challenge))","limited_use":\#(isLimited)}"#
    }

    /// Somebody has changed what the keychain holds.
    mutating func spoilArtifact() {
        artifact?[100] ^= 1
    }

    /// Forgets key and artifact; the next key is another one.
    mutating func forget() {
        keysMade += 1
        artifact = nil
        device = SimulatedDevice(
            seed: seed &+ UInt64(keysMade) << 32, appID: appID, authority: authority)
    }

    private func post(_ method: String, _ body: String) async throws(Refused) -> Body {
        let answer = try await send(method, body)
        guard answer.status == 200 else { throw Refused(status: answer.status) }
        guard
            let body = try? JSONDecoder().decode(Body.self, from: Data(answer.body.utf8))
        else { throw Refused(failure: HarnessFailure("no JSON: \(answer)")) }
        return body
    }

    /// Sends a body to one of the methods of its resource.
    func send(
        _ method: String, _ body: String, version: String = "v1", more: [String] = []
    ) async throws(Refused) -> HTTPExchange.Answer {
        do {
            return try await GatewayWorld.post(
                "/\(version)/\(resource):\(method)", body, headers + more, to: gateway)
        } catch {
            throw Refused(failure: HarnessFailure("\(method): \(error)"))
        }
    }
}
