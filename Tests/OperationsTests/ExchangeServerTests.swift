import Dispatch
import Glibc
import Harness
import Synchronization
import Testing
import Worker

@testable import Operations

/// A server whose answers come later, over real sockets.
@Suite(.serialized) struct ExchangeServerTests {
    /// Answers what it was asked, when told to or at once.
    private final class Handler: ExchangeHandler {
        let waiting = Mutex<[(request: ExchangeRequest, exchange: Exchange)]>([])
        let isPatient: Bool

        init(isPatient: Bool = false) {
            self.isPatient = isPatient
        }

        func handle(_ request: ExchangeRequest, _ exchange: Exchange) {
            if isPatient {
                waiting.withLock { $0.append((request, exchange)) }
            } else {
                exchange.answer(Self.answer(request))
            }
        }

        func refusal(_ flaw: ExchangeFlaw) -> HTTPAnswer {
            .text(flaw == .bodyTooLarge ? 413 : 414, "\(flaw)")
        }

        static func answer(_ request: ExchangeRequest) -> HTTPAnswer {
            let headers = request.headers.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }.joined(separator: ";")
            let body = String(decoding: request.body, as: UTF8.self)
            return .text(
                200, "\(request.method) \(request.path) [\(headers)] \(body) \(request.peer)")
        }

        /// Answers all who wait, from the calling thread.
        func answerAll() {
            let all = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for (request, exchange) in all { exchange.answer(Self.answer(request)) }
        }
    }

    private func server(
        _ handler: Handler, _ change: (inout ExchangeLimits) -> Void = { _ in }
    ) throws -> ExchangeServer {
        var limits = ExchangeLimits()
        limits.bodyBytesMax = 1000
        change(&limits)
        return try ExchangeServer(
            address: ListenAddress(host: "127.0.0.1", port: 0), limits: limits,
            headerNames: ["x-wanted"], handler: handler)
    }

    private func post(_ body: String, _ head: String = "") -> [UInt8] {
        Array(
            ("POST /a%20b?q=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(head)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
    }

    @Test func `a request is handed over whole, with the wanted headers`() throws {
        let server = try server(Handler())
        defer { server.stop() }
        let answer = try HTTPExchange.send(
            post("the body", "X-Wanted: 1\r\nX-Other: 2\r\nx-WANTED: 3\r\n"),
            to: server.address.description)
        #expect(answer.status == 200)
        #expect(answer.body == "POST /a b [x-wanted=1, 3] the body 127.0.0.1\n")
    }

    @Test func `hundreds wait without a thread each, and all are answered`() throws {
        let handler = Handler(isPatient: true)
        let server = try server(handler)
        defer { server.stop() }
        let sockets = try (0..<300).map { number in
            let socket = try HTTPExchange.connect(to: server.address.description)
            let bytes = post("number \(number)")
            #expect(send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
            return socket
        }
        defer { for socket in sockets { close(socket) } }
        let deadline = ContinuousClock.now + .seconds(20)
        while handler.waiting.withLock({ $0.count }) < 300, ContinuousClock.now < deadline {
            usleep(10_000)
        }
        #expect(handler.waiting.withLock { $0.count } == 300)
        #expect(server.busyCount == 300)
        handler.answerAll()
        for (number, socket) in sockets.enumerated() {
            var bytes = [UInt8](repeating: 0, count: 4096)
            var text = ""
            while case let count = recv(socket, &bytes, bytes.count, 0), count > 0 {
                text += String(decoding: bytes.prefix(count), as: UTF8.self)
            }
            #expect(text.hasPrefix("HTTP/1.1 200") && text.contains("number \(number) 127"))
        }
    }

    @Test func `a client that goes away while it waits harms nobody`() throws {
        let handler = Handler(isPatient: true)
        let server = try server(handler)
        defer { server.stop() }
        for _ in 0..<20 {
            let socket = try HTTPExchange.connect(to: server.address.description)
            let bytes = post("gone")
            _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            usleep(2_000)
            close(socket)
        }
        usleep(50_000)
        handler.answerAll()
        handler.answerAll()
        let last = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            usleep(100_000)
            handler.answerAll()
            last.signal()
        }
        let answer = try HTTPExchange.send(post("here"), to: server.address.description)
        #expect(answer.status == 200)
        last.wait()
    }

    @Test func `a body that is too large is refused, told in advance or not`() throws {
        let server = try server(Handler())
        defer { server.stop() }
        let address = server.address.description
        #expect(
            try HTTPExchange.send(post(String(repeating: "x", count: 1000)), to: address).status
                == 200)
        #expect(
            try HTTPExchange.send(post(String(repeating: "x", count: 1001)), to: address).status
                == 413)
        func chunked(_ count: Int) -> [UInt8] {
            let size = String(count, radix: 16)
            return Array(
                ("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked"
                    + "\r\n\r\n\(size)\r\n\(String(repeating: "y", count: count))\r\n0\r\n\r\n")
                    .utf8)
        }
        #expect(try HTTPExchange.send(chunked(1000), to: address).status == 200)
        #expect(try HTTPExchange.send(chunked(1001), to: address).status == 413)
        // Far beyond, the connection is closed.
        #expect(try HTTPExchange.send(chunked(100_000), to: address).status == 0)
        let path = "/" + String(repeating: "p", count: 2000)
        #expect(try HTTPExchange.get(path, from: address).status == 414)
    }

    @Test func `a request that trickles in is cut, and one that waits is not`() throws {
        let handler = Handler(isPatient: true)
        let server = try server(handler) { $0.arrival = .milliseconds(200) }
        defer { server.stop() }
        let address = server.address.description
        let slow = try HTTPExchange.connect(to: address)
        let patient = try HTTPExchange.connect(to: address)
        defer {
            close(slow)
            close(patient)
        }
        let bytes = post("waits")
        _ = send(patient, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var cut = 0
        for byte in Array("POST / HTTP/1.1\r\nHost: trickle-trickle-trickle".utf8) {
            usleep(20_000)
            cut += server.cutSlowConnections()
            var byte = byte
            if send(slow, &byte, 1, Int32(MSG_NOSIGNAL)) != 1 { break }
        }
        #expect(cut == 1)
        var none: UInt8 = 0
        #expect(recv(slow, &none, 1, 0) <= 0)
        handler.answerAll()
        var answer = [UInt8](repeating: 0, count: 12)
        #expect(recv(patient, &answer, answer.count, 0) == 12)
        #expect(String(decoding: answer, as: UTF8.self) == "HTTP/1.1 200")
    }

    @Test func `an address that is taken is told`() throws {
        let server = try server(Handler())
        defer { server.stop() }
        let fault = #expect(throws: Fault.self) {
            try ExchangeServer(
                address: server.address, limits: ExchangeLimits(), headerNames: [],
                handler: Handler())
        }
        #expect(fault?.disposition == .stop(.unavailable))
    }

    @Test func `who listens no more still answers those who wait`() throws {
        let handler = Handler(isPatient: true)
        let server = try server(handler)
        let socket = try HTTPExchange.connect(to: server.address.description)
        defer { close(socket) }
        let bytes = post("last")
        _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        while handler.waiting.withLock({ $0.isEmpty }) { usleep(5_000) }
        server.stopListening()
        #expect(throws: (any Error).self) {
            try HTTPExchange.get("/", from: server.address.description)
        }
        handler.answerAll()
        while server.busyCount > 0 { usleep(5_000) }
        server.stop()
        server.stop()
        var answer = [UInt8](repeating: 0, count: 12)
        #expect(recv(socket, &answer, answer.count, 0) == 12)
    }
}
