import AttestTestKit
import Glibc
import Harness
import SampleKeys
import Testing

/// A world with a reply topic, and gateways beside the workers.
struct GatewayWorld {
    static let appID = "TESTTEAM01.com.example.gateway"
    static let resource = "projects/123/apps/1:123:ios:abc"
    /// A name of the app in a project for which its tokens are not.
    static let foreignResource = "projects/456/apps/1:123:ios:abc"
    static let apiKey = "AIza-test-0123456789"
    static let bearer = "Authorization: Bearer backend-token-0123456789"

    let world: World
    let authority: TestAuthority
    private let secrets: [String: String]
    /// The gateways' settings, with nothing in them that is the workers' secret.
    private let gatewaySettings: String

    /// A world whose apps get tokens.
    init(_ name: String, seed: UInt64, lanes: Int = 2) async throws {
        authority = TestAuthority(seed: seed)
        var app = WorkerSettings.App(
            appId: Self.appID, trustAnchor: certificatePEM(authority.rootCertificate),
            simulated: true)
        app.challenge = "signed"
        app.tokens = WorkerSettings.AppTokens(
            subject: "1:123:ios:abc", audience: ["projects/123", "projects/example"])
        var replies = ""
        world = try await World(name, apps: [app]) { settings in
            settings.worker.lanes = lanes
            replies = settings.kafka.groupId + ".replies"
            settings.kafka.topics.replies = replies
        }
        try await world.broker.command("topic \(replies):3")
        gatewaySettings = try world.write(
            """
            { kafka: { bootstrapServers: ["\(world.broker.bootstrapServers)"],
                       topics: { requests: ["\(world.topics[0])"], replies: "\(replies)" },
                       properties: { "reconnect.backoff.max.ms": "500" } },
              apps: [ { appId: "\(Self.appID)",
                        resources: ["\(Self.resource)", "\(Self.foreignResource)",
                                    "oauthClients/a"] } ],
              operations: { listen: "127.0.0.1:0", statisticsInterval: "1s" },
              log: { level: "debug", format: "json" } }
            """, to: "gateway.json5")
        let secret = try world.write(
            String(repeating: "secret of the test ", count: 3), to: "secret")
        let key = try world.write(
            String(decoding: SampleKeys.p256(7), as: UTF8.self), to: "token.pem")
        secrets = [
            "ATTEST_CHALLENGES__SECRET_FILE": secret, "ATTEST_ARTIFACTS__SECRET_FILE": secret,
            "ATTEST_TOKENS__ISSUER": "https://attest.example/tokens",
            "ATTEST_TOKENS__KEY_FILES": key,
        ]
    }

    /// Starts a worker that has the secrets.
    func startWorker() async throws -> ChildProcess {
        try await world.startWorker(secrets)
    }

    /// Starts a gateway, which has none, and waits until it is ready.
    ///
    /// - Returns: the process, and where it answers.
    func startGateway(
        partition: Int, _ environment: [String: String] = [:]
    ) async throws -> (process: ChildProcess, address: String) {
        var variables = [
            "ATTEST_GATEWAY__REPLY_PARTITION": String(partition),
            "ATTEST_GATEWAY__LISTEN": "127.0.0.1:0",
            "ATTEST_GATEWAY__API_KEYS": Self.apiKey,
            "ATTEST_GATEWAY__BEARER_TOKENS": "backend-token-0123456789",
            "ATTEST_GATEWAY__RATES__CALLER_PER_MINUTE": "0",
            "ATTEST_GATEWAY__RATES__TOTAL_PER_SECOND": "0",
            "ATTEST_GATEWAY__DEADLINE": "30s",
        ]
        variables.merge(environment) { $1 }
        let process = try await world.start("gateway", config: gatewaySettings, variables)
        var address = ""
        try await eventually("the gateway is ready; \(process)", within: .seconds(30)) {
            guard let found = process.gatewayAddress, process.operationsAddress != nil else {
                return false
            }
            address = found
            return try process.http("/readyz").status == 200
        }
        return (process, address)
    }

    /// A phone of this world's app.
    func phone(_ number: UInt64, at gateway: String) -> AppCheckPhone {
        AppCheckPhone(
            seed: 9_000 + number, appID: Self.appID, authority: authority,
            resource: Self.resource, gateway: gateway)
    }

    /// Sends one POST, on a thread that may block.
    static func post(
        _ path: String, _ body: String, _ headers: [String] = ["X-Goog-Api-Key: \(apiKey)"],
        to address: String
    ) async throws -> HTTPExchange.Answer {
        let bytes = bytes(path, body, headers)
        return try await blocking { try HTTPExchange.send(bytes, to: address) }
    }

    /// One POST as it goes over the wire.
    static func bytes(_ path: String, _ body: String, _ headers: [String]) -> [UInt8] {
        let lines =
            [
                "POST \(path) HTTP/1.1", "Host: test", "Connection: close",
                "Content-Length: \(body.utf8.count)",
            ] + (body.isEmpty ? [] : ["Content-Type: application/json"]) + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}

extension ChildProcess {
    /// Where a gateway answers, as its log tells; nil until it does.
    var gatewayAddress: String? {
        for line in errors.split(separator: "\n") where line.contains("\"gateway_listening\"") {
            guard let found = line.firstMatch(of: /"address":"([^"]+)"/) else { continue }
            return String(found.output.1)
        }
        return nil
    }
}
