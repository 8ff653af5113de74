import KafkaTransport
import Testing
import Worker

@testable import attest_worker

@Suite struct CheckReportTests {
    @Test func `all well is success`() {
        var report = CheckReport()
        report.add("settings", .success("fine"))
        report.warn("topic", "look at it")
        #expect(report.text == "ok    settings: fine\nwarn  topic: look at it\n")
        #expect(report.exitCode == .success)
    }

    @Test func `the gravest failure gives the code`() {
        var report = CheckReport()
        report.add("brokers", .failure(.init(.unavailable, "down")))
        report.add("database schema", .failure(.init(.incompatible, "old")))
        report.add("settings", .success("fine"))
        #expect(report.exitCode == .incompatible)
        #expect(report.text.contains("FAIL  brokers: down\n"))
    }

    func report(_ topic: String, _ values: [String: String]) -> CheckReport {
        var report = CheckReport()
        TopicCheck.check(topic, .known(values), Settings(), &report)
        return report
    }

    @Test(arguments: ["attest.requests.v1", "attest.verdicts.v1"])
    func `a topic that compacts is refused`(topic: String) {
        let report = report(topic, ["cleanup.policy": "compact,delete", "retention.ms": "1"])
        #expect(report.exitCode == .incompatible)
    }

    @Test(arguments: [("604800000", "ok  "), ("2592000001", "warn"), ("-1", "warn"), ("x", "warn")])
    func `requests must not be kept longer than they are remembered`(
        milliseconds: String, mark: String
    ) {
        let report = report("attest.requests.v1", ["retention.ms": milliseconds])
        #expect(report.text.hasPrefix(mark))
        #expect(report.exitCode == .success)
    }

    @Test func `verdicts may be kept for as long as one likes`() {
        #expect(report("attest.verdicts.v1", ["retention.ms": "-1"]).text.hasPrefix("ok"))
    }

    @Test func `a broker that does not tell is no failure`() {
        var report = CheckReport()
        TopicCheck.check("t", .notAnswered(code: "TIMED_OUT"), Settings(), &report)
        #expect(report.text.hasPrefix("warn"))
        #expect(report.exitCode == .success)
    }
}
