import Testing
import Worker

@testable import attest_worker

@Suite struct CheckReportTests {
    let wrong = Finding(
        .warning, "retention", found: "7d", needed: "14d", remedy: "raise it")

    @Test func `all well is success`() {
        let findings = [Finding.fine("settings", "fine"), wrong]
        #expect(
            findings.report
                == "ok    settings: fine\nwarn  retention: 7d; needed: 14d; raise it\n")
        #expect(findings.exitCode == .success)
        #expect(findings.exitCodeOfRun == nil)
    }

    @Test func `the gravest failure gives the code`() {
        let findings = [
            Finding.failure("brokers", .unavailable, "down"),
            .failure("database schema", .incompatible, "old"), .fine("settings", "fine"),
        ]
        #expect(findings.exitCode == .incompatible)
        #expect(findings.exitCodeOfRun == .incompatible)
        #expect(findings.report.contains("FAIL  brokers: down\n"))
    }

    @Test func `run does not end because something can't be reached`() {
        let findings = [Finding.failure("brokers", .unavailable, "down")]
        #expect(findings.exitCode == .unavailable)
        #expect(findings.exitCodeOfRun == nil)
    }

    @Test func `findings of the start are logged by their weight`() {
        let test = TestConsole()
        let console = test.console()
        let log = Log(
            level: .debug, format: .json, clock: console.clock, sink: console.writeError)
        log.write([
            .fine("a", "fine"), wrong, .failure("c", .incompatible, "old"),
            .failure("d", .unavailable, "down"),
        ])
        let lines = test.errorText.split(separator: "\n").map(String.init)
        let levels = ["debug", "warning", "error", "warning"]
        #expect(lines.count == levels.count)
        for (line, level) in zip(lines, levels) {
            #expect(line.contains(#""level":"\#(level)","event":"start_up_check""#), "\(line)")
        }
    }

    @Test(
        arguments: [
            (
                ["/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/memory.max": "1048576\n"],
                1_048_576
            ),
            (
                [
                    "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n",
                    "/proc/meminfo": "MemTotal:       2048 kB\nMemFree: 1 kB\n",
                ], 2_097_152
            ),
            (["/sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n"], 4096),
            ([:], nil),
        ] as [([String: String], Int64?)])
    func `the least limit on memory counts`(files: [String: String], bytes: Int64?) {
        let console = TestConsole().console(files: files)
        #expect(MemoryLimit.bytes(read: console.readFile) == bytes)
    }
}
