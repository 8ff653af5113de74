import Foundation
import Glibc
import Harness
import TestHTTPServer
import Testing

/// A worker process whose spans go to a collector that is good at first, then ever worse: its
/// verdicts must not change by it.
@Suite(.serialized) struct `Traces of a worker` {
    @Test func `go on in verdicts, and no collector harms these`() async throws {
        let folder = try Folder("attest-traces")
        let collector = try TestHTTPServer(.take)
        let worker = try await ChildProcess.start(
            BuildProducts.executable("attest-worker"),
            [
                "run", "--embedded", "--traces.interval=100ms", "--traces.queueSpansMax=200",
                "--traces.endpoint=http://127.0.0.1:\(collector.port)/v1/traces",
                "--traces.timeout=30s",
            ], environment: ["ATTEST_TRACES__HEADERS": "authorization: Bearer s3cret"],
            folder: folder, name: "worker")
        try await eventually("the worker shall be ready", within: .seconds(60)) {
            worker.output.hasSuffix("\n") || worker.ended != nil
        }
        let announced = try JSONDecoder().decode(Announced.self, from: Data(worker.output.utf8))
        let settings = try settings(for: announced, in: folder)

        try await simulate(settings, folder)
        try await eventually("spans shall come", within: .seconds(30)) {
            try spans(of: collector).contains { $0.contains("send attest.verdicts.v1") }
        }
        let told = try spans(of: collector)
        for name in ["process attest.requests.v1", "process batch", "decide", "commit"] {
            #expect(told.contains { $0.contains("\"\(name)") }, "\(name)")
        }
        #expect(try collector.requests().allSatisfy { $0.headers["authorization"] != nil })

        for mode in [TestHTTPServer.Mode.refuse, .slow] {
            try collector.answer(mode)
            try await simulate(settings, folder)
        }
        collector.stop()
        try await simulate(settings, folder)

        worker.send(SIGTERM)
        #expect(try await worker.waitForEnd(within: .seconds(40)) == .exited(0), "\(worker)")
        #expect(worker.errors.contains("spans_refused"), "\(worker)")
        #expect(!worker.errors.contains("s3cret"))
    }

    // MARK: - Helpers

    /// As much of what an embedded worker prints as the test reads.
    private struct Announced: Decodable {
        struct App: Decodable {
            let appId: String
            let trustAnchor: String
        }

        let bootstrapServers: String
        let simulatedApp: App
    }

    private func settings(for worker: Announced, in folder: Folder) throws -> [String] {
        let app = worker.simulatedApp
        let pem = app.trustAnchor.replacing("\n", with: "\\n")
        let file = try folder.write(
            "{apps: [{appId: \"\(app.appId)\", simulated: true, trustAnchor: \"\(pem)\"}]}",
            to: "settings.json5")
        return [
            "--app-id=\(app.appId)", "--config=\(file)",
            "--kafka.bootstrapServers=\(worker.bootstrapServers)",
        ]
    }

    /// Requests of which every third belongs to a trace; all must be answered rightly.
    private func simulate(_ settings: [String], _ folder: Folder) async throws {
        let load = try await ChildProcess.start(
            BuildProducts.executable("attest-worker"),
            [
                "simulate", "--seed=1", "--insecure-seed", "--devices=5", "--rate=100",
                "--duration=3s", "--lies=replay=5%,forged=5%,repeated=5%",
            ] + settings, folder: folder, name: "load-\(UInt64.random(in: 0 ... .max))")
        #expect(
            try await load.waitForEnd(within: .seconds(90)) == .exited(0),
            "\(load): \(load.output)")
    }

    private func spans(of collector: TestHTTPServer) throws -> [String] {
        try collector.requests().map(\.body)
    }
}
