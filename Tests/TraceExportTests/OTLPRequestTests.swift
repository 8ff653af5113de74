import Foundation
import SeededNumbers
import Testing
import Wire
import Worker

@testable import TraceExport

@Suite struct `OTLP requests` {
    private static let python = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/differential/bin/python")

    private func span() throws -> Span {
        var random = SplitMix64(seed: 2)
        let parent = try #require(
            TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        let other = TraceContext(
            traceID: TraceID(using: &random), spanID: SpanID(using: &random), flags: 1)
        var span = Span(
            "send verdicts", .producer, parent.child(other.spanID), parent: parent.spanID,
            start: 1_796_000_000_000_000_001, end: 1_796_000_000_000_000_002)
        span.state = "a=b"
        span.attributes = [
            "text": .text("\"ü\n"), "number": .number(.max), "flag": .flag(false),
        ]
        span.links = [other]
        span.droppedLinkCount = 7
        return span
    }

    private func encoded() throws -> String {
        let bytes = OTLPRequest.encode(
            [try span()], resource: ["service.name": "attest-worker"], version: "1")
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    @Test func `have ids in hexadecimal and 64-bit numbers as text`() throws {
        let text = try encoded()
        #expect(text.contains(#""traceId":"0af7651916cd43dd8448eb211c80319c""#))
        #expect(text.contains(#""parentSpanId":"b7ad6b7169203331""#))
        #expect(text.contains(#""startTimeUnixNano":"1796000000000000001""#))
        #expect(text.contains(#""intValue":"9223372036854775807""#))
        #expect(text.contains(#""kind":4"#))
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: python.path()),
            "OpenTelemetry's messages are not there; deploy/python-environment.sh gets them"))
    func `are what OpenTelemetry's own messages read`() throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "attest-otlp-\(UInt64.random(in: 0 ... .max)).jsonl")
        try Data((try encoded() + "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = Self.python
        process.arguments = [
            URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "check_otlp.py").path(), file.path(),
        ]
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let read = try #require(JSONSerialization.jsonObject(with: text) as? NSDictionary)
        let span = try span()
        let expected: NSDictionary = [
            "name": "send verdicts", "kind": 4, "flags": 1, "parent": "b7ad6b7169203331",
            "state": "a=b", "dropped": 7,
            "attributes": ["text": "\"ü\n", "number": Int64.max, "flag": false] as NSDictionary,
            "links": span.links.map(\.spanID.hexadecimal),
        ]
        #expect(read == expected)
    }

    @Test(arguments: [
        (#"{"partialSuccess":{"rejectedSpans":"3"}}"#, 3),
        (#"{"partialSuccess":{"rejectedSpans":2}}"#, 2),
        (#"{"partialSuccess":{"rejectedSpans":"99"}}"#, 5),
        (#"{"partialSuccess":{"rejectedSpans":-1}}"#, 0),
        (#"{"partialSuccess":{}}"#, 0), (#"{"partialSuccess":null}"#, 0), ("{}", 0), ("", 0),
        ("no JSON", 0), (#"{"partialSuccess":{"rejectedSpans":"x"}}"#, 0),
    ])
    func `are answered with how many spans were refused`(_ body: String, _ count: Int) {
        #expect(OTLPResponse.rejectedCount(in: Array(body.utf8), of: 5) == count)
    }
}
