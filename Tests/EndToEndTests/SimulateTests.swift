import FoundationEssentials
import Glibc
import Harness
import Testing

/// `run --embedded`, `simulate` and `fixtures` as people start them: processes.
@Suite(.serialized) struct SimulateTests {
    private static let appID = "SIMULATED1.com.example.app"
    private static let seeded = ["--app-id=\(appID)", "--seed=1", "--insecure-seed"]

    @Test func `devices are simulated against an embedded worker, and SIGTERM ends both`()
        async throws
    {
        let folder = try Folder("attest-simulate")
        let worker = try await start(["run", "--embedded"], folder)
        let settings = try await settings(for: worker, folder)
        // It keeps its settings, and is not ended by a question for others.
        for signal in [SIGHUP, SIGUSR1, SIGUSR2] { worker.send(signal) }

        let canary = try await simulate(["--once", "--time-limit=20s"], settings, folder)
        #expect(try await canary.waitForEnd(within: .seconds(30)) == .exited(0), "\(canary)")
        #expect(canary.output.contains("counter_not_increasing"))

        let load = try await simulate(
            [
                "--devices=5", "--rate=40", "--duration=3s", "--skew=1", "--ios=14...27",
                "--lies=replay=20%,forged=10%,repeated=10%,conflict=5%,expired=5%,malformed=5%",
            ], settings, folder)
        #expect(
            try await load.waitForEnd(within: .seconds(40)) == .exited(0),
            "\(load): \(load.output)")
        #expect(load.output.hasSuffix("Every answer was the right one.\n"))
        #expect(load.output.contains("honest registration"))

        // Asked to stop, it still awaits what it sent, and judges by that.
        let stopped = try await simulate(["--rate=20", "--duration=5m"], settings, folder)
        try await eventually("requests shall be answered", within: .seconds(30)) {
            stopped.output.contains("answered 1") || stopped.ended != nil
        }
        stopped.send(SIGTERM)
        #expect(try await stopped.waitForEnd(within: .seconds(20)) == .exited(0), "\(stopped)")
        #expect(stopped.output.contains("stopping: nothing more is sent"))
        #expect(stopped.output.hasSuffix("Every answer was the right one.\n"))

        worker.send(SIGTERM)
        #expect(try await worker.waitForEnd(within: .seconds(30)) == .exited(0), "\(worker)")
        #expect(try postgresFolders(in: folder) == [])
    }

    @Test func `a canary finds out that nobody answers, or that an answer is wrong`() async throws {
        let folder = try Folder("attest-canary")
        let worker = try await start(["run", "--embedded"], folder)
        let settings = try await settings(for: worker, folder)
        // Another group's topics: nobody reads them.
        let unread = try await simulate(
            [
                "--once", "--time-limit=3s", "--kafka.topics.requests=attest.nobody.v1",
            ], settings, folder)
        #expect(try await unread.waitForEnd(within: .seconds(30)) == .exited(69), "\(unread)")
        #expect(unread.errors.contains("0 of 3 answers came within 3.00 s"), "\(unread)")
        #expect(unread.errors.contains("does a worker with these settings run?"))

        // The same devices again: their keys are known, and their sign counts were seen.
        for (times, code) in [(1, Int32(0)), (2, 1)] {
            let canary = try await simulate(
                ["--once", "--run=7", "--time-limit=10s"], settings, folder)
            #expect(
                try await canary.waitForEnd(within: .seconds(40)) == .exited(code),
                "time \(times): \(canary): \(canary.output)")
            #expect(canary.output.contains("WRONG") == (code == 1))
        }
    }

    @Test func `nothing is sent for an app that is not simulated, or without a broker`()
        async throws
    {
        let folder = try Folder("attest-refused")
        let real = try await simulate(
            ["--once"],
            ["--kafka.bootstrapServers=127.0.0.1:1", "--apps=[{appId: \"\(Self.appID)\"}]"],
            folder)
        #expect(try await real.waitForEnd(within: .seconds(10)) == .exited(78), "\(real)")
        #expect(real.errors.contains("is not marked \"simulated\": true"))

        let guessable = try await start(["simulate", "--app-id=T.b", "--seed=1"], folder)
        #expect(try await guessable.waitForEnd(within: .seconds(10)) == .exited(64))
        #expect(guessable.errors.contains("can be guessed"))

        let root = try await start(
            ["simulate", "--print-root", "--seed=1", "--insecure-seed"], folder)
        #expect(try await root.waitForEnd(within: .seconds(10)) == .exited(0))
        let file = try folder.write(
            "{apps: [{appId: \"\(Self.appID)\", simulated: true, trustAnchor: "
                + "\"\(root.output.replacing("\n", with: "\\n"))\"}]}", to: "lonely.json5")
        let lonely = try await simulate(
            ["--once", "--time-limit=2s"],
            ["--config=\(file)", "--kafka.bootstrapServers=127.0.0.1:1"], folder)
        // The limit holds for finding the broker too.
        #expect(try await lonely.waitForEnd(within: .seconds(7)) == .exited(69), "\(lonely)")
    }

    @Test func `an embedded worker refuses addresses, and ends with its parent`() async throws {
        let folder = try Folder("attest-embedded")
        let refused = try await start(
            ["run", "--embedded", "--kafka.bootstrapServers=b:1"], folder)
        #expect(try await refused.waitForEnd(within: .seconds(10)) == .exited(78))
        #expect(refused.errors.contains("kafka.bootstrapServers must not be set"))

        let program = try BuildProducts.executable("attest-worker")
        // Its standard input ends when `sleep` does; the shell tells how it ended.
        let fed = try await shell("sleep 8 | \(program) run --embedded; echo ended $?", folder)
        // Without a stream to hang on, it sees that its parent is another one.
        let orphaned = try await shell(
            "\(program) run --embedded </dev/null & echo process $!; sleep 8; exit 0", folder)
        try await eventually("both shall run", within: .seconds(20)) {
            try postgresFolders(in: folder).count == 2
        }
        #expect(try await orphaned.waitForEnd(within: .seconds(20)) == .exited(0))
        #expect(try await fed.waitForEnd(within: .seconds(40)) == .exited(0))
        #expect(fed.output.hasSuffix("ended 0\n"), "\(fed): \(fed.output)")
        #expect(fed.output.contains("\"bootstrapServers\":\"127.0.0.1:"))
        let process = try #require(
            orphaned.output.split(separator: "\n").first { $0.hasPrefix("process ") }
                .flatMap { pid_t($0.dropFirst("process ".count)) })
        try await eventually("the orphan shall end", within: .seconds(30)) {
            kill(process, 0) != 0
        }
        try await eventually("nothing shall be left behind", within: .seconds(10)) {
            try postgresFolders(in: folder) == []
        }
    }

    // MARK: - Helpers

    private func start(_ arguments: [String], _ folder: Folder) async throws -> ChildProcess {
        try await ChildProcess.start(
            BuildProducts.executable("attest-worker"), arguments,
            environment: ["TMPDIR": try temporary(in: folder)], folder: folder,
            name: "process-\(UInt64.random(in: 0 ... .max))")
    }

    private func shell(_ script: String, _ folder: Folder) async throws -> ChildProcess {
        try await ChildProcess.start(
            "sh", ["-c", script], environment: ["TMPDIR": try temporary(in: folder)],
            folder: folder,
            name: "shell-\(UInt64.random(in: 0 ... .max))")
    }

    private func simulate(
        _ arguments: [String], _ settings: [String], _ folder: Folder
    ) async throws -> ChildProcess {
        try await start(["simulate"] + Self.seeded + arguments + settings, folder)
    }

    /// The flags by which another command finds an embedded worker's broker and app.
    private func settings(for worker: ChildProcess, _ folder: Folder) async throws -> [String] {
        try await eventually("the worker shall be ready", within: .seconds(30)) {
            worker.output.hasSuffix("\n") || worker.ended != nil
        }
        let announced = try JSONDecoder().decode(Announced.self, from: Data(worker.output.utf8))
        let app = announced.simulatedApp
        #expect(app.appId == Self.appID)
        #expect(app.seed == 1)
        #expect(announced.postgresURI.hasPrefix("postgresql://"))
        let pem = app.trustAnchor.replacing("\n", with: "\\n")
        let file = try folder.write(
            "{apps: [{appId: \"\(app.appId)\", simulated: true, trustAnchor: \"\(pem)\"}]}",
            to: "settings.json5")
        return ["--config=\(file)", "--kafka.bootstrapServers=\(announced.bootstrapServers)"]
    }
}

/// As much of what an embedded worker prints as the tests read.
private struct Announced: Decodable {
    struct App: Decodable {
        let appId: String
        let seed: UInt64
        let trustAnchor: String
    }

    let bootstrapServers: String
    let postgresURI: String
    let simulatedApp: App
}

/// Where temporary files go: their server may run as another user, who must be able to get there.
private func temporary(in folder: Folder) throws -> String {
    let path = folder.path("tmp")
    guard access(path, F_OK) != 0 else { return path }
    try #require(chmod(folder.path, 0o755) == 0)
    try #require(mkdir(path, 0o777) == 0 && chmod(path, 0o1777) == 0)
    return path
}

/// What temporary servers have left, or have, in a test's folder.
private func postgresFolders(in folder: Folder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: try temporary(in: folder))
        .filter { $0.hasPrefix("attest-postgres-") }
}
