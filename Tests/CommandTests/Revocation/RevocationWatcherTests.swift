import AppAttest
import Glibc
import Synchronization
import Testing
import Worker

@testable import attest_worker

/// The file of revocations, as it changes under a worker.
@Suite final class RevocationWatcherTests {
    private let folder: String
    private let path: String
    private let live = Live(RevocationList.none)
    private let test = TestConsole()
    private var settings = Settings().revocations
    private var writes = 0

    init() throws {
        var template = Array("/tmp/attest-revocations-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        folder = try #require(made)
        path = folder + "/list"
        settings.path = path
    }

    deinit {
        unlink(path)
        rmdir(folder)
    }

    /// Replaces the file as a publisher should: by a rename.
    private func write(_ text: String) throws {
        writes += 1
        let fresh = "\(folder)/fresh"
        let file = try #require(fopen(fresh, "w"))
        #expect(fputs(text, file) >= 0)
        fclose(file)
        // Two writes within one tick of the file system's clock must differ all the same.
        var times = [timespec(tv_sec: 1_700_000_000 + writes, tv_nsec: 0)]
        times.append(times[0])
        #expect(utimensat(AT_FDCWD, fresh, times, 0) == 0)
        #expect(rename(fresh, path) == 0)
    }

    private func watcher() throws -> RevocationWatcher {
        let console = test.console()
        return try #require(
            RevocationWatcher(
                settings, live: live,
                log: Log(
                    level: .info, format: .json, clock: console.clock, sink: console.writeError)))
    }

    private func told(_ event: String) -> Int {
        test.errorText.split(separator: "\n").count { $0.contains(#""event":"\#(event)""#) }
    }

    @Test func `each list that can be read is handed on, and each state of the file told once`()
        throws
    {
        try write("attest-revocations 1\napp TEAM.app\nend 1\n")
        let watcher = try watcher()
        #expect(watcher.begin())
        #expect(live.value.apps == ["TEAM.app"])
        watcher.look()
        #expect(told("revocations_adopted") == 1)

        try write("attest-revocations 1\napp TEAM.app\napp OTHER.app\nend 1\n")
        watcher.look()
        watcher.look()
        #expect(live.value.apps == ["TEAM.app"], "half a list is no list")
        #expect(told("revocations_refused") == 1)
        #expect(test.errorText.contains("line 4 must end a list of 2"))
        #expect(test.errorText.contains(#""list":"\#(live.value.version)""#))
        #expect(watcher.report?.isFileRefused == true)

        unlink(path)
        watcher.look()
        watcher.look()
        #expect(live.value.apps == ["TEAM.app"])
        #expect(told("revocations_refused") == 2, "that it is gone is another state")

        try write("attest-revocations 1\ncertificate 7f\nend 1\n")
        watcher.look()
        #expect(live.value.apps.isEmpty)
        #expect(live.value.certificates.count == 1)
        #expect(told("revocations_adopted") == 2)
        let report = try #require(watcher.report)
        #expect(!report.isFileRefused)
        #expect((report.adopted, report.refused) == (2, 2))
        #expect(report.writtenAt.milliseconds == 1_700_000_003_000)
        #expect((report.keys, report.certificates, report.apps) == (0, 1, 0))
    }

    @Test func `a file that goes away is told, and its list stands`() throws {
        try write("attest-revocations 1\napp TEAM.app\nend 1\n")
        let watcher = try watcher()
        #expect(watcher.begin())
        unlink(path)
        watcher.look()
        watcher.look()
        #expect(told("revocations_refused") == 1)
        #expect(live.value.apps == ["TEAM.app"])
        // The same list again: what was wrong is over, and that is told.
        try write("attest-revocations 1\napp TEAM.app\nend 1\n")
        watcher.look()
        #expect(told("revocations_adopted") == 2)
        #expect(watcher.report?.adopted == 1)
        #expect(watcher.report?.isFileRefused == false)
    }

    @Test func `without a first list nothing begins`() throws {
        #expect(try !watcher().begin())
        #expect(test.errorText.contains(#""list":"none""#))
        try write("key\n")
        #expect(try !watcher().begin())
        let findings = RevocationFile.findings(settings)
        #expect(findings.exitCode == .config)
        #expect(findings.first?.description.contains("line 1") == true)
        try write("attest-revocations 1\nend 0\n")
        #expect(RevocationFile.findings(settings).exitCode == .success)
        settings.path = nil
        #expect(RevocationFile.findings(settings).isEmpty)
    }

    @Test func `the thread that watches takes a change over and ends when asked`() throws {
        try write("attest-revocations 1\nend 0\n")
        settings.interval = .milliseconds(100)
        let watcher = try watcher()
        #expect(watcher.begin())
        let stop = StopSignal()
        let ended = StopSignal()
        #expect(
            DetachedThread.start {
                watcher.watch(until: stop)
                ended.request()
            })
        try write("attest-revocations 1\napp TEAM.app\nend 1\n")
        for _ in 0..<6000 where live.value.apps.isEmpty { usleep(10_000) }
        #expect(live.value.apps == ["TEAM.app"])
        stop.request()
        for _ in 0..<6000 where !ended.isRequested { usleep(10_000) }
        #expect(ended.isRequested)
    }

    @Test func `what is told of the list are metrics of the page`() throws {
        try write("attest-revocations 1\napp TEAM.app\nend 1\n")
        settings.ageMax = .seconds(3600)
        let watcher = try watcher()
        #expect(watcher.begin())
        let cells = try #require(watcher.report).cells
        let families = MetricTable.all.map(\.name).filter {
            $0.hasPrefix("attest_worker_revocation_")
        }
        #expect(cells.names == Set(families))
    }
}
