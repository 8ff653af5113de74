import AppAttest
import AttestTestKit
import Foundation
import Testing
import Wire
import Worker

@testable import attest_worker

@Suite struct `Fixtures` {
    private func files(
        _ change: (inout FixtureFiles.Parameters) -> Void = { _ in }
    ) throws -> [String: [UInt8]] {
        var parameters = FixtureFiles.Parameters()
        parameters.at = WorkerInMemory.now
        change(&parameters)
        let fixtures = try #require(FixtureFiles(parameters))
        return Dictionary(fixtures.files.map { ($0.name, $0.bytes) }) { first, _ in first }
    }

    private func lines(_ bytes: [UInt8]?) throws -> [[String: Any]] {
        try (bytes ?? []).split(separator: 0x0A).map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line))
            return try #require(object as? [String: Any])
        }
    }

    @Test func `follow from seed, run and moment`() throws {
        let first = try files()
        #expect(try files() == first)
        for change: (inout FixtureFiles.Parameters) -> Void in [
            { $0.seed = .number(2) }, { $0.run = 1 },
            { $0.at = Instant(milliseconds: $0.at.milliseconds + 1) }, { $0.appID = "T.c" },
        ] {
            #expect(try files(change)["requests.jsonl"] != first["requests.jsonl"])
        }
        #expect(try files { $0.run = 1 }["root.pem"] == first["root.pem"])
    }

    @Test func `name a verdict for each request id, once`() throws {
        let files = try files()
        let requests = try lines(files["requests.jsonl"])
        let verdicts = try lines(files["verdicts.jsonl"])
        #expect(requests.count == FixtureStory.kinds.count)
        let ids = requests.compactMap { $0["requestId"] as? String }
        #expect(ids.count == requests.count)
        #expect(Set(verdicts.compactMap { $0["requestId"] as? String }) == Set(ids))
        #expect(verdicts.count == Set(ids).count)
    }

    @Test func `say what the worker's own judgement and decision give`() throws {
        let files = try files()
        let expected = try lines(files["verdicts.jsonl"])
        let plan = RequestPlan(
            PlanSettings(
                appID: EmbeddedRun.appID, authority: TestAuthority(seed: EmbeddedRun.seed),
                seed: SimulationSeed.number(EmbeddedRun.seed).seed(ofRun: 0),
                idPrefix: "fixture-0-"), now: WorkerInMemory.now)
        let requests = FixtureStory.requests(plan)
        let answers = try WorkerInMemory.answers(
            to: requests, of: plan, appID: EmbeddedRun.appID)
        var verdicts: [String: [String: Any]] = [:]
        for answer in answers {
            guard case .verdict(let record) = answer else { continue }
            let verdict = try #require(try lines(record.value).first)
            verdicts[try #require(verdict["requestId"] as? String)] = verdict
        }
        #expect(verdicts.count == expected.count)
        for line in expected {
            let id = try #require(line["requestId"] as? String)
            let verdict = try #require(verdicts[id])
            for (name, value) in line {
                #expect("\(verdict[name] ?? "absent")" == "\(value)", "\(id): \(name)")
            }
        }
    }

    @Test func `come with settings that the reader takes`() throws {
        let files = try files()
        let reading = try SettingsReader.read(
            arguments: ["--config=settings.json5"], environment: [:], switches: [], required: []
        ) { path throws(SettingsReader.UnreadableFile) in
            guard let bytes = files[path] else { throw .init(message: "does not exist") }
            return bytes
        }
        let app = try #require(reading.settings.apps.first)
        #expect(app.isSimulated)
        #expect(Policy.problems(in: reading).isEmpty)
        var options = SimulateOptions()
        options.appID = app.appID
        options.seed = .number(EmbeddedRun.seed)
        #expect(
            SimulatedAppCheck.problems(
                options, reading.settings, now: WorkerInMemory.now) == [])
    }

    @Test(arguments: [
        [], ["--out="], ["--out=x", "--at=yesterday"], ["--out=x", "--app-id=nodot"],
        ["--out=x", "--at=2020-03-18T18:39:54Z"], ["--out=x", "--at=2045-03-15T00:00:00Z"],
        ["--out=x", "--at=-2000-01-01T00:00:00Z"], ["--out=x", "--seed=-1"],
        ["--out=x", "--run=x"], ["--out=x", "--fast"],
        ["--out=x", "--seed-file=gone"],
    ])
    func `wrong command lines end with 64`(_ arguments: [String]) {
        let test = TestConsole()
        let console = test.console(microseconds: WorkerInMemory.now.milliseconds * 1000)
        let code = AttestWorker.run(["fixtures"] + arguments, console: console)
        #expect(code == .usage)
        #expect(test.errorText.split(separator: "\n").count == 2)
    }

    @Test func `are written into a folder, which is made`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-fixtures-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = TestConsole()
        let path = folder.appending(path: "a/b").path()
        let console = test.console(microseconds: WorkerInMemory.now.milliseconds * 1000)
        #expect(AttestWorker.run(["fixtures", "--out", path], console: console) == .success)
        let moment = UInt64(WorkerInMemory.now.milliseconds)
        for (name, bytes) in try files({ $0.run = moment }) {
            let written = try Data(contentsOf: folder.appending(path: "a/b/\(name)"))
            #expect(Array(written) == bytes)
        }
    }

    /// A worker's database answers what it has seen: so those made anew must be others.
    @Test func `made anew have other requests`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-fixtures-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let ids = try [Int64(0), 1, 1].map { seconds in
            let path = folder.path()
            let console = TestConsole().console(
                microseconds: (WorkerInMemory.now.milliseconds + seconds * 1000) * 1000)
            #expect(AttestWorker.run(["fixtures", "--out", path], console: console) == .success)
            let written = try Data(contentsOf: folder.appending(path: "requests.jsonl"))
            return Set(try lines(Array(written)).compactMap { $0["requestId"] as? String })
        }
        #expect(!ids[0].isEmpty)
        #expect(ids[0].isDisjoint(with: ids[1]))
        #expect(ids[1] == ids[2])
    }

    /// Each place with what it is told to be; some only where the tests do not run as root.
    @Test func `are not written where that can't be done, and the reason is told`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-fixtures-\(UInt64.random(in: 0 ... .max))").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let nothing = Data()
        try FileManager.default.createDirectory(
            atPath: folder + "/occupied/requests.jsonl", withIntermediateDirectories: true)
        try nothing.write(to: URL(filePath: folder + "/file"))
        let long = String(repeating: "x", count: 300)
        var cases = [
            (folder + "/file", "/file can't be written: it is no folder"),
            (folder + "/file/below", "/file can't be written: it is no folder"),
            (folder + "/occupied", "/occupied/requests.jsonl can't be written: it is a folder"),
            (folder + "/" + long, "\(long) can't be written: a name in it is too long"),
            ("/proc/fixtures", "/proc/fixtures can't be written: "),
        ]
        if geteuid() != 0 {
            cases.append(("/fixtures", "/fixtures can't be written: this user may not write there"))
        }
        for (place, reason) in cases {
            let test = TestConsole()
            let console = test.console(microseconds: WorkerInMemory.now.milliseconds * 1000)
            let code = AttestWorker.run(["fixtures", "--out", place], console: console)
            #expect(code == .incompatible, "\(place)")
            #expect(test.errorText.contains(reason), "\(test.errorText)")
            #expect(!test.errorText.contains("NSCocoa"))
        }
    }
}
