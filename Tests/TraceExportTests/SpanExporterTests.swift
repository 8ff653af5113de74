import Foundation
import SeededNumbers
import Synchronization
import TestHTTPServer
import Testing
import Wire
import Worker

@testable import TraceExport

/// Spans on their way to a collector: a real server over TCP, in all the ways it can be bad.
@Suite(.serialized) struct `The exporter of spans` {
    /// So many different spans.
    private func spans(_ count: Int) -> [Span] {
        var random = SplitMix64(seed: 1)
        return (0..<count).map { number in
            let context = TraceContext(
                traceID: TraceID(using: &random), spanID: SpanID(using: &random), flags: 1)
            return Span(
                "span \(number)", .consumer, context, parent: nil,
                start: 1_796_000_000_000_000_000, end: 1_796_000_000_000_000_001)
        }
    }

    private func exporter(
        _ port: Int, _ change: (inout SpanExporter.Settings) -> Void = { _ in }
    ) throws -> SpanExporter {
        var settings = SpanExporter.Settings(endpoint: "http://127.0.0.1:\(port)/v1/traces")
        settings.interval = .milliseconds(50)
        settings.resource = ["service.name": "attest-worker"]
        settings.version = "test"
        change(&settings)
        let log = Log(level: .debug, format: .json, clock: { 0 }) { [lines = Lines.shared] line in
            lines.add(line)
        }
        let exporter = SpanExporter(settings, log: log)
        #expect(
            exporter.start { body in
                Thread.detachNewThread { body() }
                return true
            })
        return exporter
    }

    /// What the exporters of this suite have logged; the suite is serialized.
    private final class Lines: Sendable {
        static let shared = Lines()
        private let all = Mutex<[String]>([])

        func add(_ line: [UInt8]) {
            all.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }

        func take() -> String {
            all.withLock { lines in
                defer { lines.removeAll() }
                return lines.joined()
            }
        }
    }

    private func eventually(_ what: String, _ holds: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try !holds() {
            try #require(ContinuousClock.now < deadline, "\(what)")
            usleep(20_000)
        }
    }

    @Test func `sends each span once, in batches`() throws {
        let server = try TestHTTPServer(.take)
        let exporter = try exporter(server.port) {
            $0.batchSpansMax = 10
            $0.headers = [("authorization", "Bearer s3cret")]
        }
        let given = spans(95)
        for start in stride(from: 0, to: 95, by: 5) {
            exporter.take(Array(given[start..<start + 5]))
        }
        exporter.stop(within: .seconds(30))
        #expect(exporter.counts == SpanExporter.Counts(sent: 95, dropped: 0))
        let requests = try server.requests()
        #expect(requests.allSatisfy { $0.method == "POST" && $0.path == "/v1/traces" })
        #expect(requests.allSatisfy { $0.headers["content-type"] == "application/json" })
        #expect(requests.allSatisfy { $0.headers["authorization"] == "Bearer s3cret" })
        #expect(Set(requests.map(\.clientPort)).count == 1)
        let names = try requests.flatMap { try OTLPReader.spans(in: $0.body).map(\.name) }
        #expect(names == given.map(\.name))
        #expect(!Lines.shared.take().contains("s3cret"))
    }

    @Test func `keeps a batch for a collector that is away for a while, and tells so once`() throws
    {
        let server = try TestHTTPServer(.refuse)
        _ = Lines.shared.take()
        let exporter = try exporter(server.port)
        exporter.take(spans(3))
        try eventually("it is tried twice") { try server.requests().count >= 2 }
        #expect(exporter.counts == SpanExporter.Counts())
        try server.answer(.take)
        try eventually("it is taken") { exporter.counts.sent == 3 }
        exporter.stop(within: .seconds(30))
        let log = Lines.shared.take()
        #expect(log.split(separator: "\n").count == 2, "\(log)")
        #expect(log.contains("spans_refused") && log.contains("status 503"))
        #expect(log.contains("spans_taken_again"))
    }

    @Test(arguments: [(TestHTTPServer.Mode.malformed, 0), (.reject, 2), (.large, 0)])
    func `counts what a collector does not take`(
        _ mode: TestHTTPServer.Mode, _ sent: Int
    ) throws {
        let server = try TestHTTPServer(mode)
        let exporter = try exporter(server.port)
        exporter.take(spans(3))
        try eventually("it is counted") { exporter.counts.dropped > 0 }
        exporter.stop(within: .seconds(30))
        #expect(exporter.counts == SpanExporter.Counts(sent: sent, dropped: 3 - sent))
        #expect(try server.requests().count == 1)
    }

    /// Nobody who hands in spans may wait, and memory is bounded.
    @Test(arguments: [TestHTTPServer.Mode.slow, .hangUp, .refuse])
    func `never makes anyone wait, however bad the collector is`(
        _ mode: TestHTTPServer.Mode
    ) throws {
        let server = try TestHTTPServer(mode)
        let exporter = try exporter(server.port) {
            $0.batchSpansMax = 100
            $0.queueSpansMax = 1000
        }
        let some = spans(200)
        exporter.take(some)
        try eventually("the collector is asked") { try !server.requests().isEmpty }
        let start = ContinuousClock.now
        for _ in 0..<500 { exporter.take(some) }
        // A single wait for the collector would take longer.
        #expect(start.duration(to: .now) < .seconds(8))
        #expect(exporter.counts.dropped >= 500 * 200 - 1000)
        let stop = ContinuousClock.now
        exporter.stop(within: .milliseconds(500))
        #expect(stop.duration(to: .now) < .seconds(20))
        let counts = exporter.counts
        #expect(counts.sent == 0)
        #expect(counts.dropped == 501 * 200)
    }

    @Test func `loses all where nobody listens, and ends`() throws {
        let server = try TestHTTPServer(.take)
        server.stop()
        _ = Lines.shared.take()
        let exporter = try exporter(server.port)
        exporter.take(spans(5))
        exporter.stop(within: .seconds(5))
        exporter.take(spans(1))
        #expect(exporter.counts == SpanExporter.Counts(sent: 0, dropped: 6))
        let log = Lines.shared.take()
        #expect(log.contains("spans_refused") && log.contains("spans_dropped"))
        #expect(!log.contains("\(server.port)"))
    }
}
