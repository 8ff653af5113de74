import AppAttest
import Foundation
import Operations
import Synchronization
import Testing
import Wire
import Worker

@testable import Gateway

/// A gateway's service with a topic that is a list, and a clock that is a number.
final class GatewayBench: Sendable {
    /// Keeps what is published.
    final class Publisher: RequestPublisher {
        private struct State {
            var records: [OutgoingRecord] = []
            var isConnected = true
            var isFull = false
        }

        private let state = Mutex(State())

        var records: [OutgoingRecord] { state.withLock { $0.records } }
        var isConnected: Bool { state.withLock { $0.isConnected } }

        func connect(_ isConnected: Bool) { state.withLock { $0.isConnected = isConnected } }
        func fill() { state.withLock { $0.isFull = true } }

        func publish(_ record: OutgoingRecord, _ sendID: SendID) -> Bool {
            state.withLock { state in
                guard !state.isFull else { return false }
                state.records.append(record)
                return true
            }
        }
    }

    static let bearer = "Bearer backend-token-0123456789"
    static let keyText = Base64.encode((0..<32).map { $0 })

    let attestation =
        #"{"attestationStatement":"AQID","challenge":"BAU=","keyId":"\#(keyText)"}"#
    let publisher = Publisher()
    let observer: GatewayObserver
    let service: GatewayService
    private let now: Box

    private final class Box: Sendable {
        let now = Mutex(Duration.zero)
    }

    init(
        waitingMax: Int = 100, otherApps: [String] = [],
        rates: RateLimiter.Rates = RateLimiter.Rates(
            callerPerMinute: 0, callerBurst: 1, totalPerSecond: 0, totalBurst: 1)
    ) {
        var app = Settings.App()
        app.appID = "TEAM.app"
        app.resources = ["projects/1/apps/a", "oauthClients/o"]
        let others = otherApps.map { appID in
            var app = Settings.App()
            app.appID = appID
            return app
        }
        let box = Box()
        now = box
        let clock: @Sendable () -> Duration = { box.now.withLock { $0 } }
        let facts = WorkerFacts(
            identity: WorkerIdentity(version: "test", id: "gateway-1"),
            libraries: LibraryVersions(swift: "", librdkafka: "", libpq: "", openssl: ""),
            groupID: "", startedAt: .init(milliseconds: 0), stallTimeout: .seconds(60))
        observer = GatewayObserver(facts: facts, figures: { ProcessFigures() }, monotonic: clock)
        let callers = CallerRules(
            apiKeys: nil, bearerTokens: "backend-token-0123456789", allowsAnonymous: true,
            addressHeader: nil)
        service = GatewayService(
            GatewaySettings(
                requestTopic: "requests", replyTopic: "replies", replyPartition: 4,
                source: "//attest-gateway/4", deadline: .seconds(10), waitingMax: waitingMax,
                callers: Live(callers), rates: rates, apps: Live(AppDirectory([app] + others))),
            addressHeader: nil, publisher: publisher, observer: observer,
            randomWord: { .random(in: .min ... .max) }, monotonic: clock)
    }

    /// Lets time pass.
    func pass(_ duration: Duration) {
        now.now.withLock { $0 += duration }
    }

    func post(_ path: String, _ body: String = "") -> Exchange {
        send("POST", path, body, [:])
    }

    func send(
        _ method: String, _ path: String, _ body: String, _ headers: [String: String]
    ) -> Exchange {
        let exchange = Exchange()
        service.handle(
            ExchangeRequest(
                method: method, path: path, headers: headers, body: Array(body.utf8),
                peer: "192.0.2.1"), exchange)
        return exchange
    }

    func json(_ value: [UInt8]?) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(value ?? []))
        return try #require(object as? [String: Any])
    }

    func lastID() throws -> String {
        try #require(try json(publisher.records.last?.value)["requestId"] as? String)
    }

    /// Answers the last record that was published, or one of those before it.
    func reply(_ members: String, to number: Int? = nil) throws {
        let records = publisher.records
        let record = records[number ?? records.count - 1]
        let id = try #require(try json(record.value)["requestId"] as? String)
        let sendID = record.headers.filter { $0.name == SendID.header }
        service.received(Array("{\"requestId\":\"\(id)\",\(members)}".utf8), sendID)
    }
}
