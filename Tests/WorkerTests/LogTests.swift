import Foundation
import Synchronization
import Testing
import Worker

@Suite struct LogTests {
    @Test func `a changed level counts for all that share it`() {
        let lines = Mutex<[String]>([])
        let log = Log(level: .warning, format: .text, clock: { 0 }) { bytes in
            lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
        let lane = log.with(["lane": "lane-0"])
        lane(.info, "unheard", "not written")
        log.level = .debug
        lane(.debug, "heard", "written")
        #expect(lane.level == .debug)
        log.level = .error
        lane(.warning, "unheard", "not written")
        #expect(lines.withLock { $0.count } == 1)
        #expect(lines.withLock { $0.first }?.contains("heard") == true)
    }

    /// Keeps what is written.
    final class Lines: Sendable {
        private let lines = Mutex<[[UInt8]]>([])

        var texts: [String] {
            lines.withLock { $0.map { String(decoding: $0, as: UTF8.self) } }
        }

        func append(_ line: [UInt8]) {
            lines.withLock { $0.append(line) }
        }
    }

    func log(
        _ format: Log.Format = .json, level: LogLevel = .debug, at microseconds: Int64 = 0,
        into lines: Lines
    ) -> Log {
        Log(level: level, format: format, clock: { microseconds }, sink: { lines.append($0) })
    }

    @Test func `a line is one JSON object with its members in order`() {
        let lines = Lines()
        let lane = log(at: 1_795_790_767_000_042, into: lines).with(["worker_id": "w1"])
        lane(.info, "batch_decided", "24 requests decided", ["partition": 3, "fatal": false])
        #expect(
            lines.texts == [
                #"{"ts":"2026-11-27T14:46:07.000042Z","level":"info","event":"batch_decided","#
                    + #""msg":"24 requests decided","worker_id":"w1","partition":3,"#
                    + #""fatal":false}"# + "\n"
            ])
    }

    @Test(arguments: [
        (Int64(-1), "1969-12-31T23:59:59.999999Z"), (0, "1970-01-01T00:00:00.000000Z"),
        (951_782_400_000_001, "2000-02-29T00:00:00.000001Z"),
    ])
    func `the timestamp is RFC 3339 in UTC with microseconds`(
        microseconds: Int64, expected: String
    ) {
        let lines = Lines()
        log(at: microseconds, into: lines)(.info, "e", "m")
        #expect(lines.texts.first?.hasPrefix(#"{"ts":"\#(expected)","#) == true)
    }

    @Test func `lines below the level are not written`() {
        let lines = Lines()
        let warnings = log(level: .warning, into: lines)
        for level in LogLevel.allCases { warnings(level, "e", "m") }
        #expect(lines.texts.count == 2)
    }

    @Test func `whatever a text holds, the line parses back to it`() throws {
        let hostile =
            (0...0x2030).compactMap { Unicode.Scalar($0).map(String.init) }.joined() + "🔑"
        // In pieces: a text beyond the limit is cut.
        for start in stride(from: 0, to: hostile.count, by: 200) {
            let piece = String(hostile.dropFirst(start).prefix(200))
            let lines = Lines()
            log(into: lines)(.info, "e", piece, ["field": .text(piece)])
            let line = try #require(lines.texts.first)
            #expect(line.split(separator: "\n", omittingEmptySubsequences: true).count == 1)
            let object = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
            #expect(object["msg"]?.unicodeScalars.elementsEqual(piece.unicodeScalars) == true)
            #expect(object["field"]?.unicodeScalars.elementsEqual(piece.unicodeScalars) == true)
        }
    }

    @Test func `a text beyond the limit is cut and stays UTF-8`() throws {
        let lines = Lines()
        log(into: lines)(.info, "e", String(repeating: "é", count: 5000) + "x")
        let line = try #require(lines.texts.first)
        #expect(line.utf8.count < LogValue.textBytesMax + 200)
        let object = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(object["msg"]?.hasSuffix("é…") == true)
    }

    @Test func `a name given twice appears once, with the latter value`() throws {
        let lines = Lines()
        log(into: lines).with(["a": 1, "a": 2])(.info, "e", "m", ["a": 3, "b": 4])
        #expect(lines.texts.first?.hasSuffix(#""msg":"m","a":3,"b":4}"# + "\n") == true)
    }

    @Test func `a copy's fields don't reach the log it was made from`() {
        let lines = Lines()
        let root = log(into: lines)
        root.with(["lane": 1])(.info, "e", "m")
        root(.info, "e", "m")
        #expect(lines.texts.map { $0.contains("lane") } == [true, false])
    }

    @Test func `a fault is written with operation and code`() {
        let lines = Lines()
        let fault = Fault(
            operation: "lock keys", code: "57P01", disposition: .retry, message: "server stops")
        log(into: lines)(.warning, "store_failed", fault, ["attempt": 2])
        #expect(
            lines.texts.first?.hasSuffix(
                #""msg":"server stops","operation":"lock keys","error_code":"57P01","#
                    + #""attempt":2}"# + "\n") == true)
    }

    @Test func `the text format is one line that can't move a cursor`() {
        let lines = Lines()
        log(.text, at: 3_661_250_000, into: lines)(
            .info, "e", "a\u{1B}[2J\nb\u{9B}c", ["name": "two words", "n": -1, "f": true])
        #expect(
            lines.texts == [
                #"01:01:01.250 info    e: a\u001b[2J\u000ab\u009bc  name="two words" n=-1 f=true"#
                    + "\n"
            ])
    }

    @Test func `durations are whole milliseconds and never trap`() {
        #expect(LogValue(milliseconds: .microseconds(1_999)) == .number(1))
        #expect(LogValue(milliseconds: .seconds(Int64.max)) == .number(.max))
        #expect(LogValue(UInt64.max) == .number(.max))
    }
}
