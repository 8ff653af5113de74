import Testing
import Worker

@testable import attest_worker

@Suite struct `The text of a demo` {
    @Test func `has columns that are flush`() {
        var table = TextTable([("kind", .left), ("sent", .right), ("", .left)])
        table.add(["replay", "7"])
        table.add(["garbage", "1000"])
        #expect(
            table.lines == [
                "kind     sent", "-------  ----", "replay      7", "garbage  1000",
            ])
    }

    @Test(arguments: [
        (Duration.zero, "0 µs"), (.microseconds(999), "999 µs"), (.milliseconds(1), "1.0 ms"),
        (.microseconds(12_345), "12.3 ms"), (.microseconds(999_999), "999.9 ms"),
        (.seconds(1), "1.00 s"), (.milliseconds(75_050), "75.05 s"),
    ])
    func `has durations with three figures`(_ duration: Duration, _ text: String) {
        #expect(duration.readable == text)
    }

    @Test func `has percentiles by nearest rank`() {
        let latency = Latency((1...200).reversed().map { .milliseconds($0) })
        #expect(latency.percentile(50) == .milliseconds(100))
        #expect(latency.percentile(99) == .milliseconds(198))
        #expect(latency.percentile(100) == .milliseconds(200))
        #expect(Latency([.seconds(1)]).percentile(50) == .seconds(1))
        #expect(Latency([]).percentile(50) == nil)
        #expect(Latency([]).summary == "p50 -, p95 -, p99 -, max -")
    }

    @Test func `tells of every kind, and that all is right`() throws {
        let demo = SmallDemo.shared
        var tally = Tally()
        for request in demo.requests { tally.sent(request, at: .zero) }
        for answer in try demo.answers() {
            tally.received(answer, at: .milliseconds(4))
        }
        let report = DemoReport(
            tally: tally, failures: [], phases: [("wait", .seconds(3))], exchange: .seconds(2))
        let text = report.lines.joined(separator: "\n")
        for kind in PlannedKind.allCases { #expect(text.contains(kind.rawValue)) }
        #expect(text.contains("119 records answered in 2.00 s: 59 a second"))
        #expect(text.contains("p50 4.0 ms"))
        #expect(text.contains("wait  3.00 s"))
        #expect(text.contains("dead letter, empty_value"))
        #expect(report.lines.last == "Every answer was the right one.")
        #expect(!text.contains("What is wrong"))
    }

    @Test func `lists failures, but not without end`() {
        let failure = WrongAnswer(unexpected: "a verdict")
        let report = DemoReport(
            tally: Tally(),
            failures: [WrongAnswer](repeating: failure, count: TallyTables.failuresShownMax + 3),
            phases: [], exchange: .zero)
        let shown = report.lines.filter { $0.hasPrefix("- ") }
        #expect(shown.count == TallyTables.failuresShownMax + 1)
        #expect(shown.first == "- expected nothing, found a verdict")
        #expect(shown.last == "- and 3 more")
        #expect(report.lines.last?.hasPrefix("WRONG: 53") == true)
    }

    @Test func `adds lines where nobody watches`() throws {
        let output = TestConsole()
        let start = ContinuousClock.now
        var terminal = ProgressTerminal(
            isLive: false, now: start, write: output.console().writeOutput)
        try terminal.update(at: start + .milliseconds(999)) { "too soon" }
        try terminal.update(at: start + .milliseconds(1000)) { "one" }
        try terminal.update(at: start + .milliseconds(1999)) { "too soon" }
        try terminal.say("end")
        #expect(output.outputText == "one\nend\n")
    }

    @Test func `changes one line on a terminal`() throws {
        let output = TestConsole()
        let start = ContinuousClock.now
        var terminal = ProgressTerminal(
            isLive: true, now: start, write: output.console().writeOutput)
        try terminal.update(at: start + .seconds(1)) { "one" }
        try terminal.update(at: start + .milliseconds(1100)) { "two" }
        try terminal.say("end")
        try terminal.say("more")
        let clear = "\r\u{1B}[K"
        #expect(output.outputText == "\(clear)one\(clear)two\(clear)end\nmore\n")
    }

    @Test func `ends the demo when nobody reads it any more`() {
        var terminal = ProgressTerminal(isLive: false, now: .now, write: { _ in false })
        #expect(throws: SimulationEnd.self) { try terminal.say("hello") }
    }

    @Test func `keeps the last log lines`() {
        let log = RecentLog()
        for number in 0...RecentLog.linesMax { log.add(Array("\(number)\n".utf8)) }
        let lines = String(decoding: log.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == RecentLog.linesMax)
        #expect(lines.first == "1")
    }
}
