import AppAttest
import Glibc
import Harness
import SampleKeys
import Synchronization
import Testing
import Worker

@testable import Operations

/// The server on a port of its own, with a worker of two lanes that tests can move.
private final class TestServer: Sendable {
    let stop = StopSignal()
    let policy = Live(Policy(apps: [.real("TEAM.a"), .simulated("TEAM.b")]))
    let observer: WorkerObserver
    let server: OperationsServer

    init() throws {
        let time = Time()
        let clock = LaneClock(
            wall: { Instant(milliseconds: 1_790_000_000_000) },
            monotonic: { time.now.withLock { $0 } })
        self.time = time
        observer = WorkerObserver(
            facts: WorkerFacts(
                identity: WorkerIdentity(version: "9.8.7", id: "worker-1"),
                libraries: LibraryVersions(
                    swift: "6", librdkafka: "2", libpq: "15", openssl: "3"),
                groupID: "group", startedAt: Instant(milliseconds: 1_789_999_999_500),
                stallTimeout: .seconds(60)),
            laneCount: 2, policy: policy, clock: clock, stop: stop,
            figures: ProcessFigures.ofThisProcess)
        server = try OperationsServer(
            address: ListenAddress(host: "127.0.0.1", port: 0), observer: observer)
    }

    final class Time: Sendable {
        let now = Mutex(Duration.seconds(1000))
    }

    let time: Time

    var address: String { server.address.description }
}

@Suite(.serialized) struct EndpointsTests {
    @Test func `each path answers GET and HEAD`() throws {
        let test = try TestServer()
        for path in Endpoints.paths where path != Endpoints.keySetPath {
            let found = try HTTPExchange.get(path, from: test.address)
            #expect([200, 503].contains(found.status), "\(path)")
            #expect(found.headers["cache-control"] == "no-store")
            let head = try HTTPExchange.get(path, from: test.address, method: "HEAD")
            #expect(head.status == found.status)
            #expect(head.body == "")
        }
        #expect(try HTTPExchange.get("/version", from: test.address).body.contains("\"9.8.7\""))
        let status = try HTTPExchange.get("/statusz?verbose=1", from: test.address)
        #expect(status.headers["content-type"] == "application/json")
        #expect(status.body.contains("\"startedAt\" : \"2026-09-21T"))
        #expect(status.body.contains("\"simulatedApps\" : [\n    \"TEAM.b\"\n  ]"))
    }

    @Test func `the keys of tokens may be kept for an hour, and are new at once`() throws {
        let test = try TestServer()
        let none = try HTTPExchange.get(Endpoints.keySetPath, from: test.address)
        #expect(none.status == 404)
        #expect(none.headers["cache-control"] == "no-store")
        #expect(none.body.contains("tokens.keyFiles is not set"))
        for pem in [SampleKeys.p256(1), SampleKeys.rsa] {
            var policy = Policy(apps: [.real("TEAM.a")])
            let key = try #require(TokenKey(pem: pem))
            policy.tokens = TokenPolicy(issuer: "https://attest.example", keys: [key])
            test.policy.replace(with: policy)
            let found = try HTTPExchange.get(Endpoints.keySetPath, from: test.address)
            #expect(found.status == 200)
            #expect(found.headers["cache-control"] == "public, max-age=3600")
            #expect(found.headers["content-type"] == "application/jwk-set+json")
            #expect(found.body == "{\"keys\":[\(key.publicJSON)]}")
        }
        let head = try HTTPExchange.get(
            Endpoints.keySetPath, from: test.address, method: "HEAD")
        #expect(head.status == 200)
        #expect(head.body == "")
        let post = try HTTPExchange.get(
            Endpoints.keySetPath, from: test.address, method: "POST")
        #expect(post.status == 405)
        #expect(post.headers["cache-control"] == "no-store")
    }

    @Test func `metrics come in the format that the client wants`() throws {
        let test = try TestServer()
        // What Prometheus sends.
        let both = try HTTPExchange.get(
            "/metrics", from: test.address,
            headers: [
                "Accept: application/openmetrics-text;version=1.0.0;q=0.5,"
                    + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
            ])
        #expect(
            both.headers["content-type"]
                == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(both.body.hasSuffix("\n# EOF\n"))
        let plain = try HTTPExchange.get("/metrics", from: test.address)
        #expect(plain.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let read = MetricsText(plain.body)
        #expect(read.sum("attest_worker_simulated_apps") == 1)
        #expect(read.sum("attest_worker_lanes", ["state": "joining"]) == 2)
        #expect(read.sum("process_start_time_seconds") == 1_789_999_999.5)
        // Another list of apps is told at once.
        test.policy.replace(with: Policy(apps: [.real("TEAM.a")]))
        let later = MetricsText(try HTTPExchange.get("/metrics", from: test.address).body)
        #expect(later.sum("attest_worker_simulated_apps") == 0)
        #expect(later.sum("attest_worker_apps") == 1)
        let megabyte = 1_048_576.0
        let resident = try #require(read.sum("process_resident_memory_bytes"))
        #expect(resident > 4 * megabyte && resident < 4096 * megabyte)
        #expect(try #require(read.sum("process_cpu_seconds_total")) > 0)
        #expect(try #require(read.sum("process_open_fds")) > 3)
        #expect(try #require(read.sum("process_threads")) > 1)
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404...404),
            ("GET /metrics/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404...404),
            ("GET /%6D%00etrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 400...404),
            ("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 405...405),
            ("DELETE /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 405...405),
            ("GET /\(String(repeating: "a", count: 2000)) HTTP/1.0\r\n\r\n", 414...414),
            ("GET /\(String(repeating: "a", count: 200_000)) HTTP/1.0\r\n\r\n", 400...499),
            (
                "GET /livez HTTP/1.0\r\nA: \(String(repeating: "b", count: 200_000))\r\n\r\n",
                400...499
            ),
            (
                "PUT /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                400...405
            ),
            ("GET /livez HTTP/1.1\r\n\r\n", 400...400),
        ] as [(String, ClosedRange<Int>)])
    func `what is no good request gets an answer that says so`(
        request: String, statuses: ClosedRange<Int>
    ) throws {
        let test = try TestServer()
        let answer = try HTTPExchange.send(Array(request.utf8), to: test.address)
        #expect(statuses.contains(answer.status), "\(answer)")
        #expect(try HTTPExchange.get("/version", from: test.address).status == 200)
    }

    /// No HTTP at all may be answered by closing the connection, but never by a trap or a hang.
    @Test(arguments: [
        "\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET /livez\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{0}\u{A5}\u{1}\u{0}\u{0}\u{A1}\r\n\r\n", "get /livez HTTP/9.9\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost a\r\n: :\r\nConnection: close\r\n\r\n",
    ])
    func `garbage does no harm`(request: String) throws {
        let test = try TestServer()
        let descriptor = try HTTPExchange.connect(to: test.address)
        _ = send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL))
        shutdown(descriptor, Int32(SHUT_WR))
        var byte: UInt8 = 0
        // Either an answer's first byte or the end: nothing within the patience is a failure.
        let count = recv(descriptor, &byte, 1, 0)
        #expect(count >= 0 || errno == ECONNRESET)
        close(descriptor)
        #expect(try HTTPExchange.get("/version", from: test.address).status == 200)
    }

    @Test func `one client with many connections keeps nobody else out`() throws {
        let test = try TestServer()
        var idle: [Int32] = []
        defer { for descriptor in idle { close(descriptor) } }
        for _ in 0..<Int(OperationsServer.connectionsPerAddressMax) {
            idle.append(try HTTPExchange.connect(to: test.address))
        }
        // From the same address it is refused, or waits; after its first one is gone it is served.
        for descriptor in idle.prefix(8) { close(descriptor) }
        idle.removeFirst(8)
        var status = 0
        for _ in 0..<100 where status != 200 {
            status = (try? HTTPExchange.get("/version", from: test.address).status) ?? 0
            if status != 200 { usleep(50_000) }
        }
        #expect(status == 200)
    }

    @Test func `a port in use is a clear error`() throws {
        let test = try TestServer()
        do throws(Fault) {
            _ = try OperationsServer(address: test.server.address, observer: test.observer)
            Issue.record("two servers listen at one port")
        } catch {
            #expect(error.disposition == .stop(.unavailable))
            #expect(error.description.contains("another process listens there"))
            #expect(error.description.contains(test.address))
        }
    }

    @Test(
        arguments: [
            ("192.0.2.1", .config, "no address of this machine"),
            ("::z", .config, "no IPv4 or IPv6"),
        ] as [(String, ExitCode, String)])
    func `an address that can't be had is a clear error`(
        host: String, code: ExitCode, text: String
    ) throws {
        let observer = try TestServer().observer
        do throws(Fault) {
            _ = try OperationsServer(
                address: ListenAddress(host: host, port: 0), observer: observer)
            Issue.record("it listens at \(host)")
        } catch {
            #expect(error.disposition == .stop(code))
            #expect(error.description.contains(text))
        }
    }

    @Test func `liveness fails when one lane gives no sign, and only then`() throws {
        let test = try TestServer()
        #expect(try HTTPExchange.get("/livez", from: test.address).status == 200)
        test.time.now.withLock { $0 += .seconds(61) }
        let answer = try HTTPExchange.get("/livez", from: test.address)
        #expect(answer.status == 503)
        #expect(answer.body.contains("lane 0 is stuck: start has lasted 61 s"))
        test.observer.lanes.forEach { $0.ended() }
        #expect(try HTTPExchange.get("/livez", from: test.address).body.contains("no lane is left"))
    }

    @Test(
        arguments: [
            (nil, .prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            ("Application/OpenMetrics-Text; version=1.0.0 ; Q=0.5, text/plain;q=0.3", .openMetrics),
            ("application/openmetrics-text;q=0.2,text/plain;q=0.3", .prometheus),
            ("application/openmetrics-text;q=0", .prometheus),
            ("application/openmetrics-text;q=nan", .prometheus), (",;,q=;;=,", .prometheus),
            (String(repeating: "a,", count: 5000) + "application/openmetrics-text", .prometheus),
        ] as [(String?, MetricText.Format)])
    func `an Accept header is weighed`(accept: String?, format: MetricText.Format) {
        #expect(MediaRange.format(for: accept) == format)
    }
}

extension Policy {
    fileprivate init(apps: [AppPolicy]) {
        self.init(apps: apps, maxRequestAge: .seconds(1), maxClockSkew: .seconds(1))
    }
}

extension AppPolicy {
    fileprivate static func real(_ appID: String) -> AppPolicy {
        AppPolicy(
            relyingParty: RelyingParty(
                appID: appID, environments: [.production], trustAnchor: .appleAppAttestRoot))
    }

    fileprivate static func simulated(_ appID: String) -> AppPolicy {
        var app = real(appID)
        app.isSimulated = true
        return app
    }
}
