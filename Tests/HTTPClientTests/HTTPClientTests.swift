import Foundation
import HTTPClient
import Synchronization
import TestHTTPServer
import Testing

@Suite(.serialized) struct `The HTTP client` {
    private func client(
        _ change: (inout HTTPClient.Settings) -> Void = { _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> HTTPClient {
        var settings = HTTPClient.Settings()
        settings.timeout = .seconds(30)
        change(&settings)
        return try HTTPClient(settings, isCancelled: isCancelled)
    }

    private func url(_ server: TestHTTPServer, _ scheme: String = "http") -> String {
        "\(scheme)://127.0.0.1:\(server.port)/a?b=c"
    }

    @Test func `posts and gets on one connection`() throws {
        let server = try TestHTTPServer(.take)
        let client = try client()
        let header = try #require(HTTPRequest.Header(name: "x-own", value: "v"))
        let body = Array("{\"é\":1}".utf8)
        let posted = try client.send(
            HTTPRequest(url: url(server), headers: [header], body: body))
        #expect(posted.status == 200 && posted.body == Array("{}".utf8))
        _ = try client.send(HTTPRequest(url: url(server)))
        _ = try client.send(HTTPRequest(url: url(server), body: []))
        let requests = try server.requests()
        #expect(requests.map(\.method) == ["POST", "GET", "POST"])
        #expect(requests.map(\.body) == ["{\"é\":1}", "", ""])
        #expect(requests.map { $0.headers["x-own"] } == ["v", nil, nil])
        #expect(requests.allSatisfy { $0.path == "/a?b=c" && $0.headers["expect"] == nil })
        #expect(Set(requests.map(\.clientPort)).count == 1)
    }

    @Test(arguments: [(TestHTTPServer.Mode.refuse, 503), (.malformed, 400), (.redirect, 302)])
    func `gives the answer whatever its status, and follows nothing`(
        _ mode: TestHTTPServer.Mode, _ status: Int
    ) throws {
        let server = try TestHTTPServer(mode)
        let response = try client().send(HTTPRequest(url: url(server), body: []))
        #expect(response.status == status)
        #expect(try server.requests().count == 1)
    }

    @Test func `tells why there is no answer, and goes on afterwards`() throws {
        let server = try TestHTTPServer(.hangUp)
        let request = HTTPRequest(url: url(server), body: [1])
        let client = try client { $0.timeout = .seconds(2) }
        func kind() throws -> HTTPFailure.Kind? {
            #expect(throws: HTTPFailure.self) { try client.send(request) }?.kind
        }
        #expect(try kind() == .unreachable)
        try server.answer(.slow)
        #expect(try kind() == .timeout)
        try server.answer(.large)
        #expect(try kind() == .tooLarge)
        try server.answer(.take)
        #expect(try client.send(request).status == 200)
        server.stop()
        #expect(try kind() == .unreachable)
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://127.0.0.1/", "", "http://[", "no url"])
    func `takes nothing but HTTP and HTTPS`(_ url: String) throws {
        let failure = #expect(throws: HTTPFailure.self) {
            try client { $0.timeout = .seconds(2) }.send(HTTPRequest(url: url))
        }
        #expect(failure?.kind != .timeout && failure?.kind != .tooLarge)
    }

    @Test func `ends when it is told to`() throws {
        let server = try TestHTTPServer(.slow)
        let start = ContinuousClock.now
        let client = try client(isCancelled: { start.duration(to: .now) > .milliseconds(100) })
        let failure = #expect(throws: HTTPFailure.self) {
            try client.send(HTTPRequest(url: url(server)))
        }
        #expect(failure?.kind == .cancelled)
        #expect(start.duration(to: .now) < .seconds(25))
    }

    @Test func `proves who answers, by the given root`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-tls-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let paths = try ["right", "other"].map { try makeIdentity($0, in: folder) }
        let server = try TestHTTPServer(.take, identity: paths[0])
        let trusting = try client { $0.caFile = paths[0].certificate }
        #expect(try trusting.send(HTTPRequest(url: url(server, "https"))).status == 200)
        for caFile in [nil, paths[1].certificate, folder.path() + "/gone.pem"] {
            let client = try client { $0.caFile = caFile }
            let failure = #expect(throws: HTTPFailure.self) {
                try client.send(HTTPRequest(url: url(server, "https")))
            }
            #expect(failure?.kind == .tls, "\(caFile ?? "the system's")")
        }
        // A name that the certificate does not have.
        let named = #expect(throws: HTTPFailure.self) {
            try trusting.send(HTTPRequest(url: "https://localhost:\(server.port)/"))
        }
        #expect(named?.kind == .tls)
        #expect(try server.requests().count == 1)
    }

    @Test func `headers can't break out of their line`() {
        for (name, value) in [
            ("", "v"), ("a b", "v"), ("a:", "v"), ("a\n", "v"), ("ä", "v"), ("a", ""),
            ("a", "v\r\nb: c"), ("a", "\0"), ("a", "ü"),
        ] {
            #expect(HTTPRequest.Header(name: name, value: value) == nil, "\(name): \(value)")
        }
        #expect(HTTPRequest.Header(name: "X-a_1", value: "b c\td") != nil)
    }

    /// A certificate for 127.0.0.1 that signs itself.
    private func makeIdentity(
        _ name: String, in folder: URL
    ) throws -> (certificate: String, key: String) {
        let paths = ["crt", "key"].map { folder.appending(path: "\(name).\($0)").path() }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
            "-out", paths[0], "-keyout", paths[1],
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return (paths[0], paths[1])
    }
}
